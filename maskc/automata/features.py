r"""What in a pattern looks at more than the characters it matches?

Names for messages, as its author wrote them: look-arounds, anchors, word boundaries, and groups
that keep what they first matched.

Example: ``a(?!b)\b`` has "the look-ahead (?!…)" and "the word boundary \b".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any, cast

_parser = cast(Any, re)._parser  # noqa: SLF001
_constants = cast(Any, re)._constants  # noqa: SLF001
_ANCHORS = {
    _constants.AT_BEGINNING: "the anchor ^",
    _constants.AT_BEGINNING_STRING: r"the anchor \A",
    _constants.AT_END: "the anchor $",
    _constants.AT_END_STRING: r"the anchor \Z",
    _constants.AT_BOUNDARY: r"the word boundary \b",
    _constants.AT_NON_BOUNDARY: r"the word boundary \B",
}
_LOOKS = {
    (_constants.ASSERT, 1): "the look-ahead (?=…)",
    (_constants.ASSERT_NOT, 1): "the look-ahead (?!…)",
    (_constants.ASSERT, -1): "the look-behind (?<=…)",
    (_constants.ASSERT_NOT, -1): "the look-behind (?<!…)",
}


def name_features(pattern: str, flags: int) -> str:
    r"""Return the names of what looks around or keeps its match, in order; empty if nothing does.

    >>> name_features(r"(?:a|b(?!c))+$", 0)
    'the look-ahead (?!…) and the anchor $'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        tree = _parser.parse(pattern, flags)
    names = list(dict.fromkeys(_walk(tree)))
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _walk(tree: Any) -> Iterator[str]:
    for kind, argument in tree:
        if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield _LOOKS[kind, argument[0]]
        elif kind is _constants.AT:
            yield _ANCHORS[argument]
        elif kind is _constants.ATOMIC_GROUP:
            yield "the atomic group (?>…)"
        elif kind is _constants.POSSESSIVE_REPEAT:
            yield "a possessive quantifier"
        yield from (name for part in _parts(argument) for name in _walk(part))


def _parts(argument: Any) -> Iterator[Any]:
    """Yield the patterns inside what an item of a pattern holds."""
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for part in argument:
            yield from _parts(part)
