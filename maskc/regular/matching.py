r"""What a pattern matches, as ``re`` finds it: how much of a text, and which texts.

Lark asks which string terminals a pattern matches in full: these are its keywords. It asks ``re``,
which goes back and tries again: ``/(a|a)*b/`` on a string of 40 ``a`` takes 2\ :sup:`40` steps,
all in one call of C code that nothing interrupts. Our own automaton reads the text once, all paths
at a time.

The texts of a pattern are listed if they are few, as a set: in which order ``re`` tries them is not
asked. What asks about the text around it, or may read any character, is not listed.

Example: ``match_length(r"a*?b?", "ab")`` is 0, as ``re.match(r"a*?b?", "ab").end()`` is.
``"{3}|'{3}`` matches two texts, and ``=*`` without end; the first of its texts are nothing, ``=``
and ``==``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from types import SimpleNamespace

from maskc.regular import (
    Alternation,
    Atomic,
    CapturingGroup,
    Characters,
    Expression,
    Repeat,
    Sequence,
)
from maskc.regular.charset import CodePoints, literal_set
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

LONGEST = 100  # characters of a text that is listed
_N_SAMPLES = 3
_USUAL = "a0 "  # what stands for a set, if it is in it
_MORE_PASSES = 2  # of a repetition without end, for samples
_WORDS = ("EOF", "EOT", "END")  # what a name before a text may be, as in a shell


def match_length(pattern: str, text: str, flags: int = 0) -> int | None:
    r"""Return how many characters ``re.match`` reads, ``None`` if it does not match.

    In a text of no characters ``\B`` matches, as in ``re`` of Python 3.14, with any Python.

    Raises:
        UnsupportedTerminalError: the pattern is not regular.
        LimitError: the automaton is too large.
    """
    return _automaton_of(pattern, flags).match_length(text)


@lru_cache(maxsize=64)
def _automaton_of(pattern: str, flags: int) -> _PatternAutomaton:
    return _PatternAutomaton(pattern, flags)


class _PatternAutomaton:
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

    def match(self, pattern: str, text: str, flags: int) -> SimpleNamespace | None:
        """Return an object whose ``group(0)`` is what the pattern matches."""
        key = (pattern, text, flags)
        if key not in self._known:
            self._known[key] = match_length(*key)
        length = self._known[key]
        return None if length is None else SimpleNamespace(group=lambda _: text[:length])


class _TooManyError(Exception):
    """The texts are not listed."""


def list_texts(node: Expression, pattern: str, flags: int, most: int) -> list[str] | None:
    """Return the texts that ``re.fullmatch`` takes, sorted; ``None`` if they are not listed.

    Args:
        node: a part of a pattern, which stands by itself, and the pattern that it is.
        flags: of ``re``; where case is ignored, one text stands for all that differ in case.
        most: how many texts there may be.
    """
    try:
        found = _Lister(flags, most, passes=None).list(node)
    except _TooManyError:
        return None
    return _keep_matched(pattern, found)


def sample_texts(node: Expression, pattern: str, flags: int) -> list[str]:
    """Return a few of the texts that ``re.fullmatch`` takes; none, if none was found."""
    words = [word for word in _WORDS if re.fullmatch(pattern, word)]
    if words:
        return words
    try:
        found = _Lister(flags, 1000, passes=_MORE_PASSES).list(node)
    except _TooManyError:
        return []
    return sorted(_keep_matched(pattern, found), key=lambda text: (len(text), text))[:_N_SAMPLES]


def _keep_matched(pattern: str, texts: Iterable[str]) -> list[str]:
    """Return those that are matched: atomic groups match less than is listed."""
    return sorted(text for text in texts if re.fullmatch(pattern, text))


class _Lister:
    """Lists what trees match, as sets of texts.

    With ``passes``, what has no end is repeated so often beyond its least, and one character stands
    for a class; without, all texts are listed.
    """

    def __init__(self, flags: int, most: int, passes: int | None) -> None:
        self._flags, self._folds = flags, bool(flags & re.IGNORECASE)
        self._most, self._passes = most, passes

    def list(self, node: Expression) -> set[str]:
        match node:
            case Characters(ranges):
                return self._list_characters(ranges)
            case Sequence(parts):
                found = {""}
                for part in parts:
                    found = self._join(found, self.list(part))
                return found
            case Alternation(parts) if parts:
                return self._check(set().union(*map(self.list, parts)))
            case CapturingGroup(body) | Atomic(body):
                return self.list(body)
            case Repeat(body, low, high):
                return self._repeat(low, high, self.list(body))
        raise _TooManyError

    def _repeat(self, low: int, high: int | None, one: set[str]) -> set[str]:
        if one == {""}:
            return one
        most = LONGEST + 1 if high is None else high
        if self._passes is not None:
            most = min(most, low + self._passes)
        if most > LONGEST:
            raise _TooManyError
        found: set[str] = set()
        passes = {""}
        for n in range(most + 1):
            if n >= low:
                found = self._check(found | passes)
            if n < most:
                passes = self._join(passes, one)
        return found

    def _list_characters(self, ranges: CodePoints) -> set[str]:
        if self._passes is not None:
            return {next((c for c in _USUAL if _has(ranges, ord(c))), chr(ranges[0][0]))}
        if sum(high - low + 1 for low, high in ranges) > 4 * self._most:
            raise _TooManyError
        found = [n for low, high in ranges for n in range(low, high + 1)]
        # Of a set that ignores case, one text stands for others; in a part that does not, none.
        cases = (end for n in found for span in literal_set(n, self._flags) for end in span)
        if not all(_has(ranges, code_point) for code_point in cases):
            raise _TooManyError
        return self._check({chr(n).lower() if self._folds else chr(n) for n in found})

    def _join(self, before: set[str], after: set[str]) -> set[str]:
        if len(before) * len(after) > self._most**2:
            raise _TooManyError
        return self._check({one + other for one in before for other in after})

    def _check(self, found: set[str]) -> set[str]:
        if len(found) > self._most or any(len(text) > LONGEST for text in found):
            raise _TooManyError
        return found


def _has(ranges: CodePoints, code_point: int) -> bool:
    return any(low <= code_point <= high for low, high in ranges)
