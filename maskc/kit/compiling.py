"""The interface of what compiles a request's constraint, and the compiler in this process.

A kit asks its compiler for three things: the plan of a schema, the automaton of a pattern, the
artifact of a grammar. All else that it makes of them is done in the process that fills masks. So a
server can have a compiler that works in other processes, and a program one that works here.

The automaton of a regular expression is made when it is needed. The texts are those of
``re.fullmatch``. Only whether a text matches counts, not how, so a state is a set of the threads of
:mod:`maskc.regular.threads`: where the pattern may stand, and what it still owes. A state is made
when a text or a mask first asks for it.

Source: the subset construction (Rabin and Scott 1959, doi:10.1147/rd.32.0114), made lazily as in
Thompson 1968 (doi:10.1145/363347.363387).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from maskc.bounded import QUIET, run_bounded
from maskc.errors import GrammarError, LimitError
from maskc.frontends.notations import NAME, read_pattern
from maskc.jobs import SchemaJob
from maskc.limits import MEGABYTE, Limits
from maskc.regular.counted import count_loops
from maskc.regular.lookbehind import LookBehindState, LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.nodes import Accept, LookAround, SplitNode, targets_of
from maskc.regular.threads import Thread, ThreadList, ThreadStepper, hold_at_end
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata import MAX_MEGABYTES, ByteAutomaton
from maskc.runtime.link.counts import CountedPattern
from maskc.runtime.schema.plan import FrozenPlan
from maskc.runtime.schema.strings.characters import NO_LABEL, find_nearest
from maskc.runtime.step_budget import charge_steps
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

MAX_STATES = 50_000
_MOVE = 12  # steps of moving one thread by one byte class
# Bytes of memory, about, as tracemalloc counts them; a test compares.
_STATE_BYTES, _CLASS_BYTES, _THREAD_BYTES = 900, 25, 150

_State = tuple[LookBehindState, frozenset[Thread]]


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


class PatternAutomaton(ByteAutomaton[_State]):
    """Reads the texts that a pattern matches.

    Args:
        whole: the pattern, as :func:`maskc.frontends.notations.read_pattern` returns it.

    Raises:
        GrammarError: it matches no text.
        LimitError: it is too large.
        UnsupportedTerminalError: no automaton follows it.
    """

    def __init__(self, whole: str) -> None:
        nfa = Nfa()
        start = nfa.add_pattern("PATTERN", whole, 0, 0)
        self.n_nodes = len(nfa.nodes)  # of the automaton that the pattern is written out as
        self._threads = ThreadStepper(nfa)
        self._behinds = LookBehindStepper(self._threads)
        self._bytes_of: list[list[int]] = [[] for _ in range(self._threads.n_classes)]
        for byte, byte_class in enumerate(self._threads.byte_class.tolist()):
            self._bytes_of[byte_class].append(byte)
        self._leads_on = _find_leading(nfa)
        # The end of the text is the only thing that a plain pattern looks for.
        n_looks = sum(isinstance(node, LookAround) for node in nfa.nodes)
        # whether it looks at nothing around what it reads, so that each of its states is live; else
        # that is searched for, which can take long
        self.is_plain = n_looks <= 1 and not any(
            isinstance(node, SplitNode) and node.rivals for node in nfa.nodes
        )
        self._live: dict[_State, bool] = {}
        self._known: dict[_State, dict[int, _State]] = {}
        self._same: dict[_State, _State] = {}
        look_behind = self._behinds.start()
        first = self._keep(look_behind, self._threads.enter(start, look_behind.matched))
        if not self._is_live(first):
            raise GrammarError(NAME, "it matches no text at all; look for parts that contradict")
        super().__init__(first)

    def find_moves(self, name: _State) -> dict[int, _State]:
        return {
            byte: after
            for byte_class, after in self._step_all(name).items()
            if self._is_live(after)
            for byte in self._bytes_of[byte_class]
        }

    def is_accepting(self, name: _State) -> bool:
        return any(position < 0 and hold_at_end(obligations) for position, obligations in name[1])

    def _step_all(self, name: _State) -> dict[int, _State]:
        """Return byte class → the state after it, dead ones too if the pattern looks around."""
        found = self._known.get(name)
        if found is None:
            if len(self._known) >= MAX_STATES:
                raise LimitError(
                    "states in the pattern's automaton", MAX_STATES, "lower the counts in it", NAME
                )
            if self.n_bytes >= MAX_MEGABYTES * MEGABYTE:
                raise LimitError(
                    "MB of states of a pattern", MAX_MEGABYTES, "lower the counts in it", NAME
                )
            found = self._known[name] = self._find_steps(name)
            self.grow(_STATE_BYTES + _CLASS_BYTES * len(found) + _THREAD_BYTES * len(name[1]))
        return found

    def _find_steps(self, name: _State) -> dict[int, _State]:
        look_behind, threads = name
        moves = [self._threads.moves(position) for position, _ in threads if position >= 0]
        owing = any(obligations for position, obligations in threads if position >= 0)
        # Byte classes in which all threads do the same lead to the same.
        known: dict[object, _State] = {}
        found = {}
        charge_steps(_MOVE * sum(map(len, moves)))
        for byte_class in sorted(set().union(*moves)):
            after = self._behinds.step(look_behind, byte_class)
            # The stepper keeps its states: to hash one takes longer than all else here.
            targets = [move.get(byte_class) for move in moves]
            key = (id(after), byte_class if owing else 0, *targets)
            if key not in known:
                known[key] = self._keep(
                    after,
                    (
                        stepped
                        for thread in threads
                        if thread[0] >= 0
                        for stepped in self._threads.step_thread(thread, byte_class, after.matched)
                    ),
                )
            if known[key][1]:
                found[byte_class] = known[key]
        return found

    def _keep(self, look_behind: LookBehindState, threads: Iterable[Thread]) -> _State:
        kept = ThreadList()
        for position, obligations in threads:
            if position < 0 or self._leads_on[self._threads.follows(position)]:
                kept.append(position, obligations)
        name = look_behind, frozenset(kept.done())
        return self._same.setdefault(name, name)

    def _is_live(self, name: _State) -> bool:
        """Return whether some text leads to an accepting state: a search, once for each state."""
        if self.is_plain:
            return bool(name[1])
        found = self._live.get(name)
        if found is None:
            self._search(name)
            found = self._live[name]
        return found

    def _search(self, start: _State) -> None:
        """Find out whether a state is live; dead are all that a search in vain has seen."""
        before: dict[_State, _State | None] = {start: None}
        open_ = [start]
        while open_:
            here = open_.pop()
            if self._live.get(here) or self.is_accepting(here):
                state: _State | None = here
                while state is not None:
                    self._live[state] = True
                    state = before[state]
                return
            if self._live.get(here) is None:
                for after in self._step_all(here).values():
                    if after not in before:
                        before[after] = here
                        open_.append(after)
        self._live.update(dict.fromkeys(before, False))


def _find_leading(nfa: Nfa) -> list[bool]:
    """Return for each node whether an accepting one can be reached, whatever is looked for."""
    before: list[list[int]] = [[] for _ in nfa.nodes]
    for number, node in enumerate(nfa.nodes):
        for target in targets_of(node):
            before[target].append(number)
    ends = [0 if isinstance(node, Accept) else NO_LABEL for node in nfa.nodes]
    return [distance >= 0 for distance in find_nearest(before, ends)]
