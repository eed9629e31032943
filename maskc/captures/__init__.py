"""Matchers that know where named rules and terminals stand in the text that is being generated.

Example: ``maskc.capture(artifact, "table", "NAME").matcher()`` makes one. After
``SELECT a FROM users `` its ``spans("table")`` is one span, from byte 14 to 19; and
``rollback_to("table")`` goes back to before the token in which ``users`` began.
"""

from __future__ import annotations

from typing import NoReturn

from maskc.arguments import as_text, check_callable, describe
from maskc.captures.following import FollowingMachine
from maskc.captures.machine import CapturingMachine, TracingMachine
from maskc.captures.scopes import OnComplete, Scopes
from maskc.captures.tracing import Span, Symbols, find_symbols
from maskc.errors import CaptureError, SpellingError, WrongTypeError, WrongValueError
from maskc.runtime.artifact import Artifact, Compiled
from maskc.runtime.budget import Endings
from maskc.runtime.holes import with_side
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import NO_SIDE
from maskc.runtime.machine import Hypotheses
from maskc.runtime.matcher import Matcher
from maskc.runtime.spelling import Spelling
from maskc.runtime.spelling.canonical import Canonical, CanonicalMatcher


class Captures(Compiled):
    """An artifact with symbols that its matchers capture. Immutable.

    It shares the artifact's masks and all that is cached of them. Made by :func:`capture`.

    Attributes:
        artifact: as given.
        symbols: what is captured.
    """

    machine: TracingMachine

    def __init__(self, artifact: Artifact, machine: TracingMachine, symbols: Symbols) -> None:
        super().__init__(machine, artifact.tokens, artifact.eos_ids)
        self.artifact, self.symbols = artifact, symbols

    @property
    def endings(self) -> Endings:
        """The artifact's: captures change no text."""
        return self.artifact.endings

    def with_own_tokens(self, spelling: Spelling) -> Canonical:
        """Return the same captures in texts of the tokenizer's own tokens."""
        return CanonicalCaptures(self, spelling)

    def matcher(self) -> CapturingMatcher:
        """Return a matcher at the start of the text."""
        return CapturingMatcher(self, self.machine.start())

    def __repr__(self) -> str:
        names = ", ".join([*self.symbols.rules.values(), *self.symbols.terminals.values()])
        return f"<maskc.Captures of {names} in {self.artifact!r}>"


class CapturingMatcher(Matcher):
    """A matcher with spans. It takes what any :class:`maskc.Matcher` takes, and fills its masks."""

    __slots__ = ()

    def _plain(self) -> Hypotheses:
        return without_sides(self._hypotheses)

    @property
    def n_bytes(self) -> int:
        """How long the text is so far."""
        length: int = self._captured[0].side.text.length
        return length

    def text(self) -> bytes:
        """Return the text so far, into which spans point."""
        whole: bytes = self._captured[0].side.text.whole()
        return whole

    def spans(self, name: str | None = None) -> list[Span]:
        """Return where the captured symbols stand, in the order in which they were completed.

        What is returned stays: it is in Lark's parse of every text that goes on from here. After
        an end of sequence, it is all of them.

        Raises:
            UnknownSymbolError: no symbol of that name is captured.
        """
        captures = self._captures
        if name is not None:
            captures.symbols.check(as_text("a name", name))
        machine = captures.machine
        look = machine.finished if self._terminated else machine.settled
        found = look(self._captured)
        return found if name is None else [span for span in found if span.name == name]

    def rollback_to(self, name: str) -> int:
        """Forget the token in which the last symbol of a name begins, and all after it.

        Where that token begins before the symbol, some bytes before it are forgotten, too. The
        last symbol is the one that begins last.

        Returns:
            how many tokens were forgotten, as :meth:`rollback` counts them.

        Raises:
            UnknownSymbolError: no symbol of that name is captured.
            ValueError: none was completed, or so many tokens are not remembered; nothing is
                changed.
        """
        found = self.spans(as_text("a name", name))
        if not found:
            raise WrongValueError(f"no {name} was completed so far")
        start = max(span.start for span in found)
        ahead, n_back = self.fork(), 0
        while ahead.is_terminated or ahead.n_bytes > start:
            try:
                ahead.rollback(1)
            except ValueError:
                fact = f"the tokens since the last {name} are not all remembered"
                raise WrongValueError(fact) from None
            n_back += 1
        self.rollback(n_back)
        return n_back

    @property
    def _captured(self) -> Hypotheses:
        return self._hypotheses

    @property
    def _captures(self) -> Captures:
        if not isinstance(self._artifact, Captures):
            raise TypeError("a capturing matcher is made by maskc.capture(…).matcher()")
        return self._artifact


class CanonicalCaptures(Canonical):
    """Captures whose texts are written in the tokenizer's own tokens only. Immutable.

    Made by :func:`maskc.canonical`.
    """

    def __init__(self, captures: Captures, spelling: Spelling) -> None:
        super().__init__(
            captures.artifact,
            spelling,
            captures.machine,
            without_sides,
        )
        self.captures = captures  # as given

    def matcher(self) -> OwnCapturingMatcher:
        """Return a matcher at the start of the text."""
        return OwnCapturingMatcher(self, self.machine.start())

    def __repr__(self) -> str:
        return f"<maskc.Canonical of {self.captures!r}>"


class OwnCapturingMatcher(CanonicalMatcher, CapturingMatcher):
    """A matcher of the tokenizer's own tokens with spans."""

    __slots__ = ()
    _artifact: CanonicalCaptures

    @property
    def _captured(self) -> Hypotheses:
        captured: Hypotheses = self._hypotheses[0].inner
        return captured

    @property
    def _captures(self) -> Captures:
        return self._artifact.captures


class Followed(Captures):
    """An artifact whose holes take words that depend on what was written. Immutable.

    Made by :func:`follow`; its matchers capture symbols, too.

    Attributes:
        artifact: as given.
        symbols: what is captured.
    """

    def __init__(
        self, artifact: Artifact, machine: LalrMachine, symbols: Symbols, scopes: Scopes
    ) -> None:
        super().__init__(artifact, FollowingMachine(artifact, machine, symbols, scopes), symbols)

    @property
    def endings(self) -> NoReturn:
        """Raise: which words will be legal depends on all that is yet to be written.

        Raises:
            CaptureError: always.
        """
        raise CaptureError(
            self.symbols.grammar,
            "completions are not known where words follow the text",
            "leave tokens_left out, or give the words with artifact.bind(…)",
        )

    def check_own_tokens(self) -> None:
        """Raise: each text would be a configuration of its own, and there are too many.

        Raises:
            SpellingError: always.
        """
        raise SpellingError(
            "canonical tokens are not supported where words follow the text",
            "give the words with artifact.bind(…), or make matchers without maskc.canonical",
        )

    def __repr__(self) -> str:
        return f"<maskc.Followed of {self.artifact!r}>"


def without_sides(hypotheses: Hypotheses) -> Hypotheses:
    """Return the artifact's own hypotheses: whoever keeps them keeps no texts."""
    return tuple(with_side(h, NO_SIDE) for h in hypotheses)


def follow(artifact: Artifact, *names: str, on_complete: OnComplete) -> Followed:
    """Return a maker of matchers whose restricted terminals take words of a function.

    Raises:
        HoleError, UnknownSymbolError: what it returns for a text without symbols is refused.
        MaskcError, TypeError, ValueError: as :func:`capture`.
    """
    check_callable("on_complete", on_complete)
    captures = capture(artifact, *names)
    scopes = Scopes(artifact, on_complete)
    return Followed(artifact, captures.machine.machine, captures.symbols, scopes)


def capture(artifact: Artifact, *names: str) -> Captures:
    """Return a maker of matchers that capture rules and terminals of an artifact's grammar.

    Raises:
        CaptureError: the artifact was not made from a grammar with an LALR table, or the lexer
            drops a terminal.
        GrammarError, PostlexError: this version of Lark reads the grammar differently.
        TypeError: it is not an artifact, or a name is not a text.
        UnknownSymbolError: a name is neither a rule nor a terminal.
        ValueError: no name is given.
    """
    if not isinstance(artifact, Artifact):
        raise WrongTypeError(f"capture takes an artifact, not {describe(artifact)}")
    for name in names:
        as_text("a name", name)
    if not names:
        raise WrongValueError("capture takes the name of a rule or a terminal, at least one")
    symbols = find_symbols(artifact, names)
    machine = artifact.machine
    if not isinstance(machine, LalrMachine):
        raise TypeError(f"the machine of an LALR artifact is a {type(machine).__name__}")
    return Captures(artifact, CapturingMachine(artifact, machine, symbols), symbols)
