"""Where a test's own instance lives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mdmem_proto.endpoint import Endpoint, resolve


def endpoint_of(home: Path) -> Endpoint:
    """The endpoint of the instance whose ``MDMEM_HOME`` is ``home``."""
    return resolve({"MDMEM_HOME": str(home)}, platform=sys.platform, uid=os.getuid(), home="/")
