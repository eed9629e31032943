"""Loads artifacts and fills masks; needs numpy, msgpack and the standard library only.

What matchers share is made once, whatever threads ask for it, and never copied or pickled.
``functools.cached_property`` has no lock since Python 3.12: two threads that ask at once make two
values, and go on with different ones. What matchers share must be one thing: a mask's number is a
row of one pool, and two pools number their masks independently.

The value lies in the object's ``__dict__`` under the name of the method, where Python looks before
it asks here: the second access costs what any attribute costs. The lock is the object's own and
may be taken again by the thread that holds it, so that one value can be made of another one;
the values of two objects must not be made of each other.

Example: of ``artifact.matcher()`` in four threads at once, one makes the machine and the masks, and
the others wait for it. ``copy.deepcopy({"constraint": constraint})`` has the same constraint in it,
with all that its matchers remember; ``pickle.dumps(constraint)`` is a ``WrongTypeError``.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, NoReturn, Self, TypeVar, overload

from maskc.errors import WrongTypeError

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


class Shared:
    """A base class: copies are the object itself, and pickling is refused.

    ``pickle_remedy`` says in the error what to do instead of pickling.
    """

    __slots__ = ()
    pickle_remedy = "make it anew in the other process"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        name = type(self).__name__
        raise WrongTypeError(f"{name} is not pickled, as it shares tables; {self.pickle_remedy}")
