"""What is shared and never changes: a copy is the thing itself, and nobody pickles it.

Example: ``copy.deepcopy({"constraint": constraint})`` has the same constraint in it, with all that
its matchers remember; ``pickle.dumps(constraint)`` is a ``WrongTypeError``.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self

from maskc.errors import WrongTypeError


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
