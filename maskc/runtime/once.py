"""What is made when it is first asked for, and once, whatever threads ask at the same time.

``functools.cached_property`` has no lock since Python 3.12: two threads that ask at once make two
values, and go on with different ones. What matchers share must be one thing: a mask's number is a
row of one pool, and two pools number their masks independently.

Example: of ``artifact.matcher()`` in four threads at once, one makes the machine and the masks, and
the others wait for it.

The value lies in the object's ``__dict__`` under the name of the method, where Python looks before
it asks here: the second access costs what any attribute costs. The lock is the object's own and
may be taken again by the thread that holds it, so that one value can be made of another one;
the values of two objects must not be made of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

_Value = TypeVar("_Value")
_LOCK = "_lock_of_made_once"


class _MadeOnce(Generic[_Value]):
    """An attribute that its method makes."""

    def __init__(self, make: Callable[[Any], _Value]) -> None:
        self._make, self._name = make, make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | _Value:
        if instance is None:
            return self
        values: dict[str, Any] = instance.__dict__
        # One step of the interpreter, so all threads get the lock that came first.
        with values.setdefault(_LOCK, RLock()):
            if self._name not in values:
                values[self._name] = self._make(instance)
            value: _Value = values[self._name]
        return value


def made_once(make: Callable[[Any], _Value]) -> _MadeOnce[_Value]:
    """Make a method without arguments an attribute; a decorator."""
    return _MadeOnce(make)
