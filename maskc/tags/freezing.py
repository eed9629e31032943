"""What of an expression goes into an artifact? Its pieces and what joins them, as a plan.

What is made later at a request is made now: the targets of every switch, and every way to write a
parameter. An expression that leads back to itself is one node, so recursion ends.

Example: a choice of ``yes`` and ``no`` is the nodes ``words``, ``words`` and ``choice``.

The plan is read by :mod:`maskc.runtime.link.plan.plan`.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from maskc.artifact.model import Contents
from maskc.errors import LimitError
from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton, Words
from maskc.runtime.link.automata.tabled import tabulate
from maskc.runtime.link.counts.encoding import write_automaton, write_ranges, write_word
from maskc.runtime.link.counts.pattern_counter import PatternCounter
from maskc.runtime.link.counts.positions import write_counter
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    Leaf,
    Nothing,
    Repetition,
)
from maskc.runtime.link.joining.grammar_piece import MachinePiece
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    Piece,
    SchemaPiece,
    StopPiece,
    TokenPiece,
)
from maskc.runtime.link.joining.switching import ATOM, Markers, SwitchPiece, Word
from maskc.runtime.link.plan.composing import Constant, Item, Late
from maskc.runtime.link.plan.members import Members, Parameters
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.link.text.free_text import FreeText
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.names import OtherName
from maskc.runtime.link.text.raw_text import RawText
from maskc.runtime.schema.plan.plan import Plan

MOST_STATES = 20_000
Node = list[Any]


class Frozen(NamedTuple):
    """What was frozen.

    Attributes:
        plan: of :mod:`maskc.runtime.link.plan.plan`.
        grammars: the artifacts of the grammars in it.
        counts: of what is in the plan.
        atoms: the tokens that are named in it, as themselves and not by their bytes.
    """

    plan: bytes
    grammars: tuple[Contents, ...]
    counts: dict[str, int]
    atoms: frozenset[int]


def freeze(root: Expression) -> Frozen:
    """Return an expression as a plan: the same bytes for what was asked alike.

    Raises:
        LimitError: an automaton in it has too many states.
        GrammarError, SchemaError: a part that was left for later cannot be compiled.
    """
    freezer = _Freezer()
    number = freezer.number(root)
    freezer.finish()
    parts: dict[str, list[Any]] = {
        "automata": freezer.automata,
        "counters": freezer.counters,
        "nodes": freezer.nodes,
        "schemas": [list(key) for key in freezer.schemas],
        "tables": freezer.tables,
        "texts": freezer.texts,
    }
    plan = json.dumps({**parts, "root": number}, separators=(",", ":")).encode()
    counts = {name: len(part) for name, part in parts.items()}
    counts["grammars"] = len(freezer.grammars)
    counts["words"] = sum(len(node[1]) for node in freezer.nodes if node[0] == "words")
    return Frozen(plan, tuple(freezer.grammars), counts, frozenset(freezer.atoms))


class _Freezer:
    """Gives numbers to expressions, those that are entered at once before what they stand in."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.automata: list[list[Any]] = []
        self.counters: list[list[Any]] = []
        self.texts: list[list[Any]] = []
        self.tables: list[list[Any]] = []
        self.schemas: dict[tuple[str, ...], int] = {}
        self.grammars: list[Contents] = []
        self.atoms: set[int] = set()
        # The expressions are kept, as their addresses are their names.
        self._numbers: dict[int, tuple[int, Expression]] = {}
        self._tables: dict[int, tuple[int, Parameters]] = {}
        self._automata: dict[int, tuple[int, ByteAutomaton[Any]]] = {}
        self._counters: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._left: deque[Callable[[], None]] = deque()

    def number(self, expression: Expression) -> int:
        """Return the number of an expression."""
        found = self._numbers.get(id(expression))
        if found is None:
            node = self._freeze(expression)
            found = self._numbers[id(expression)] = (len(self.nodes), expression)
            self.nodes.append(node)
        return found[0]

    def finish(self) -> None:
        """Freeze what a text turns to later."""
        while self._left:
            self._left.popleft()()

    def _freeze(self, expression: Expression) -> Node:
        match expression:
            case Nothing():
                return ["nothing"]
            case Concatenation(parts=parts):
                return ["sequence", [self.number(part) for part in parts]]
            case Choice(parts=parts):
                return ["choice", [self.number(part) for part in parts]]
            case Repetition(body=body, low=low, high=high):
                return ["repeat", self.number(body), low, high]
            case Members(parameters=parameters, seen=0):
                return ["parameters", self._table(parameters)]
            case Leaf(piece=piece):
                return self._piece(piece)
        raise ValueError(f"{type(expression).__name__} is not frozen")

    def _piece(self, piece: Piece) -> Node:
        match piece:
            case SwitchPiece():
                return self._switch(piece)
            case AutomatonPiece(automaton=automaton):
                return self._automaton(automaton)
            case CountingPiece(automaton=PatternCounter(pattern=pattern)):
                entry = write_counter(pattern)
                return ["counter", self._add(self.counters, self._counters, str(entry), entry)]
            case CountingPiece(automaton=RawText(body=body)):
                barred = [word.decode("latin-1") for word in body.barred]
                return ["raw text", self._schema(body.plan), body.number, barred]
            case LimitedPiece(limits=limits):
                text = piece.automaton
                assert isinstance(text, FreeText)  # noqa: S101  # as it is made
                return ["limited text", self._text(text), *limits]
            case SchemaPiece(machine=machine):
                return ["schema", self._schema(machine.plan)]
            case BarredSchemaPiece(piece=inner, words=words):
                barred = [word.decode("latin-1") for word in words]
                return ["barred schema", self._schema(inner.machine.plan), barred]
            case MachinePiece(contents=contents):
                self.grammars.append(contents)
                return ["grammar", len(self.grammars) - 1]
            case TokenPiece(ids=ids):
                self.atoms |= ids if len(ids) == 1 else set()
                return ["tokens", write_ranges(ids)]
            case StopPiece(token_id=token):
                self.atoms.add(token)
                return ["stop", token]
        raise ValueError(f"{type(piece).__name__} is not frozen")

    def _switch(self, piece: SwitchPiece) -> Node:
        targets: list[int] = []
        self._left.append(lambda: targets.extend(self._targets(piece)))
        automaton = piece.automaton
        if isinstance(automaton, Markers):
            return ["switch", [self._word(word) for word in automaton.words], targets]
        assert isinstance(automaton, FreeText)  # noqa: S101  # there is no other
        return ["free text", self._text(automaton), targets, piece.loops]

    def _word(self, word: Word) -> str | list[str | int]:
        self.atoms.update(symbol - ATOM for symbol in word if symbol >= ATOM)
        return write_word(word)

    def _targets(self, piece: SwitchPiece) -> list[int]:
        return [self.number(piece.target(label)) for label in range(piece.n_targets)]

    def _text(self, text: FreeText) -> int:
        labels = text.triggers
        entry = [
            [self._word(word) for word in sorted(w for w in labels if labels[w] != NO_LABEL)],
            [self._word(word) for word in sorted(w for w in labels if labels[w] == NO_LABEL)],
            [word.decode("latin-1") for word in sorted(set(text.barred))],
        ]
        return self._add(self.texts, self._texts, json.dumps(entry), entry)

    def _add(self, parts: list[Any], known: dict[str, int], key: str, entry: Any) -> int:
        if key not in known:
            known[key] = len(parts)
            parts.append(entry)
        return known[key]

    def _automaton(self, automaton: ByteAutomaton[Any]) -> Node:
        match automaton:
            case Words(words=words):
                return ["words", [word.decode("latin-1") for word in words]]
            case OtherName(names=names):
                return ["name", [name.decode("latin-1") for name in names]]
        found = self._automata.get(id(automaton))
        if found is None:
            tables = tabulate(automaton, MOST_STATES)
            if tables is None:
                raise LimitError(
                    "states in an automaton of the artifact",
                    MOST_STATES,
                    "lower the counts in its pattern",
                )
            found = self._automata[id(automaton)] = (len(self.automata), automaton)
            self.automata.append(write_automaton(tables))
        return ["automaton", found[0]]

    def _schema(self, plan: Plan) -> int:
        key = (*plan.layout.to_dict().values(), plan.data.decode())
        return self.schemas.setdefault(key, len(self.schemas))

    def _table(self, parameters: Parameters) -> int:
        found = self._tables.get(id(parameters))
        if found is None:
            counts, ways = parameters.counts, list[Any]()
            found = self._tables[id(parameters)] = (len(self.tables), parameters)
            self.tables.append(
                [
                    counts.n_names,
                    _list_bits(counts.required),
                    _list_bits(counts.possible),
                    counts.low,
                    counts.high,
                    counts.is_ordered,
                    self.number(parameters.blanks),
                    ways,
                ]
            )
            self._left.append(lambda: ways.extend(self._ways(parameters)))
        return found[0]

    def _ways(self, parameters: Parameters) -> list[Any]:
        counts, found = parameters.counts, list[Any]()
        for number in range(counts.n_names):
            is_possible = counts.possible >> number & 1
            ways = parameters.ways(number) if is_possible else []
            found.append([[self._item(item) for item in way] for way in ways])
        others = parameters.ways(None) if counts.has_others else None
        found.append(others and [[self._item(item) for item in way] for way in others])
        return found

    def _item(self, item: Item) -> Any:
        match item:
            case Constant(words=words):
                return [self._word(word) for word in words]
            case Late(make=make):
                return self.number(make())
        assert isinstance(item, Expression)  # noqa: S101  # there is no other
        return self.number(item)


def _list_bits(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]
