"""The version of the distribution, in the one place where the build, the daemon and the clients read it.

It is for people and for the sentence about a daemon of another version; whether two builds can talk is
decided by ``mdmem_proto.version`` alone. A constant, because asking ``importlib.metadata`` costs 25 ms of
every command.
"""

VERSION = "0.1.0"
"""Version of the wheel ``mdmem`` (PEP 440)."""
