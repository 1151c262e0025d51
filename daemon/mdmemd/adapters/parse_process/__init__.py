"""Parsing in a child process: ``process`` is our side, ``child`` the program, ``frames`` the format."""
