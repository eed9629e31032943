"""Freezes an expression for an artifact: its pieces and what joins them, as a plan.

What is made later at a request is made now: the targets of every switch, and every way to write a
parameter. An expression that leads back to itself is one node, so recursion ends.

The plan is read by :mod:`maskc.runtime.link.plan`.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from maskc.artifact.model import Contents
from maskc.errors import LimitError
from maskc.runtime.link.automata import ATOM, ByteAutomaton, Words, tabulate
from maskc.runtime.link.counts import CountedPattern
from maskc.runtime.link.counts.pattern_counter import PatternCounter
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    PieceExpression,
    Repetition,
)
from maskc.runtime.link.joining.machine_pieces import MachinePiece, SchemaPiece
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    Markers,
    Piece,
    StopPiece,
    SwitchPiece,
    TokenPiece,
    Word,
)
from maskc.runtime.link.plan.composing import (
    Alternatives,
    Constant,
    Item,
    Members,
    Parameters,
)
from maskc.runtime.link.plan.records import (
    AUTOMATON,
    COUNTER,
    TABLE,
    TEXT,
    FrozenTable,
    list_ranges,
    write_node,
)
from maskc.runtime.link.text import FreeText, FreeWords
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.raw_text import RawText
from maskc.runtime.link.text.without_words import ForbiddingSchemaPiece, OtherName
from maskc.runtime.schema.plan import Plan

MOST_STATES = 20_000
Node = tuple[str, list[Any]]  # its kind, and what follows it


class Frozen(NamedTuple):
    """A plan of :mod:`maskc.runtime.link.plan`, and the artifacts of the grammars in it."""

    plan: bytes
    grammars: tuple[Contents, ...]
    counts: dict[str, int]  # of what is in the plan
    atoms: frozenset[int]  # the tokens that are named in it, as themselves and not by their bytes


def freeze(root: Expression) -> Frozen:
    """Return an expression as a plan: the same bytes for what was asked alike.

    Raises:
        LimitError: an automaton in it has too many states.
        GrammarError, SchemaError: a part that was left for later cannot be compiled.
    """
    freezer = _Freezer()
    number = freezer.number(root)
    freezer.finish()
    nodes = freezer.nodes
    parts: dict[str, list[Any]] = {
        "automata": [AUTOMATON.write(tables) for _, tables in freezer.automata.values()],
        "counters": list(map(COUNTER.write, freezer.counters)),
        "nodes": [write_node(*node) for node in nodes],
        "schemas": [list(key) for key in freezer.schemas],
        "tables": [TABLE.write(table) for _, table in freezer.tables.values()],
        "texts": list(map(TEXT.write, freezer.texts)),
    }
    plan = json.dumps({**parts, "root": number}, separators=(",", ":")).encode()
    counts = {name: len(part) for name, part in parts.items()}
    counts["grammars"] = len(freezer.grammars)
    counts["words"] = sum(len(values[0]) for kind, values in nodes if kind == "words")
    return Frozen(plan, tuple(freezer.grammars), counts, frozenset(freezer.atoms))


class _Freezer:
    """Gives numbers to expressions, those that are entered at once before what they stand in."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.automata: dict[ByteAutomaton[Any], tuple[int, Mapping[str, Any]]] = {}
        self.counters: dict[CountedPattern, int] = {}
        self.texts: dict[FreeWords, int] = {}
        self.tables: dict[Parameters, tuple[int, FrozenTable]] = {}
        self.schemas: dict[tuple[str, ...], int] = {}
        self.grammars: list[Contents] = []
        self.atoms: set[int] = set()
        self._numbers: dict[Expression, int] = {}
        self._left: deque[Callable[[], None]] = deque()

    def number(self, expression: Expression) -> int:
        found = self._numbers.get(expression)
        if found is None:
            node = self._freeze(expression)
            found = self._numbers[expression] = len(self.nodes)
            self.nodes.append(node)
        return found

    def finish(self) -> None:
        while self._left:
            self._left.popleft()()

    def _freeze(self, expression: Expression) -> Node:
        match expression:
            case Concatenation(parts=()):
                return "nothing", []
            case Concatenation(parts=parts):
                return "sequence", [[self.number(part) for part in parts]]
            case Choice(parts=parts):
                return "choice", [[self.number(part) for part in parts]]
            case Repetition(body=body, low=low, high=high):
                return "repeat", [self.number(body), low, high]
            case Members(parameters=parameters, seen=0):
                kind = "separated" if parameters.separates else "parameters"
                return kind, [self._table(parameters)]
            case PieceExpression(piece=piece):
                return self._piece(piece)
        raise ValueError(f"{type(expression).__name__} is not frozen")

    def _piece(self, piece: Piece) -> Node:
        match piece:
            case SwitchPiece(automaton=Markers(words=words)):
                return "switch", [self._note(words), self._targets(piece)]
            case SwitchPiece(automaton=FreeText() as text, loops=loops):
                return "free text", [self._text(text), self._targets(piece), loops]
            case AutomatonPiece(automaton=Words(words=texts)):
                return "words", [texts]
            case AutomatonPiece(automaton=OtherName(names=names)):
                return "name", [names]
            case AutomatonPiece(automaton=automaton):
                return "automaton", [self._automaton(automaton)]
            case CountingPiece(automaton=PatternCounter(pattern=pattern)):
                return "counter", [self.counters.setdefault(pattern, len(self.counters))]
            case CountingPiece(automaton=RawText(string=string)):
                fields = [self._schema(string.plan), string.number, string.forbidden]
                quoted = "quoted text", [*fields, string.quote]
                return quoted if string.quote else ("raw text", fields)
            case LimitedPiece(automaton=FreeText() as text, limits=limits):
                return "limited text", [self._text(text), *limits]
            case SchemaPiece(machine=machine):
                return "schema", [self._schema(machine.plan)]
            case ForbiddingSchemaPiece(piece=inner, words=forbidden):
                return "barred schema", [self._schema(inner.machine.plan), forbidden]
            case MachinePiece(contents=contents):
                self.grammars.append(contents)
                return "grammar", [len(self.grammars) - 1]
            case TokenPiece(ids=ids):
                self.atoms |= ids if len(ids) == 1 else set()
                return "tokens", [list_ranges(ids)]
            case StopPiece(token_id=token):
                self.atoms.add(token)
                return "stop", [token]
        raise ValueError(f"{type(piece).__name__} is not frozen")

    def _note(self, words: Sequence[Word]) -> tuple[Word, ...]:
        self.atoms.update(symbol - ATOM for word in words for symbol in word if symbol >= ATOM)
        return tuple(words)

    def _targets(self, piece: SwitchPiece) -> list[int]:
        """Return the targets of a switch, which are frozen later."""
        targets: list[int] = []

        def freeze() -> None:
            targets.extend(self.number(piece.target(n)) for n in range(piece.n_targets))

        self._left.append(freeze)
        return targets

    def _text(self, text: FreeText) -> int:
        words = text.words
        self._note((*words.triggers, *words.unused))
        return self.texts.setdefault(words, len(self.texts))

    def _automaton(self, automaton: ByteAutomaton[Any]) -> int:
        if automaton not in self.automata:
            tables = tabulate(automaton, MOST_STATES)
            if tables is None:
                raise LimitError(
                    "states in an automaton of the artifact",
                    MOST_STATES,
                    "lower the counts in its pattern",
                )
            self.automata[automaton] = len(self.automata), tables
        return self.automata[automaton][0]

    def _schema(self, plan: Plan) -> int:
        layout = plan.layout  # the digits are in the plan
        choices = layout.key_order, layout.blanks, layout.escapes, layout.numbers
        key = (*choices, plan.data.decode())
        return self.schemas.setdefault(key, len(self.schemas))

    def _table(self, parameters: Parameters) -> int:
        if parameters not in self.tables:
            alternatives = list[Any]()
            table = FrozenTable(parameters.counts, self.number(parameters.blanks), alternatives)
            self.tables[parameters] = len(self.tables), table
            self._left.append(lambda: alternatives.extend(self._alternatives(parameters)))
        return self.tables[parameters][0]

    def _alternatives(self, parameters: Parameters) -> list[Any]:
        counts, found = parameters.counts, list[Any]()
        for number in range(counts.n_names):
            is_possible = counts.possible >> number & 1
            found.append(self._items(parameters.alternatives(number) if is_possible else []))
        found.append(self._items(parameters.alternatives(None)) if counts.has_others else None)
        return found

    def _items(self, alternatives: Alternatives) -> list[list[int | list[Word]]]:
        return [[self._item(item) for item in alternative] for alternative in alternatives]

    def _item(self, item: Item) -> int | list[Word]:
        if isinstance(item, Constant):
            return list(self._note(item.words))
        return self.number(item if isinstance(item, Expression) else item())
