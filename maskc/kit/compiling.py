"""The interface of what compiles a request's constraint, and the compiler in this process.

A kit asks its compiler for three things: the plan of a schema, the automaton of a pattern, the
artifact of a grammar. All else that it makes of them is done in the process that fills masks. So a
server can have a compiler that works in other processes, and a program one that works here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from maskc.bounded import QUIET, run_bounded
from maskc.frontends.notations import read_pattern
from maskc.jobs import SchemaJob
from maskc.kit.patterns import PatternAutomaton
from maskc.limits import Limits
from maskc.regular.counted import count_loops
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata.automaton import ByteAutomaton
from maskc.runtime.link.counts.positions import CountedPattern
from maskc.runtime.schema.plan.plan import FrozenPlan
from maskc.vocab.vocabulary import Vocabulary

# Characters of a grammar that a server may read itself, in a tenth of a second.
MAX_COUNTED_TEXT = 20_000
_FEW_CHARACTERS, _FEW_GROUPS, _FEW_COUNTS = 200, 8, 3
_MAY_GROW = re.compile(r"\(\?[^:]|\{[^}]*[0-9]{2}")  # it looks around, or counts to ten
# Keywords of schemas that take long to compile for their length; or two of these do together.
_COMBINING = (
    *("allOf", "anyOf", "oneOf", "not", "if", "contains", "uniqueItems", "pattern"),
    *("patternProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
    *("dependencies", "dependentRequired", "dependentSchemas"),
    *("$ref", "$dynamicRef", "$recursiveRef"),
)
# Each as marshal writes it: its length, then its characters.
_WRITTEN = {b"u" + len(word).to_bytes(4, "little") + word.encode(): word for word in _COMBINING}
_FIND = re.compile(b"|".join(map(re.escape, _WRITTEN)))
_ALONE = (set[bytes](), *({each} for each, word in _WRITTEN.items() if word in ("anyOf", "$ref")))
_FEW_OF_SCHEMA = 10_000  # bytes

# Of a pattern; its positions alone if its loops are counted.
Automaton = ByteAutomaton[Any] | CountedPattern
Compiled = Artifact | CountedPattern  # of a grammar, likewise


@dataclass(frozen=True, slots=True)
class GrammarOrder:
    """A grammar, and how it is meant."""

    dialect: str
    text: str
    settings: Mapping[str, Any]

    def describe(self) -> dict[str, Any]:
        return {"kind": "grammar", **asdict(self)}

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> GrammarOrder:
        return cls(described["dialect"], described["text"], described["settings"])


class Compiler(Protocol):
    """Compiles for a kit, each within limits; threads may share it.

    Each raises a ``MaskcError`` with one sentence where something cannot be compiled.
    """

    def plan(self, job: SchemaJob, limits: Limits, *, waits: bool = False) -> FrozenPlan:
        """Return the plan of a schema; where that pays, positions wait if they may."""

    def automaton(self, pattern: str, limits: Limits) -> Automaton:
        """Return the automaton of a pattern, or its positions if its loops are to be counted."""

    def artifact(self, order: GrammarOrder, limits: Limits) -> Compiled:
        """Return the artifact of a grammar, or its positions if its loops are to be counted."""

    def wait(self, turn: threading.Condition, is_over: Callable[[], bool]) -> None:
        """Wait until another thread has made something, with the lock of the condition held."""


class InProcess:
    """Compiles in the process and the thread that ask.

    Args:
        vocabulary: returns the tokens; it is asked only for a grammar.
    """

    def __init__(self, vocabulary: Callable[[], Vocabulary]) -> None:
        self._vocabulary = vocabulary

    def plan(self, job: SchemaJob, limits: Limits, *, waits: bool = False) -> FrozenPlan:
        def make() -> FrozenPlan:
            return job.plan(waits=waits)

        asked = job.asked
        if type(asked) is bytes and len(asked) <= _FEW_OF_SCHEMA:
            is_alone = not job.resources and not job.formats
            if is_alone and set(_FIND.findall(asked)) in _ALONE:
                return make()  # to watch the clock takes longer
        return run_bounded(make, limits, name="schema")

    def automaton(self, pattern: str, limits: Limits) -> PatternAutomaton | CountedPattern:
        """Return the automaton of a pattern, whose states are made when they are needed."""

        def make() -> PatternAutomaton | CountedPattern:
            with QUIET:
                whole = read_pattern(pattern)
                counted = count_loops(whole)
                return PatternAutomaton(whole) if counted is None else counted

        return make() if _is_small(pattern) else run_bounded(make, limits, name="<regex>")

    def artifact(self, order: GrammarOrder, limits: Limits) -> Compiled:
        from maskc.compiler.pipeline import compile_contents
        from maskc.frontends.notations import count_grammar
        from maskc.frontends.source import load_source

        def compile_it() -> Compiled:
            if not order.settings and len(order.text) <= MAX_COUNTED_TEXT:
                counted = count_grammar(order.dialect, order.text)
                if counted is not None:
                    return counted
            # What has a line break is no path.
            source = load_source(f"{order.text}\n", dialect=order.dialect, **order.settings)
            return Artifact(compile_contents(source, self._vocabulary(), None)[0])

        return run_bounded(compile_it, limits)

    def wait(self, turn: threading.Condition, is_over: Callable[[], bool]) -> None:
        turn.wait_for(is_over)


def compile_automaton(pattern: str, limits: Limits) -> PatternAutomaton:
    """Return the automaton of a pattern, its counts written out."""

    def make() -> PatternAutomaton:
        with QUIET:
            return PatternAutomaton(read_pattern(pattern))

    return make() if _is_small(pattern) else run_bounded(make, limits, name="<regex>")


def _is_small(pattern: str) -> bool:
    """Return whether to watch the clock takes longer than to compile a pattern."""
    return (
        len(pattern) <= _FEW_CHARACTERS
        and pattern.count("(") <= _FEW_GROUPS
        and pattern.count("{") <= _FEW_COUNTS
        and not _MAY_GROW.search(pattern)
    )
