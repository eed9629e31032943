"""Makes what a kit's constraints consist of, each piece once.

A piece is found again by what it was asked for with: a schema's text, a pattern, the hash of an
artifact. All that is made and all masks share one budget in bytes and one pool.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from maskc.artifact.model import Contents
from maskc.bounded import run_bounded
from maskc.budget import open_budget
from maskc.errors import ArtifactError, MaskcError, SchemaError
from maskc.formats import EXACT_EMAIL, EXACT_HOST, n_registered
from maskc.jobs import SchemaJob
from maskc.kit.compiling import Automaton, Compiler, GrammarOrder, InProcess, PatternAutomaton
from maskc.kit.constraint import Constraint, KitTokens
from maskc.limits import Limits
from maskc.runtime import made_once
from maskc.runtime.artifact import Artifact, open_grammar
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.fields import PlanError
from maskc.runtime.holes import Given
from maskc.runtime.link.automata import Words
from maskc.runtime.link.counts import CountedPattern
from maskc.runtime.link.joining import LinkMachine, LinkResults, PieceBoundaries
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.runtime.link.joining.expressions import Expression, PieceExpression
from maskc.runtime.link.joining.machine_pieces import MachinePiece, SchemaPiece
from maskc.runtime.link.joining.pieces import AutomatonPiece, Piece
from maskc.runtime.link.plan import LinkOpener
from maskc.runtime.link.plan.composing import Composer, count_pattern
from maskc.runtime.machine import Machine
from maskc.runtime.pool import MaskPool
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.schema.plan import FrozenPlan, Plan
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.step_budget import USUAL_STEPS
from maskc.runtime.vocabulary import TOKEN_ARRAYS
from maskc.vocab.vocabulary import Vocabulary

Wait = Callable[[threading.Condition, Callable[[], bool]], None]


class _Flight:
    """Work that one thread does."""

    def __init__(self) -> None:
        self.is_over = False
        self.result: tuple[Any, ...] = ()
        self.error: MaskcError | None = None

    def has_landed(self) -> bool:
        return self.is_over


class SingleFlight:
    """Does work once for all threads that ask for it at the same time (single flight).

    Those that ask meanwhile wait, and get the result, or its error if the same input would meet
    that again. If the first thread gave up or met an error of the moment, the next one does it.
    Work inside other work that has a budget is done by each thread: the budget's exception may come
    anywhere, also where a thread tells the others that it is done.

    Args:
        wait: waits with a condition until a predicate holds, or raises; the condition is held.
    """

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self.begin_anew()
        _made_here.add(self)

    def begin_anew(self) -> None:
        """Forget what other threads do, which a forked process does not have."""
        self._turn = threading.Condition()
        self._flights: dict[Hashable, _Flight] = {}

    def run(self, key: Hashable, work: Callable[[], Any]) -> Any:
        """Return the result of the work, which is done here or by the thread that does it now."""
        if open_budget() is not None:
            return work()
        while True:
            with self._turn:
                flight, is_first = self._flights.get(key), False
                if flight is None:
                    flight, is_first = self._flights.setdefault(key, _Flight()), True
                else:
                    self._wait(self._turn, flight.has_landed)
            if is_first:
                return self._lead(key, flight, work)
            if flight.error is not None:
                # One of its own: each thread adds its traceback.
                raise type(flight.error)(*flight.error.args)
            if flight.result:
                return flight.result[0]

    def _lead(self, key: Hashable, flight: _Flight, work: Callable[[], Any]) -> Any:
        try:
            flight.result = (work(),)
        except MaskcError as error:
            if error.is_lasting:
                flight.error = error
            raise
        finally:
            with self._turn:
                flight.is_over = True
                self._flights.pop(key, None)
                self._turn.notify_all()
        return flight.result[0]


_made_here: weakref.WeakSet[SingleFlight] = weakref.WeakSet()


def _begin_anew() -> None:
    for made in list(_made_here):
        made.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


_SMALL_PLAN = 20_000  # bytes, which are read in 50 ms at the worst
# Bytes of memory, about, as tracemalloc counts them; a test compares.
_WORD, _PLAN_BYTE, _ARRAY_BYTE, _NODE, _POSITION = 60, 55, 4, 250, 450


class Maker:
    """Makes the pieces of one kit. Safe to use from any thread."""

    def __init__(
        self, tokens: KitTokens, cache_bytes: int, compiler: Compiler | None, steps: int
    ) -> None:
        self.tokens = tokens
        self._budget = Budget(cache_bytes * 3 // 8)
        tokens.index.shared.join(self._budget)
        self.pool = MaskPool(
            tokens.vocab_size, tokens.eos_ids, cache_bytes, steps=steps, budget=self._budget
        )
        self.boundaries = PieceBoundaries(tokens.index, self._budget)
        self._results = LinkResults(self.boundaries, self.pool, tokens.text_of)
        self._pieces = Cache(self._budget, _measure)
        self.composer = Composer(self.boundaries, self.keep)
        self._compiler = compiler or InProcess(lambda: self._vocabulary)
        self._flights = SingleFlight(self._compiler.wait)
        self._n_found = self._n_made = 0

    def keep(
        self, kind: str, key: Hashable, make: Callable[[], Any], limits: Limits | None = None
    ) -> Any:
        """Return what was made for a key, and make it if it does not exist."""
        name = (kind, key, n_registered())
        found = self._pieces.get(name)
        if found is None:
            found = self._flights.run((name, limits), lambda: self._make(name, make))
        else:
            self._n_found += 1
        return found

    def _make(self, name: tuple[str, Hashable, int], make: Callable[[], Any]) -> Any:
        found = self._pieces.get(name)  # another thread may have made it by now
        if found is None:
            found = make()
            self._n_made += 1
            self._pieces.put(name, found)
        return found

    def statistics(self) -> dict[str, int]:
        return {
            "pieces_made": self._n_made,
            "pieces_found": self._n_found,
            "masks": self.pool.n_numbered,
            "tokens": self.tokens.vocab_size,
        }

    def constrain(
        self, kind: str, asked: Hashable, make: Callable[[], Piece], limits: Limits | None = None
    ) -> Constraint:
        """Return the constraint of one piece; see :meth:`keep`."""
        return self.link(self.boundaries.as_expression(self.keep(kind, asked, make, limits)))

    def _constrain_json(self, piece: SchemaPiece, notes: tuple[str, ...] = ()) -> Constraint:
        def make() -> Expression:
            return self.boundaries.as_expression(piece)

        return Constraint(make, piece.machine, self.tokens, notes)

    def link(self, expression: Expression, notes: tuple[str, ...] = ()) -> Constraint:
        if isinstance(expression, PieceExpression) and isinstance(expression.piece, SchemaPiece):
            return self._constrain_json(expression.piece, notes)
        root = self.boundaries.rest(expression, self.boundaries.end)
        return Constraint(lambda: expression, LinkMachine(root, self._results), self.tokens, notes)

    def loose_schema(self, job: SchemaJob, limits: Limits) -> Constraint:
        """Return the constraint of a schema, or of the nearest larger one that can be compiled."""

        def loosen() -> tuple[SchemaJob, tuple[str, ...]]:
            return job.loosen(lambda larger: self.schema_piece(larger, limits), limits.seconds)

        def make() -> tuple[SchemaJob, tuple[str, ...]]:
            return run_bounded(loosen, limits, name="schema")

        larger, notes = self.keep("loose_schema", job.key, make, limits)
        return self._constrain_json(self.schema_piece(larger, limits), notes)

    def schema(self, job: SchemaJob, limits: Limits) -> Constraint:
        return self._constrain_json(self.schema_piece(job, limits))

    def schema_piece(self, job: SchemaJob, limits: Limits) -> SchemaPiece:
        """Return the piece of a schema."""
        make = partial(self._schema, job, limits)
        piece: SchemaPiece = self.keep("json_schema", job.key, make, limits)
        return piece

    def _schema(self, job: SchemaJob, limits: Limits) -> SchemaPiece:
        frozen = self._compiler.plan(job, limits, waits=True)
        plan = self._read_plan(frozen, job, limits)
        piece = SchemaPiece(MaskedSchemaMachine(plan, self.tokens.text_of, self._results.mixes))
        piece.n_bytes = _PLAN_BYTE * (len(job.asked) if frozen.grow else frozen.n_bytes)
        return piece

    def plan(self, job: SchemaJob, limits: Limits) -> Plan:
        return self._read_plan(self._compiler.plan(job, limits), job, limits)

    def _read_plan(self, frozen: FrozenPlan, job: SchemaJob, limits: Limits) -> Plan:

        def read() -> Plan:
            return Plan(frozen, job.layout, self._budget)

        try:
            # A second thread that looks at the clock costs more than to read a small plan.
            is_small = frozen.records is not None or frozen.n_bytes < _SMALL_PLAN
            plan = read() if is_small else run_bounded(read, limits, name="schema")
        except PlanError as error:
            raise ArtifactError(
                "<compiled>", f"is damaged: {error}", "send the request again"
            ) from None
        self._check_steps(plan)
        return plan

    def _check_steps(self, plan: Plan) -> None:
        """Refuse host names in Unicode, whose masks take tenths of a second, if steps are few."""
        is_bounded = self.pool.steps is not None and self.pool.steps < USUAL_STEPS
        custom = [rule for rule in plan.strings if isinstance(rule, CustomRule)]
        if is_bounded and any(rule.format in (EXACT_HOST, EXACT_EMAIL) for rule in custom):
            raise SchemaError(
                "",
                "format",
                "is idn-hostname-exact or idn-email-exact, whose masks hold up other requests",
                "compile the schema ahead of time with `maskc compile`, or leave -exact out",
            )

    def grammar(self, order: GrammarOrder, limits: Limits) -> Constraint:
        asked = repr((order.text, sorted(order.settings.items())))
        return self.constrain(order.dialect, asked, lambda: self._grammar(order, limits), limits)

    def _grammar(self, order: GrammarOrder, limits: Limits) -> Piece:
        made = self._compiler.artifact(order, limits)
        if not isinstance(made, Artifact):
            return self._regular(made)
        # What it remembers is the kit's, as requests bring ever new ones.
        piece = self.machine(made, made.open_machine(self._budget, self.pool))
        arrays = made.contents.arrays.items()
        n_bytes = sum(array.nbytes for name, array in arrays if name not in TOKEN_ARRAYS)
        piece.n_bytes = _ARRAY_BYTE * n_bytes
        return piece

    def regex(self, pattern: str, limits: Limits) -> Constraint:
        """Return the constraint of the texts that ``re.fullmatch`` takes."""

        def make() -> Piece:
            return self._regular(self._compiler.automaton(pattern, limits))

        return self.constrain("regex", pattern, make, limits)

    def words(self, words: list[bytes]) -> Piece:
        piece = self._regular(Words(words))
        piece.n_bytes = sum(map(len, words)) + _WORD * len(words)
        return piece

    def machine(self, artifact: Artifact, machine: Machine[Any]) -> MachinePiece:
        """Return the piece of a grammar or a schema, read by its machine or a narrowed one."""
        return MachinePiece(artifact.contents, machine, self.tokens.ends, self.boundaries.scanner)

    def open_link(self, contents: Contents) -> Expression:
        ends = self.tokens.ends
        return LinkOpener(contents, self.composer, self._results, ends, open_grammar).root()

    @made_once
    def _vocabulary(self) -> Vocabulary:
        texts = tuple(map(self.tokens.text_of, range(self.tokens.vocab_size)))
        return Vocabulary(texts, self.tokens.eos_ids, "kit")

    def _regular(self, automaton: Automaton) -> AutomatonPiece | CountingPiece:
        if isinstance(automaton, CountedPattern):
            counting = count_pattern(automaton, self.boundaries.scanner)
            counting.n_bytes = _POSITION * len(automaton.roots)
            return counting
        piece = self.boundaries.regular(automaton)
        if isinstance(automaton, PatternAutomaton):
            piece.n_bytes = _NODE * automaton.n_nodes
        return piece


class ArtifactConstraint(Constraint):
    """The texts of an artifact, whose terminals can be narrowed for one request."""

    def __init__(self, maker: Maker, artifact: Artifact, expression: Expression) -> None:
        made = maker.link(expression)
        super().__init__(lambda: expression, made.machine, made.tokens)
        self._maker, self._artifact = maker, artifact

    def bind(self, **holes: Given) -> Constraint:
        """Return the constraint with terminals narrowed; see :meth:`maskc.Artifact.bind`."""
        bound = self._artifact.bind(**holes)
        return self._maker.link(
            self._maker.boundaries.as_expression(self._maker.machine(self._artifact, bound.machine))
        )


def _measure(key: tuple[str, Hashable, int], made: Any) -> int:
    """Return the estimated bytes of a key, and of what was made for it as it is by now."""
    parts = key[1] if isinstance(key[1], tuple) else (key[1],)
    n_bytes = sum([2 * len(part) for part in parts if isinstance(part, bytes | str)])
    return 2_000 + n_bytes + int(getattr(made, "held_bytes", 0))
