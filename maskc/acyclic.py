"""A mark for classes whose objects are never part of a reference cycle.

Python's garbage collector walks all objects that can hold others, again and again while new ones
are made: of 75,000 that 100 schemas leave in a kit, a third are of a few classes that hold numbers
and arrays only, or tuples of these. Of classes with this mark mypyc makes objects that the
collector leaves out, and so it leaves out the tuples that hold nothing else. An object of such a
class that did come to hold itself would never be freed.

Example: ``@mypyc_attr(acyclic=True)`` above a class. The interpreter ignores it, as it does the
other marks of mypyc's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["mypyc_attr"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**_: Any) -> Any:
        """Return what leaves a class as it is: mypyc reads the mark, and does not call it."""
        return lambda cls: cls
