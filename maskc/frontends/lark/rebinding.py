"""Functions of Lark's in which a name stands for something else.

Lark takes classes of ours for a lexer and a parser (``_plugins``). Their methods are Lark's own,
but for a name or two that Lark gives no way to change. A copy of such a method has other globals;
Lark's module stays as it is, for all threads.

Example: ``rebound(BasicLexer.__init__, has_interegular=False)`` looks for no collisions.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any


def rebound(function: Any, **names: object) -> Any:
    """Return a copy of a function in which some global names stand for other values."""
    made = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    return made
