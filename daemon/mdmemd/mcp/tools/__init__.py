"""One file for each tool; ``catalogue`` lists them in the order in which agents see them."""
