"""Every limit of the wire, with its unit in its name.

Both programs hold to these; ``PROTOCOL.md``, "Limits", lists them and a test compares the two. Raising a
limit that a peer could run into needs a new protocol number; the limits of the handshake never change.
Numbers that only one program knows (how many hits fit on a page, how long a query may compute) are not here.
"""

FRAME_HEADER_BYTES = 4
"""Length of a frame's header: the body's length, unsigned, little-endian."""

FRAME_BYTES_MAX = 16 * 1024 * 1024
"""Longest body of a frame: the largest document that is indexed (10 MiB) fits with its envelope."""

HANDSHAKE_FRAME_BYTES_MAX = 64 * 1024
"""Longest body before the handshake is over, so that strangers cannot fill a program's memory. Frozen."""

HANDSHAKE_TIMEOUT_SECONDS = 5.0
"""How long each side waits for the other's first frame before it closes the connection."""

CONNECTIONS_MAX = 256
"""Connections that a daemon serves at a time; one more is refused with a remedy."""

REQUESTS_IN_FLIGHT_MAX = 64
"""Requests of one connection that have not ended yet."""

REQUEST_ID_MAX = 2**63 - 1
"""Largest request id (the smallest is 1): fits a signed 64-bit integer of any language."""

QUERY_CHARACTERS_MAX = 8192
"""Longest question: a pasted stack trace fits, a pasted document does not."""

FRESH_CHARACTERS_MAX = 32
"""Longest value of ``fresh``: ``wait=SECONDS`` with more digits than make sense."""

SEARCH_HITS_MAX = 50
"""Most hits that one ``search`` may ask for."""

PAGE_TOKENS_MAX = 100_000
"""Largest budget of a page: more than any reader wants, and with room to spare within a frame."""

READ_ADDRESSES_MAX = 100
"""Most addresses of one ``read.many``; a glob is one."""

READ_BYTES_MAX = 8 * 1024 * 1024
"""Most text of one ``read.many``: half a frame, so that it fits whatever stands around it."""

CURSOR_CHARACTERS_MAX = 64
"""Longest cursor: a position and two hashes."""

PATH_CHARACTERS_MAX = 4096
"""Longest path or breadcrumb: ``PATH_MAX`` of Linux, the larger of the supported platforms."""

ROOT_NAME_CHARACTERS_MAX = 255
"""Longest name of a root: ``NAME_MAX``, since names derive from folders."""

GOLDEN_CHARACTERS_MAX = 4 * 1024 * 1024
"""Longest golden set: several thousand questions, and in any script it fits a frame."""

DRAFT_QUESTIONS_MAX = 500
"""Most questions of a drafted golden set: as many as are kept."""

GLOB_CHARACTERS_MAX = 1000
"""Longest glob of a root."""

GLOBS_MAX = 200
"""Most globs of one kind for one root; an ignore file takes more."""

ROOTS_PER_REQUEST_MAX = 1000
"""Most root names in one request."""

FILTER_VALUES_MAX = 100
"""Most groups, paths, tags or properties in one filter."""

SOCKET_PATH_BYTES_MAX = {"linux": 107, "darwin": 103}
"""Longest path of a Unix socket by ``sys.platform``: ``sizeof(sun_path)`` less the closing NUL."""

SOCKET_PATH_BYTES_MAX_ELSEWHERE = 103
"""The same on platforms that are not listed: what the BSDs allow."""
