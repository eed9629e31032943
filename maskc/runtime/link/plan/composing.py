"""How do items become one expression? Those that begin alike are read once.

Alternatives with constants become one switch over words, so that hundreds of tools are one
hypothesis while a name is written. What two requests have alike is one piece: it is found again by
what it is made of.

Example: of ``get_time(`` and ``get_date(``, the switch reads ``get_`` once, and turns to the
arguments of the one that was named.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton, Words
from maskc.runtime.link.automata.automaton_scans import AutomatonScans
from maskc.runtime.link.counts.pattern_counter import make_counting_piece
from maskc.runtime.link.counts.positions import CountedPattern
from maskc.runtime.link.joining.atoms import StopPiece, TokenPiece
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.pieces import Piece, RegularPiece, SchemaPiece
from maskc.runtime.link.joining.switching import Switch, SwitchPiece, Target
from maskc.runtime.link.plan.items import Constant, Item, Late
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece, Barring
from maskc.runtime.link.text.free_scans import FreeSwitch
from maskc.runtime.link.text.free_text import FreeText
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.markers import ATOM, Markers, Word
from maskc.runtime.link.text.name_scans import NamePiece, NameScans
from maskc.runtime.link.text.names import OtherName
from maskc.runtime.link.text.raw_body import RawBody
from maskc.runtime.link.text.raw_text import make_raw_piece

_MANY_IDS = 48  # have a mask of their own
_MOST_BYTES = 500_000  # of the words of a free text: 150 MB


class Keep(Protocol):
    """Finds again what was made."""

    def __call__(self, kind: str, key: Hashable, make: Callable[[], Any], /) -> Any:
        """Return what was made for a key, and make it if it is not there."""


class Composer:
    """Makes expressions of items.

    Args:
        joints: of the tokenizer.
        budget: what cached results are charged to.
        keep: finds pieces again.

    Attributes:
        joints, keep: these.
    """

    def __init__(self, joints: Joints, budget: Budget, keep: Keep) -> None:
        self.joints, self._budget, self.keep = joints, budget, keep

    def join(self, items: Iterable[Item]) -> Expression:
        """Return one item after the other."""
        return self.joints.sequence([self._expression(item) for item in items])

    def either(self, options: list[list[Item]]) -> Expression:
        """Return one of some lists of items; what they begin with alike is read once."""
        words: dict[Word, list[list[Item]]] = {}
        others: dict[Item, list[list[Item]]] = {}
        parts: list[Expression] = []
        for items in options:
            if not items:
                parts.append(self.joints.nothing)
            elif isinstance(items[0], Constant):
                for word in items[0].words:
                    words.setdefault(word, []).append(items[1:])
            else:
                others.setdefault(items[0], []).append(items[1:])
        if words:
            ordered = sorted(words)
            parts.append(self.switch(ordered, [partial(self.either, words[w]) for w in ordered]))
        for first, rests in others.items():
            rest = self.either(rests) if len(rests) > 1 else self.join(rests[0])
            parts.append(self.joints.sequence([self._expression(first), rest]))
        return self.joints.choice(parts)

    def _expression(self, item: Item) -> Expression:
        if isinstance(item, Late):
            return item.make()
        return self.constant(item) if isinstance(item, Constant) else item

    def constant(self, constant: Constant) -> Expression:
        """Return one of some words."""
        words = constant.words
        if len(words) == 1 and len(words[0]) == 1 and words[0][0] >= ATOM:
            return self.token(words[0][0] - ATOM)
        if all(symbol < ATOM for word in words for symbol in word):
            return self.words(sorted(map(bytes, words)))
        return self.either([[constant]])

    def words(self, texts: list[bytes]) -> Expression:
        """Return one of some texts, sorted and each once."""
        return self.leaf("words", tuple(texts), lambda: self._regular(Words(texts)))

    def switch(self, words: Sequence[Word], targets: Sequence[Target]) -> Expression:
        """Return one of some words, sorted and each once, and what each turns to."""
        switch = Switch(Markers(words, range(len(words))), self.joints, self._budget)
        return self.joints.leaf(SwitchPiece(switch, targets, loops=False))

    def automaton(self, automaton: ByteAutomaton[Any]) -> Expression:
        """Return the expression of an automaton."""
        return self.joints.leaf(self._regular(automaton))

    def other_name(self, names: Iterable[bytes]) -> Expression:
        """Return a name that is none of some."""
        joints = self.joints
        scanner, index, budget = joints.scanner, joints.index, self._budget
        listed = tuple(sorted(set(names)))
        plain: AutomatonScans = self.keep(
            "any_name", "", lambda: AutomatonScans(OtherName(()), scanner, index, budget)
        )

        def make() -> NamePiece:
            return NamePiece(NameScans(OtherName(listed), plain, scanner, index, budget))

        return self.leaf("other_name", listed, make)

    def counter(self, pattern: CountedPattern) -> Expression:
        """Return the expression of a pattern with counted loops."""
        joints = self.joints
        return joints.leaf(make_counting_piece(pattern, joints.scanner, joints.index, self._budget))

    def raw_text(self, body: RawBody) -> Expression:
        """Return the expression of a raw string."""
        joints = self.joints
        return joints.leaf(make_raw_piece(body, joints.scanner, joints.index, self._budget))

    def token(self, token_id: int) -> Expression:
        """Return one token."""
        return self.leaf("token", token_id, lambda: TokenPiece([token_id]))

    def tokens(self, key: Hashable, find: Callable[[], frozenset[int]]) -> Expression:
        """Return one of some tokens, at least one, which are found once for a key."""

        def make() -> TokenPiece:
            ids = find()
            if len(ids) <= _MANY_IDS:
                return TokenPiece(ids)
            return TokenPiece(ids, self.joints.index.pack(np.array(sorted(ids), dtype=np.int64)))

        return self.leaf("tokens", key, make)

    def stop(self, token_id: int) -> Expression:
        """Return the end of the sequence, by one of the tokens that end it."""
        return self.leaf("stop", token_id, lambda: StopPiece(token_id))

    def free_text(
        self,
        triggers: tuple[Word, ...],
        unused: tuple[Word, ...],
        barred: tuple[bytes, ...],
        targets: Sequence[Target],
        *,
        loops: bool,
    ) -> Expression:
        """Return free text up to one of some triggers, each with what it turns to.

        Args:
            triggers: sorted.
            unused: triggers that turn to nothing.
            barred: words that do not stand in the text.
            targets: of the triggers.
            loops: whether text is free again after a target.
        """
        switch = self._free(triggers, unused, barred)
        if triggers:
            return self.joints.leaf(SwitchPiece(switch, targets, loops=loops))
        key = (unused, barred)
        return self.leaf("any_text", key, lambda: SwitchPiece(switch, (), loops=False))

    def limited_text(
        self, barred: tuple[bytes, ...], max_tokens: int | None, max_characters: int | None
    ) -> Expression:
        """Return free text of at most so many tokens or characters, more than 0."""
        switch = self._free((), (), barred)

        def make() -> LimitedPiece:
            return LimitedPiece(
                switch, self._budget, max_tokens=max_tokens, max_characters=max_characters
            )

        return self.leaf("limited_text", (barred, max_tokens, max_characters), make)

    def barred_schema(self, piece: SchemaPiece, barred: tuple[bytes, ...]) -> Expression:
        """Return a JSON Schema in whose texts some words do not stand, at least one."""

        def make() -> Barring:
            text = self._free((), (), barred)
            assert isinstance(text, FreeSwitch)  # noqa: S101  # as it is made
            return Barring(text, barred, self._budget)

        barring: Barring = self.keep("barring", barred, make)
        key = (piece, barring)
        return self.leaf("barred_schema", key, lambda: BarredSchemaPiece(piece, barring))

    def _free(
        self, triggers: tuple[Word, ...], unused: tuple[Word, ...], barred: tuple[bytes, ...]
    ) -> Switch:
        """Return free text; the label of a trigger is its place among the sorted ones."""

        def make() -> Switch:
            check_words((*triggers, *unused, *barred))
            labels = dict.fromkeys(unused, NO_LABEL)
            labels.update((word, label) for label, word in enumerate(triggers))
            automaton = FreeText(labels, barred)
            if not labels and not barred:
                return Switch(automaton, self.joints, self._budget)
            return FreeSwitch(automaton, self._free((), (), ()), self.joints, self._budget)

        found: Switch = self.keep("free_text", (triggers, unused, barred), make)
        return found

    def leaf(self, kind: str, key: Hashable, make: Callable[[], Piece]) -> Expression:
        """Return the expression of a piece that is made once for a key."""
        return self.joints.leaf(self.keep(kind, key, make))

    def _regular(self, automaton: ByteAutomaton[Any]) -> Piece:
        joints = self.joints
        return RegularPiece(automaton, joints.scanner, joints.index, self._budget)


def check_words(words: Iterable[Sequence[int]]) -> None:
    """Refuse words of a free text that are too long, all of them together.

    Raises:
        LimitError: they are.
    """
    if sum(map(len, words)) > _MOST_BYTES:
        what = "bytes of triggers and of texts that are excluded"
        raise LimitError(what, _MOST_BYTES, "give fewer or shorter ones")
