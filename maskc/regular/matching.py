r"""How much of a text a pattern matches, as ``re`` finds it.

Lark asks which string terminals a pattern matches in full: these are its keywords. It asks ``re``,
which goes back and tries again: ``/(a|a)*b/`` on a string of 40 ``a`` takes 2\ :sup:`40` steps,
all in one call of C code that nothing interrupts. Our own automaton reads the text once, all paths
at a time.

Example: ``match_length(r"a*?b?", "ab")`` is 0, as ``re.match(r"a*?b?", "ab").end()`` is.
"""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace

from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.threads import (
    ThreadList,
    Threads,
    ThreadStepper,
    accepted,
    hold_at_end,
    label_of,
)


def match_length(pattern: str, text: str, flags: int = 0) -> int | None:
    r"""Return how many characters ``re.match`` reads, ``None`` if it does not match.

    In a text of no characters ``\B`` matches, as in ``re`` of Python 3.14, with any Python.

    Raises:
        UnsupportedTerminalError: the pattern is not regular.
        LimitError: the automaton is too large.
    """
    return PatternThreads(pattern, flags).match_length(text)


class PatternThreads:
    """The threads of one pattern; one that has matched is labelled with how much it has read."""

    def __init__(self, pattern: str, flags: int) -> None:
        nfa = Nfa()
        self._start = nfa.add_pattern("", pattern, flags, 0)
        self._stepper = ThreadStepper(nfa)
        self._look_behinds = LookBehindStepper(self._stepper)

    def match_length(self, text: str) -> int | None:
        stepper, before = self._stepper, self._look_behinds.start()
        threads = _relabel(stepper.enter(self._start, before.matched), 0)
        for at, character in enumerate(text):
            for byte in character.encode("utf-8", "surrogatepass"):
                byte_class = int(stepper.byte_class[byte])
                before = self._look_behinds.step(before, byte_class)
                moved = ThreadList()
                for thread in threads:
                    length = label_of(thread[0]) if thread[0] < 0 else at + 1
                    stepped = stepper.step_thread(thread, byte_class, before.matched)
                    for position, obligations in _relabel(stepped, length):
                        moved.append(position, obligations)
                threads = moved.done()
        for position, obligations in threads:
            if position < 0 and hold_at_end(obligations):
                return label_of(position)
        return None


def _relabel(threads: Threads, length: int) -> Threads:
    return tuple((accepted(length) if p < 0 else p, obligations) for p, obligations in threads)


class KeywordMatcher:
    """What Lark's lexer takes for the module ``re`` when it looks for keywords.

    It remembers its answers, since Lark asks the same in every context.
    """

    compile = staticmethod(re.compile)

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], int | None] = {}
        self._threads_of = cache(PatternThreads)

    def match(self, pattern: str, text: str, flags: int) -> SimpleNamespace | None:
        """Return an object whose ``group(0)`` is what the pattern matches."""
        key = (pattern, text, flags)
        if key not in self._known:
            self._known[key] = self._threads_of(pattern, flags).match_length(text)
        length = self._known[key]
        return None if length is None else SimpleNamespace(group=lambda _: text[:length])
