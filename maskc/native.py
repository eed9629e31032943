"""Tells whether the runtime is compiled, and from the sources that are here.

``make native`` lays a library beside each module that it compiles, and Python takes the library. So
a module that was edited since runs as it was: tests refuse to, see ``tests/conftest.py``. What was
compiled is recorded in the checkout's ``build`` folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_HOT = "maskc.runtime.lalr"  # is compiled if anything is


def is_compiled() -> bool:
    """Return whether this process runs the compiled runtime."""
    spec = find_spec(_HOT)
    return spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))


def describe_runtime() -> str:
    """Return it in words."""
    return "compiled" if is_compiled() else "pure Python"


def record(root: Path, sources: Iterable[str]) -> None:
    """Write down what is compiled into a checkout, for :func:`edited_since`."""
    _record_of(root).write_text(json.dumps({name: _digest(root / name) for name in sources}))


def edited_since(root: Path = _ROOT) -> list[str]:
    """Return the sources that are not those that were compiled for this Python, by name."""
    try:
        digests = json.loads(_record_of(root).read_text())
    except FileNotFoundError:
        return []
    return [name for name, digest in sorted(digests.items()) if _digest(root / name) != digest]


def forget(root: Path) -> None:
    """Remove what :func:`record` wrote."""
    _record_of(root).unlink(missing_ok=True)


def _record_of(root: Path) -> Path:
    return root / "build" / f"native{EXTENSION_SUFFIXES[0]}.json"


def _digest(source: Path) -> str:
    return sha256(source.read_bytes()).hexdigest() if source.exists() else ""
