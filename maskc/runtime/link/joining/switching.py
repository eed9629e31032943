"""What comes next depends on what a piece has read: free text with triggers, one of some words.

A *switch* reads an automaton whose states may have labels. Where the state has one, the text turns
to the target of that label: an expression, made when it is first asked for, so that a request with
hundreds of tools compiles the schema of the one that is called. After it comes what follows the
switch; of a switch that loops, the switch again.

A *word* is a sequence of symbols: bytes, and tokens that are written as atoms, each as ``ATOM`` +
its id.

Example: a switch on ``<f>`` and ``<g>`` with free text around them reads ``so <f>``, and turns to
what a call of ``f`` is made of; after the call, text is free again. A switch on the words
``get_time"`` and ``get_weather"`` has the symbols ``t`` and ``w`` left after ``get_``.

Source: TagDispatch of XGrammar 2 (papers/xgrammar2.md, section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from maskc.runtime.link.automata import NO_LABEL, ByteAutomaton, Left, split_words
from maskc.runtime.link.automata.scanning import AutomatonScans
from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Expression, Rest
from maskc.runtime.link.joining.pieces import AutomatonPiece
from maskc.runtime.schema.tries.summary import Part

ATOM = 256

Word = tuple[int, ...]
Target = Callable[[], Expression]


class Markers(ByteAutomaton[Left]):
    """Reads one of some words of symbols, sorted, each once; it accepts nowhere.

    The number of a word is its label.
    """

    is_sparse = has_labels = True

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        super().__init__((0, len(words), 0))

    def only_text(self, state: int) -> bytes:
        """Return what is left of the word up to its first atom, if there is one word only."""
        low, high, depth = self._names[state]
        left: Word = self.words[low][depth:] if high - low == 1 else ()
        n_bytes = next((n for n, symbol in enumerate(left) if symbol >= ATOM), len(left))
        return bytes(left[:n_bytes])

    def after_only(self, state: int, text: bytes) -> int:
        low, high, depth = self._names[state]
        return self.state_of((low, high, depth + len(text)))

    def find_moves(self, name: Left) -> dict[int, Left]:
        return {s: left for s, left in split_words(self.words, name).items() if s < ATOM}

    def find_atoms(self, name: Left) -> dict[int, Left]:
        return {s - ATOM: left for s, left in split_words(self.words, name).items() if s >= ATOM}

    def is_accepting(self, name: Left) -> bool:  # noqa: ARG002  # what follows is a target
        return False

    def label_of(self, name: Left) -> int:
        low, _, depth = name
        return low if len(self.words[low]) == depth else NO_LABEL


class SwitchPiece(AutomatonPiece):
    """A piece that turns to the target of a label where its automaton has one."""

    has_turns = has_atoms = True

    def __init__(
        self,
        scans: AutomatonScans,
        boundaries: PieceBoundaries,
        targets: Sequence[Target],
        *,
        loops: bool,
    ) -> None:
        super().__init__(scans)
        self._boundaries = boundaries
        self._targets, self.n_targets, self.loops = targets, len(targets), loops
        self._found: dict[int, Expression] = {}

    def take(self, inner: int, token_id: int) -> Sequence[int]:
        after = self.automaton.atoms(inner).get(token_id)
        return () if after is None else (after,)

    def atoms(self, inner: int) -> Iterable[int]:
        return self.automaton.atoms(inner)

    def goes_on(self, inner: int) -> bool:
        automaton = self.automaton
        return bool(automaton.accepts(inner) or automaton.moves(inner) or automaton.atoms(inner))

    def turn(self, inner: int, rest: Rest) -> tuple[Rest, ...]:
        label = self.automaton.label(inner)
        return () if label == NO_LABEL else (self.after(label, rest),)

    def after(self, label: int, rest: Rest) -> Rest:
        """Return the target of a label, and the rest after it."""
        boundaries = self._boundaries
        if self.loops:
            rest = boundaries.rest(boundaries.as_expression(self), rest)
        return boundaries.rest(self.target(label), rest)

    def target(self, label: int) -> Expression:
        target = self._found.get(label)
        if target is None:
            target = self._found[label] = self._targets[label]()
        return target

    def legal(self, inner: int, rest: Rest) -> Part:
        scan = self._scans.scan(inner, rest.first_bytes)
        atoms = self.automaton.atoms(inner)
        boundaries = self._boundaries
        trie, parts = boundaries.index.tokens, [scan.part]
        if atoms:
            parts.append(Part(few=tuple(sorted(atoms))))
        if rest.expression is not None and len(scan.exits):
            parts.append(rest.walk(trie, scan.exits))
        turned = scan.by_label().items()
        parts += [self.after(label, rest).walk(trie, nodes) for label, nodes in turned]
        return parts[0] if len(parts) == 1 else boundaries.scanner.unite(parts)
