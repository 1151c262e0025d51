"""The single writer, the published state, the roots' life, and the facade that every surface calls.

Only the writer changes an index; everybody else takes the published state once and keeps to it. No lock is
held across embedding, parsing or disk.
"""
