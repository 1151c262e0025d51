"""One module per command family; a module is imported only when its command was chosen."""
