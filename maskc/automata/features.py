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

from maskc.automata.nfa import walk_tree

_parser = cast(Any, re)._parser  # noqa: SLF001
_NAMES = {
    "AT_BEGINNING": "the anchor ^",
    "AT_BEGINNING_STRING": r"the anchor \A",
    "AT_END": "the anchor $",
    "AT_END_STRING": r"the anchor \Z",
    "AT_BOUNDARY": r"the word boundary \b",
    "AT_NON_BOUNDARY": r"the word boundary \B",
    "ASSERT 1": "the look-ahead (?=…)",
    "ASSERT_NOT 1": "the look-ahead (?!…)",
    "ASSERT -1": "the look-behind (?<=…)",
    "ASSERT_NOT -1": "the look-behind (?<!…)",
    "ATOMIC_GROUP": "the atomic group (?>…)",
    "POSSESSIVE_REPEAT": "a possessive quantifier",
}


def name_features(pattern: str, flags: int) -> str:
    r"""Return the names of what looks around or keeps its match, in order; empty if nothing does.

    >>> name_features(r"(?:a|b(?!c))+$", 0)
    'the look-ahead (?!…) and the anchor $'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        tree = _parser.parse(pattern, flags)
    names = list(dict.fromkeys(_list_names(tree)))
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _list_names(tree: Any) -> Iterator[str]:
    for opcode, argument in walk_tree(tree):
        key = opcode
        if opcode == "AT":
            key = str(argument)
        elif opcode in ("ASSERT", "ASSERT_NOT"):
            key = f"{opcode} {argument[0]}"
        if key in _NAMES:
            yield _NAMES[key]
