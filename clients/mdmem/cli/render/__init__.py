"""Answers to text for people. Pure: values in, one string out; ``tests/golden/cli`` holds the transcripts."""
