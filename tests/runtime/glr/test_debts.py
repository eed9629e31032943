"""Reading stacks: what it finds, where stacks part, and what it costs."""

import pytest

from maskc import Artifact
from maskc.compiler.optimise.order import STEPS
from maskc.native import is_compiled
from maskc.runtime.glr.debts import DebtReader
from maskc.runtime.glr.gss import list_nodes
from tests.compiled import compile_text, legal_tokens

SETTINGS = {"parser": "earley"}
CALLS = 'start: call\ncall: "f" "(" [arg ("," arg)*] ")" | "x"\narg: call | "[" arg "]"\n'
# After n letters there are 2 ** n stacks, of which each has another end.
EITHER = 'start: x start "c" | y start "d" | "z"\nx: "a"\ny: "a"\n'


def reader_of(artifact):
    return artifact.machine.debts


def test_a_stack_that_agrees_as_far_as_it_is_read_needs_no_new_move():
    artifact = compile_text(CALLS, (b"f(", b"x", b")", b"))"), **SETTINGS)
    moves = reader_of(artifact)._edges
    legal_tokens(artifact, "f(f(f(x")
    n_moves = len(moves.generations.current)
    assert n_moves > 0
    legal_tokens(artifact, "f(f(f(f(f(x")
    assert len(moves.generations.current) == n_moves


@pytest.mark.skipif(is_compiled(), reason="a compiled method cannot be watched")
@pytest.mark.parametrize("step", STEPS)
def test_where_stacks_part_all_ways_are_read(step, monkeypatch):
    parted = []

    def watch(self, parting, found):
        parted.extend(len(list_nodes(stacks)) for stacks, _ in parting)
        read(self, parting, found)

    read = DebtReader._read_graph
    monkeypatch.setattr(DebtReader, "_read_graph", watch)
    # A node over two others: the letters before are x or y.
    tokens = (b"a", b"z", b"c", b"d", b"cd", b"dc", b"cdc", b"zc", b"zdd", b"zddd")
    artifact = compile_text(EITHER, tokens, step, **SETTINGS)
    assert legal_tokens(artifact, "aaz") == {b"c", b"d", b"cd", b"dc"}
    assert legal_tokens(artifact, "aaaz") == {b"c", b"d", b"cd", b"dc", b"cdc"}
    assert 2 in parted
    assert legal_tokens(artifact, "aa") == {b"a", b"z", b"zc", b"zdd"}
    assert legal_tokens(artifact, "aazc") == {b"c", b"d"}
    assert legal_tokens(artifact, "az") == {b"c", b"d"}
    assert legal_tokens(artifact, "z") == {None}


@pytest.mark.parametrize("step", [STEPS[0], STEPS[-1]])
def test_a_token_with_exponentially_many_readings_takes_few_moves(step):
    tokens = (b"a" * 60, b"a" * 40 + b"z", b"z" + b"cd" * 25, b"z" + b"d" * 61, b"z")
    artifact = compile_text(EITHER, tokens, step, **SETTINGS)
    assert legal_tokens(artifact) == {b"a" * 60, b"a" * 40 + b"z", b"z"}
    assert legal_tokens(artifact, b"a" * 60) == {
        b"a" * 60,
        b"a" * 40 + b"z",
        b"z",
        b"z" + b"cd" * 25,
    }
    reader = reader_of(artifact)
    assert len(reader._tops.generations.current) + len(reader._edges.generations.current) < 3_000


def test_a_token_of_thousands_of_terminals_is_read():
    token = b"(" * 1_200 + b")" * 1_199
    artifact = compile_text(
        'start: "(" start ")" | "(" ")"\n', (b"(", b")", token, b")" * 600), "raw", **SETTINGS
    )
    assert legal_tokens(artifact) == {b"(", token}
    assert legal_tokens(artifact, b"(" * 599) == {b"(", b")", token}
    assert legal_tokens(artifact, b"(" * 600) == {b"(", b")", token, b")" * 600}


@pytest.mark.parametrize("cache_bytes", [0, 3_000, 50_000])
def test_what_is_forgotten_is_read_again(cache_bytes):
    tokens = (b"f(", b"[", b"x", b")", b"))", b"]", b")]", b"])", b",")
    artifact = compile_text(CALLS, tokens, **SETTINGS)
    small = Artifact(artifact.contents, cache_bytes=cache_bytes)
    for text in ("f(", "f([x", "f(f(x", "f([f(x", "f(x,f(x", "f([f(x)]"):
        assert legal_tokens(small, text) == legal_tokens(artifact, text)
