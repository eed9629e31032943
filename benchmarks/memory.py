"""How much memory does a process have, and whose is it? From ``/proc``, on Linux only."""

from __future__ import annotations

import re
from pathlib import Path


def read_resident() -> int:
    """Return the bytes of this process that are resident."""
    return _read_status("VmRSS")


def read_peak() -> int:
    """Return the most bytes that were ever resident, of this program only.

    ``ru_maxrss`` would be at least what the process that forked this one had.
    """
    return _read_status("VmHWM")


def read_mapping(path: Path) -> dict[str, int]:
    """Return the bytes of a mapped file by kind: resident, shared with other processes, private.

    ``proportional`` divides each shared page by the number of processes that have it.
    """
    found = dict.fromkeys(("resident", "shared", "private", "proportional"), 0)
    names = {"Rss": "resident", "Pss": "proportional", "Shared": "shared", "Private": "private"}
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(path))
        elif inside:
            key, _, rest = line.partition(":")
            name = names.get(key.partition("_")[0])
            if name and key in {"Rss", "Pss"} or key.endswith(("_Clean", "_Dirty")):
                found[names[key.partition("_")[0]]] += int(rest.split()[0]) * 1024
    return found


def _read_status(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"/proc/self/status has no {name}")
    return int(found[1]) * 1024
