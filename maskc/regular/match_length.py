r"""The length that a pattern matches of a text, as ``re.match`` finds it, in bounded time.

Lark asks which string terminals a pattern matches in full: these are its keywords. It asks ``re``,
which goes back and tries again: ``/(a|a)*b/`` on a string of 40 ``a`` takes 2\ :sup:`40` steps,
all in one call of C code that nothing interrupts. So ``re`` is asked only where the number of paths
that it could try is small; elsewhere our own automaton reads the text once, all paths at a time.

Example: ``match_length(r"a*?b?", "ab")`` is 0, as ``re.match(r"a*?b?", "ab").end()`` is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import SimpleNamespace

from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.python import read_python
from maskc.regular.threads import (
    ThreadList,
    Threads,
    ThreadStepper,
    accepted,
    hold_at_end,
    label_of,
)
from maskc.regular.tree import (
    Alternation,
    Atomic,
    CapturingGroup,
    Conditional,
    Expression,
    Look,
    Repeat,
    Sequence,
    least_width,
)

MOST_PATHS = 100_000  # that ``re`` may try for one text: milliseconds


def match_length(pattern: str, text: str, flags: int = 0) -> int | None:
    """Return how many characters ``re.match`` reads, ``None`` if it does not match.

    Raises:
        UnsupportedTerminalError: ``re`` could try too many paths, and the pattern is not regular.
        LimitError: the automaton is too large.
    """
    if _count_paths(pattern, flags, len(text)) <= MOST_PATHS:
        found = re.match(pattern, text, flags)
        return None if found is None else found.end()
    return _follow(pattern, text, flags)


class KeywordMatcher:
    """What Lark's lexer takes for the module ``re`` when it looks for keywords.

    It remembers its answers, since Lark asks the same in every context.
    """

    compile = staticmethod(re.compile)

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], int | None] = {}

    def match(self, pattern: str, text: str, flags: int) -> SimpleNamespace | None:
        """Return an object whose ``group(0)`` is what the pattern matches."""
        key = (pattern, text, flags)
        if key not in self._known:
            self._known[key] = match_length(*key)
        length = self._known[key]
        return None if length is None else SimpleNamespace(group=lambda _: text[:length])


@lru_cache(maxsize=4096)
def _count_paths(pattern: str, flags: int, length: int) -> int:
    """Return an upper bound on the paths that ``re`` could try on a text of a length."""
    return _paths_of(read_python(pattern, flags), length)


def _paths_of(node: Expression, length: int) -> int:
    match node:
        case Sequence(parts):
            paths = 1
            for part in parts:
                paths *= _paths_of(part, length)
                if paths > MOST_PATHS:
                    break
        case Alternation(parts):
            paths = max(1, sum(_paths_of(part, length) for part in parts))
        case CapturingGroup(body) | Atomic(body) | Look(body):
            paths = _paths_of(body, length)
        case Conditional(_, present, absent):
            paths = _paths_of(present, length) + _paths_of(absent, length)
        case Repeat(body, low, high):
            paths = _paths_of_repeat(low, high, body, length)
        case _:
            paths = 1
    return min(paths, MOST_PATHS + 1)


def _paths_of_repeat(low: int, high: int | None, body: Expression, length: int) -> int:
    # A pass that reads nothing is the last one, save those that must be.
    passes = length + 1 if least_width(body) else length + 1 + low
    passes = passes if high is None else min(high, passes)
    inner = _paths_of(body, length)
    paths = 0
    for count in range(min(low, passes), passes + 1):
        paths += inner ** min(count, 64)
        if paths > MOST_PATHS:
            return MOST_PATHS + 1
    # Passes that must be are made even if nothing comes of them.
    return max(paths, 1) if low <= length + 1 else max(paths, low)


def _follow(pattern: str, text: str, flags: int) -> int | None:
    nfa = Nfa()
    start = nfa.add_pattern("", pattern, flags, 0)
    stepper = ThreadStepper(nfa)
    look_behinds = LookBehindStepper(stepper)
    before = look_behinds.start()
    threads: Threads = _relabel(stepper.enter(start, before.matched), 0)
    for at, character in enumerate(text):
        for byte in character.encode("utf-8", "surrogatepass"):
            byte_class = int(stepper.byte_class[byte])
            before = look_behinds.step(before, byte_class)
            moved = ThreadList()
            for thread in threads:
                for position, obligations in _relabel(
                    stepper.step_thread(thread, byte_class, before.matched),
                    label_of(thread[0]) if thread[0] < 0 else at + 1,
                ):
                    moved.append(position, obligations)
            threads = moved.done()
    for position, obligations in threads:
        if position < 0 and hold_at_end(obligations):
            return label_of(position)
    return None


def _relabel(threads: Threads, length: int) -> Threads:
    """Return the threads with those that have matched labelled with how much they read."""
    return tuple((accepted(length) if p < 0 else p, obligations) for p, obligations in threads)
