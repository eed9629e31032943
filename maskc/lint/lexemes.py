r"""A shortest lexeme that some terminals all match, each of them tried alone.

The terminals' own automata run side by side, with ``re``'s leftmost-first meaning, look-arounds
included; a lexeme stands alone, at the start and at the end of a text. The search goes by length,
over states of the product, so it ends.

For two patterns interegular is asked first, which turns them into automata over code points: its
witness reads well and comes fast. It knows fewer classes than ``re`` (``é`` is no ``\w`` to it) and
not every construct, so only a witness counts, and only one that ``re`` confirms. It is an extra,
``maskc[lint]``: where it is installed, Lark looks for collisions in every program that uses it,
which can take seconds.

Example: for ``/[0-9]+/`` and ``/0x[0-9]+|0/`` it is ``0``.
"""

from __future__ import annotations

import importlib.util
import re
from collections import deque
from collections.abc import Sequence

from maskc.grammar.model import LexerSpec
from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.match_length import match_length
from maskc.regular.nfa import Nfa
from maskc.regular.threads import Threads, ThreadStepper, hold_at_end

MAX_PRODUCT_STATES = 20_000
# Of interegular, whose automata unroll counts: characters, counts, and seconds of search a pair.
MAX_LENGTH, MAX_COUNT, MAX_SECONDS = 300, 30, 0.5
_COUNT = re.compile(r"\{(\d*)(?:,(\d*))?\}")


def byte_preference(byte: int) -> tuple[int, int]:
    """Return a key by which the bytes that read best come first."""
    character = chr(byte)
    if byte in b" \n\t":
        return 3, b" \n\t".index(byte)
    kinds = (character.islower(), character.isdigit(), 32 < byte < 127)
    return next((i for i, is_kind in enumerate(kinds) if is_kind and byte < 128), 4), byte


def find_common_lexeme(lexer: LexerSpec, terminals: Sequence[int]) -> bytes | None:
    """Return a shortest lexeme of all the terminals; ``None`` if none is found.

    The search gives up after ``MAX_PRODUCT_STATES`` states of the product.
    """
    nfa = Nfa(use_bytes=lexer.use_bytes)
    starts = [
        nfa.add_pattern(lexer.terminals[t], lexer.patterns[t] or "", lexer.re_flags, t)
        for t in terminals
    ]
    stepper = ThreadStepper(nfa)
    look_behinds = LookBehindStepper(stepper)
    byte_of: dict[int, int] = {}
    for byte in sorted(range(256), key=byte_preference):
        byte_of.setdefault(int(stepper.byte_class[byte]), byte)
    before = look_behinds.start()
    first = (before, tuple(stepper.enter(start, before.matched) for start in starts))
    text = {first: b""}
    pending = deque([first])
    while pending and len(text) < MAX_PRODUCT_STATES:
        here = pending.popleft()
        before, product = here
        for byte_class, byte in byte_of.items():
            after = look_behinds.step(before, byte_class)
            moved = tuple(
                stepper.step_all(threads, byte_class, after.matched) for threads in product
            )
            target = (after, moved)
            if not all(moved) or target in text:
                continue
            text[target] = text[here] + bytes([byte])
            if all(map(_is_match, moved)):
                return text[target]
            pending.append(target)
    return None


def _is_match(threads: Threads) -> bool:
    return any(position < 0 and hold_at_end(obligations) for position, obligations in threads)


def is_installed() -> bool:
    """Return whether interegular is there to be asked."""
    return importlib.util.find_spec("interegular") is not None


def find_overlap(one: str, other: str, flags: int) -> str | None:
    """Return a text that both patterns match in full, ``None`` if interegular knows none.

    It is not asked about patterns with flags of ``re``, as it has others.
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
