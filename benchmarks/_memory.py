"""The memory of this process."""

from __future__ import annotations

import re
from pathlib import Path


def memory_mb(name: str = "VmRSS") -> float:
    """What the kernel says of this process alone, in megabytes: resident now, at its most (VmHWM), its own (RssAnon).

    `getrusage` would count the one that started it, too.
    """
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)
    assert found, name
    return int(found[1]) * 1024 / 1e6
