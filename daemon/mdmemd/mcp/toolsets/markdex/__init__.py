"""The searching tools of markdex on our engine: one file for each, ``tools`` lists them."""
