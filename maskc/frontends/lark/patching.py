"""A name of Lark's that means something else while we use it, and to nobody else for longer.

Lark has no way to be told what these names stand for. Two threads that changed one of them at once
could each put back what the other had put there, and Lark would stay changed for the whole
process; so one compilation at a time is inside Lark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

_LARK = RLock()


@contextmanager
def patched(module: Any, name: str, value: object) -> Iterator[None]:
    """Let a name of a module stand for a value; other threads wait."""
    with _LARK:
        before = getattr(module, name)
        setattr(module, name, value)
        try:
            yield
        finally:
            setattr(module, name, before)
