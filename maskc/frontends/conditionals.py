"""Does a pattern ask for a group by its number?

Where patterns are joined to one, as in Lark's lexers, the number is another one. So a conditional
is written with a name, ``(?P<q>a)?(?(q)b|c)``. The tree of ``re`` has numbers in both cases: those
that stay when a group is put before the pattern were written as numbers.
"""

from __future__ import annotations

import re
from typing import Any, cast

from maskc.automata.nfa import tested_groups
from maskc.errors import UnsupportedTerminalError
from maskc.wording import Phrase

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001


def check_conditionals(terminal: str, pattern: str, flags: int) -> None:
    """Check that no conditional asks for a group by its number.

    Raises:
        UnsupportedTerminalError: one does.
    """
    if "(?(" not in pattern:  # most have none; parsing twice takes a while
        return
    alone, after_a_group = (
        list(tested_groups(_parser.parse(text, flags))) for text in (pattern, f"()(?:{pattern})")
    )
    for group, moved in zip(alone, after_a_group, strict=True):
        if group == moved:
            raise UnsupportedTerminalError(
                terminal,
                f"conditional on group {group} by its number, which is another one where patterns "
                "are joined to one",
                Phrase.NAME_THE_GROUP,
            )
