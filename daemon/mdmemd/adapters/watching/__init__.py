"""Being told by the system that files of the user may have changed: inotify, FSEvents, or not at all.

``system`` chooses. The only package that may import watchdog.
"""
