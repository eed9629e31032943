"""What another process compiles is what this one would have."""

import gc
import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from hashlib import sha256

import pytest

from maskc.errors import ArtifactError, BudgetError, SchemaError
from maskc.frontends.notations import read_pattern
from maskc.integrations.compile_pool import OtherProcess, holding
from maskc.integrations.compile_worker import pack
from maskc.kit.compiling import PatternAutomaton
from maskc.kit.file import make_kit
from maskc.kit.kit import REQUEST_LIMITS
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link.automata import TabledAutomaton, tabulate
from maskc.vocab import load_vocabulary
from maskc.work.worker_queue import BusyError, CancelledOrderError, Request, WorkerDiedError

PATTERN = r"(?i:[a-c]{2,5})-\d+(?!.)"


@pytest.fixture(scope="module")
def vocabulary():
    return load_vocabulary("bytes")


@pytest.fixture(scope="module")
def compiler(vocabulary):
    made = OtherProcess(vocabulary)
    yield made
    made.close()


@pytest.fixture(scope="module")
def kits(vocabulary, compiler):
    return make_kit(vocabulary, compiler=compiler), make_kit(vocabulary)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda kit: kit.json_schema({"anyOf": [{"type": "integer"}, {"const": "x"}]}), '"x"'),
        (lambda kit: kit.json_schema('{"pattern": "^a+$", "type": "string"}'), '"aa"'),
        (lambda kit: kit.json_schema('{"type": "boolean"}'), "true"),
        (lambda kit: kit.regex(PATTERN), "aB-12"),
        (lambda kit: kit.regex("(a|b)*a(a|b){40}"), "ab" * 30),
        (lambda kit: kit.regex("[ab]{2}"), "ab"),
        (lambda kit: kit.gbnf('root ::= "a" root | "b"'), "aab"),
        (lambda kit: kit.gbnf('root ::= [a-z]{1,65536} ";"'), "abc;"),
        (lambda kit: kit.lark('start: "a" start | "b"'), "aab"),
        (lambda kit: kit.lark('start: start start | "b"', parser="earley"), "bbb"),
    ],
)
def test_masks_are_those_of_one_process(make, text, kits):
    matchers = [make(kit).matcher() for kit in kits]
    masks = [allocate_bitmask(1, kits[0].vocab_size) for _ in kits]
    for byte in text.encode():
        for matcher, mask in zip(matchers, masks, strict=True):
            matcher.fill_bitmask(mask, 0)
            assert matcher.accept_bytes(bytes([byte]))
        assert (masks[0] == masks[1]).all()
    assert matchers[0].is_accepting == matchers[1].is_accepting


def test_few_states_come_as_tables(compiler):
    assert isinstance(compiler.automaton(PATTERN, REQUEST_LIMITS), TabledAutomaton)


ENDLESS = "((a{1,500}){1,500}){1,500}(?!b)"
GRAMMAR = {"kind": "grammar", "dialect": "gbnf", "text": "", "settings": {}}


@pytest.fixture
def asked(compiler, monkeypatch):
    """Return the processes that are asked in a test, with seconds, where each takes too long."""
    found = []

    def refuse(name):
        def ask(data, _request, *, patience, yields):
            seconds = json.loads(data)["limits"][0]
            assert patience == 20 * max(1, seconds)
            found.append((name, seconds, round(yields, 2)))
            raise BudgetError("seconds of processor time", seconds, "simplify it")

        return ask

    for name in ("quick", "slow"):
        monkeypatch.setattr(getattr(compiler.processes, name), "ask", refuse(name))
    return found


def test_what_takes_longer_begins_anew_in_the_next_process(compiler, asked):
    with pytest.raises(BudgetError, match="more than 5 seconds"):
        compiler.automaton(ENDLESS, REQUEST_LIMITS)
    assert asked == [("quick", 0.3, 0.03), ("slow", 2.0, 0.03), ("slow", 5.0, 10.0)]


def test_what_is_longer_lets_what_is_shorter_go_ahead(compiler, asked):
    with pytest.raises(BudgetError):
        compiler._order(GRAMMAR | {"text": "1" * 2000}, replace(REQUEST_LIMITS, seconds=1.0))
    assert asked == [("quick", 0.3, 4.0), ("slow", 1.0, 10.0)]


def test_what_is_too_long_to_be_quick_begins_in_the_slow_process(compiler, asked):
    limits = replace(REQUEST_LIMITS, seconds=1.0)
    for kind, most in {"grammar": 5_000, "pattern": 5_000, "schema": 200_000}.items():
        for length in (most, most + 1):
            with pytest.raises(BudgetError):
                compiler._order({"kind": kind, "text": "4" * length}, limits)
    assert [name for name, *_ in asked] == ["quick", "slow", "slow"] * 3


def test_what_was_refused_a_moment_ago_is_refused_without_being_compiled(compiler, asked):
    for _ in range(3):
        with pytest.raises(BudgetError, match=r"more than 0\.05 seconds"):
            compiler._order(GRAMMAR | {"text": "2"}, replace(REQUEST_LIMITS, seconds=0.05))
    assert asked == [("slow", 0.05, 10.0)]
    with pytest.raises(BudgetError, match=r"more than 0\.06 seconds"):
        compiler._order(GRAMMAR | {"text": "2"}, replace(REQUEST_LIMITS, seconds=0.06))


@pytest.mark.parametrize("error", [BusyError("requests", 64, "later"), WorkerDiedError(1)])
def test_what_was_not_looked_at_is_not_remembered(compiler, monkeypatch, error):
    n_asked = 0

    def ask(*_, **__):
        nonlocal n_asked
        n_asked += 1
        raise error

    monkeypatch.setattr(compiler.processes.quick, "ask", ask)
    for _ in range(2):
        with pytest.raises(type(error)):
            compiler._order(GRAMMAR | {"text": "3"}, REQUEST_LIMITS)
    assert n_asked == 2


def test_a_schema_that_is_no_json_is_refused_here(kits):
    with pytest.raises(SchemaError):
        kits[0].json_schema({"const": {1}})


@pytest.mark.parametrize(
    "values",
    [
        [sha256(bytes([i])).hexdigest() * 2 for i in range(250)],
        [int(sha256(bytes([i, j])).hexdigest()[:9], 16) for i in range(200) for j in range(50)],
    ],
    ids=["words", "numbers"],
)
def test_a_large_enum_is_served(kits, values):
    matchers = [kit.json_schema({"enum": values}).matcher() for kit in kits]
    for value in values[:100]:
        text = json.dumps(value).encode()
        assert [matcher.fork().accept_bytes(text) for matcher in matchers] == [True, True]
    assert not matchers[0].accept_bytes(b"7e")


def test_a_damaged_answer_is_an_error(compiler, kits, monkeypatch):
    monkeypatch.setattr(compiler, "_ask", lambda *_: b"nothing")
    with pytest.raises(ArtifactError):
        kits[0].regex("(?:damaged)")
    with pytest.raises(ArtifactError):
        kits[0].gbnf('root ::= "damaged"')


def test_tables_that_lead_nowhere_are_an_error(compiler, kits, monkeypatch):
    tables = tabulate(PatternAutomaton(read_pattern("abc")), 100)
    data = pack({}, {**tables, "after": tables["after"] + 9})
    monkeypatch.setattr(compiler, "_ask", lambda *_: data)
    with pytest.raises(ArtifactError, match="a state that is not there"):
        kits[0].regex("(?:forged)")


def test_a_request_that_was_given_up_is_not_worked_on(compiler):
    request = Request()
    request.cancel()
    with holding(request), pytest.raises(CancelledOrderError):
        compiler.automaton("(?:cancelled)", REQUEST_LIMITS)


def test_a_compiler_that_nobody_holds_ends_its_process(vocabulary):
    made = OtherProcess(vocabulary)
    server = made.processes._server
    del made
    gc.collect()
    assert not server.is_alive


def test_a_program_ends_with_its_processes():
    program = """
import json
from maskc.integrations.compile_pool import OtherProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.vocab import load_vocabulary
made = OtherProcess(load_vocabulary("bytes"))
made.automaton("(?:a)", REQUEST_LIMITS)
print(json.dumps(made.processes._server.process.pid))
"""
    found = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert (found.returncode, found.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(json.loads(found.stdout), 0)


@pytest.mark.costly
def test_a_forked_process_has_compiling_processes_of_its_own():
    program = """
import os
from maskc.integrations.compile_pool import OtherProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.vocab import load_vocabulary
made = OtherProcess(load_vocabulary("bytes"))
def reads(word):
    automaton = made.automaton(f"(?:{word})(?!.)", REQUEST_LIMITS)
    return sorted({move for move in automaton.find_moves(0)})
reads("z")
ours = made.processes.quick.worker.pid
child = os.fork()
letters = "abcdefgh" if child else "ABCDEFGH"
print(all(ord(letter) in reads(letter) for letter in letters), flush=True)
if not child:
    print(made.processes.quick.worker.pid == ours, flush=True)
    made.close()
    os._exit(0)
os.waitpid(child, 0)
print(made.processes.quick.worker.pid == ours)
"""
    found = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert sorted(found.stdout.split()) == ["False", "True", "True", "True"]


def test_who_waits_for_what_another_thread_compiles_can_give_up(compiler):
    turn, request = threading.Condition(), Request()
    threading.Timer(0.1, request.cancel).start()
    with holding(request), turn, pytest.raises(CancelledOrderError):
        compiler.wait(turn, lambda: False)
    with holding(Request(0.01)), turn, pytest.raises(BusyError):
        compiler.wait(turn, lambda: False)
    with holding(request), turn:
        compiler.wait(turn, lambda: True)
