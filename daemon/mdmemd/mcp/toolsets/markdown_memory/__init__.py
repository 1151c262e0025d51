"""The tools of markdown-memory 0.7 on our engine: one file for each, ``tools`` lists them."""
