"""Fakes of the ports, oracles and private daemons: what the tests of mdmem are made with."""
