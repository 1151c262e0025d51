"""From bytes to sections and passages: pure functions of a document, no file, thread or clock.

Entry: ``text.document``.
"""
