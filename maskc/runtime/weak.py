"""What weak references may refer to.

mypyc compiles the runtime, and its objects take no weak references unless their class has a base
that the interpreter made. So this module is not compiled, and neither this class nor those on it
have ``__slots__``, which mypyc refuses there.

Example: a budget counts the bytes of caches that belong to artifacts, and keeps none of them alive.
"""

from __future__ import annotations


class WeaklyReferable:
    """Base of classes whose objects are found again while somebody else uses them."""
