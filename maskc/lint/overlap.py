r"""Does interegular know a text that two patterns both match?

interegular turns patterns into automata over code points, so its witness reads well and comes
fast. It knows fewer classes than ``re`` (``é`` is no ``\w`` to it) and not every construct, so
only a witness counts, and only one that ``re`` confirms: without one our own search
(:mod:`maskc.lint.lexemes`) decides.

It is an extra, ``maskc[lint]``: where it is installed, Lark looks for collisions in every program
that uses it, which can take seconds.

Bound: patterns of at most ``MAX_LENGTH`` characters without counts above ``MAX_COUNT``, since its
automata unroll them, and ``MAX_SECONDS`` of search a pair.
"""

from __future__ import annotations

import importlib.util
import re

from maskc.regular.match_length import match_length

MAX_LENGTH = 300
MAX_COUNT = 30
MAX_SECONDS = 0.5

_COUNT = re.compile(r"\{(\d*)(?:,(\d*))?\}")


def is_installed() -> bool:
    """Return whether interegular is there to be asked."""
    return importlib.util.find_spec("interegular") is not None


def find_overlap(one: str, other: str, flags: int) -> str | None:
    """Return a text that both patterns match in full, ``None`` if interegular knows none.

    Args:
        one: a pattern.
        other: the other one.
        flags: of ``re``; with any, interegular is not asked, as it has others.
    """
    if flags or not is_installed() or not all(map(_is_small, (one, other))):
        return None
    from interegular.comparator import Comparator
    from interegular.patterns import InvalidSyntax, Unsupported, parse_pattern

    try:
        comparator = Comparator({0: parse_pattern(one), 1: parse_pattern(other)})
        if comparator.isdisjoint(0, 1):
            return None
        found = comparator.get_example_overlap(0, 1, MAX_SECONDS)
    except (InvalidSyntax, Unsupported, ValueError):
        return None
    text = str(found.main_text)
    is_alone = not found.prefix and not found.postfix
    # Not by `re` itself: a pattern may have it try more ways than there is time for.
    matches = (match_length(rf"(?:{p})\Z", text) for p in (one, other))
    return text if is_alone and None not in matches else None


def _is_small(pattern: str) -> bool:
    counts = [int(n) for match in _COUNT.finditer(pattern) for n in match.groups() if n]
    return len(pattern) <= MAX_LENGTH and max(counts, default=0) <= MAX_COUNT
