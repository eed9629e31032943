"""The pieces of a kit: made in the process that asks, each once, and damaged ones refused."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from maskc import formats
from maskc.errors import ArtifactError, BudgetError, GrammarError, MaskcError
from maskc.jobs import SchemaJob
from maskc.kit import compiling
from maskc.kit.compiling import GrammarOrder, InProcess
from maskc.kit.file import make_kit
from maskc.kit.making import Maker, SingleFlight
from maskc.limits import Limits
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from maskc.work.worker_queue import CancelledOrderError

ORDER = SchemaJob({"const": 1}, {}, JsonLayout(), True)


class Damaging:
    """A compiler whose plans are no plans."""

    def plan(self, _order, _limits):
        return FrozenPlan(b"\xc1")

    def wait(self, turn, is_over):
        turn.wait_for(is_over)


def make_maker(compiler=None):
    kit = make_kit(Vocabulary((b"a", b"1", None), (2,), "small"))
    return Maker(kit.tokens, 1 << 20, compiler, 1_000)


def test_a_piece_is_made_once():
    maker, made = make_maker(), []
    for _ in range(3):
        piece = maker.keep("kind", "key", lambda: made.append(1) or maker.words([b"a"]))
    assert made == [1]
    assert maker.keep("other", "key", lambda: "another") == "another"
    counts = maker.statistics()
    assert (counts["pieces_made"], counts["pieces_found"], counts["tokens"]) == (2, 2, 3)
    assert maker.link(maker.boundaries.as_expression(piece)).matcher().legal_tokens().tolist() == [
        0
    ]


def test_a_constraint_of_a_schema_is_its_machine():
    maker = make_maker()
    found = maker.schema(ORDER, Limits())
    assert found.matcher().legal_tokens().tolist() == [1]


def test_a_damaged_plan_is_refused():
    with pytest.raises(ArtifactError, match=r"is damaged: .*send the request again"):
        make_maker(Damaging()).plan(ORDER, Limits())


@pytest.fixture(scope="module")
def compiler():
    return InProcess(lambda: load_vocabulary("bytes"))


LINK = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}


@pytest.mark.parametrize(
    ("schema", "is_watched"),
    [
        ({"properties": {"a": {"type": "string"}}, "required": ["a"]}, False),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, False),
        (LINK, False),
        ({**LINK, "anyOf": [{"type": "null"}]}, True),
        ({"items": {"allOf": [{"type": "null"}]}}, True),
        ({"pattern": "a{1,99}b"}, True),
        ({"description": "x" * 10_000}, True),
        ({"default": (), "not": {"type": "null"}}, True),
        ('{"\\u0061llOf": [{"type": "null"}]}', True),
    ],
)
def test_only_a_schema_that_may_take_long_is_compiled_under_the_clock(
    monkeypatch, schema, is_watched
):
    watched = []

    def run(make, limits, *, name):  # noqa: ARG001
        watched.append(name)
        return make()

    monkeypatch.setattr(compiling, "run_bounded", run)
    monkeypatch.setattr(formats, "_registered", {})  # by other tests of this process
    InProcess(None).plan(SchemaJob(schema, {}, JsonLayout(), True), Limits())
    assert watched == ["schema"] * is_watched


def test_a_schema_becomes_a_plan(compiler):
    assert compiler.plan(SchemaJob({}, {}, JsonLayout(), True), Limits()).data.startswith(b"{")


def test_a_pattern_becomes_an_automaton(compiler):
    automaton = compiler.automaton("a+", Limits())
    assert list(automaton.moves(0)) == [97]
    assert automaton.n_nodes > 0


def test_a_grammar_becomes_an_artifact(compiler):
    made = compiler.artifact(GrammarOrder("lark", 'start: "a"', {}), Limits())
    assert made.matcher().accept_bytes(b"a")


def test_limits_are_kept(compiler):
    with pytest.raises(BudgetError):
        compiler.automaton("((a{1,500}){1,500}){1,500}(?!b)", Limits(seconds=0.05))


class Work:
    """Work that lets seven others come before it ends, the first times as it is told."""

    def __init__(self, *outcomes):
        self.outcomes, self.n_done = list(outcomes), 0

    def __call__(self):
        self.n_done += 1
        time.sleep(0.2)
        outcome = self.outcomes.pop(0) if self.outcomes else "made"
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def run_eight(work):
    flights = SingleFlight(lambda turn, is_over: turn.wait_for(is_over))

    def run(_):
        try:
            return flights.run("key", work)
        except MaskcError as error:
            return error

    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(run, range(8)))


@pytest.mark.parametrize("outcome", ["made", None])
def test_eight_threads_have_it_done_once(outcome):
    work = Work(outcome)
    assert run_eight(work) == [outcome] * 8
    assert work.n_done == 1


def test_an_error_of_the_one_is_that_of_all_and_each_has_its_own():
    work = Work(GrammarError("<lark>", "is none"))
    found = run_eight(work)
    assert [str(error) for error in found] == ["<lark>: is none"] * 8
    assert len(set(map(id, found))) == 8
    assert work.n_done == 1


def test_where_the_one_gives_up_the_next_one_does_it():
    work = Work(CancelledOrderError())
    found = run_eight(work)
    assert sorted(map(str, found))[:7] == ["made"] * 7
    assert work.n_done == 2


def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have():
    flights = SingleFlight(lambda turn, is_over: turn.wait_for(is_over))
    begun, may_end = threading.Event(), threading.Event()

    def work():
        begun.set()
        may_end.wait()

    thread = threading.Thread(target=flights.run, args=("key", work))
    thread.start()
    begun.wait()
    child = os.fork()
    if not child:
        os._exit(7 if flights.run("key", lambda: "child") == "child" else 0)
    may_end.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_eight_threads_that_ask_for_one_new_grammar_compile_it_once(monkeypatch):
    kit = make_kit(load_vocabulary("bytes"))
    n_compiled, compile_it = [], InProcess.artifact

    def artifact(*asked):
        n_compiled.append(1)
        return compile_it(*asked)

    monkeypatch.setattr(InProcess, "artifact", artifact)
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(kit.lark, ['start: "a" start | "b"'] * 8))
    assert len(n_compiled) == 1
    assert kit.statistics()["pieces_made"] == 1
    assert all(one.matcher().accept_bytes(b"aab") for one in made)
