"""The stack is read as deep as a mask depends on it, and what was read is found again."""

import pytest

import maskc
from maskc import native
from maskc.runtime.lalr.masks import NEAR
from tests.compiled import compile_text, legal_ids, matcher_at

TOKENS = (b"(", b"x", b")", b"))", b")))", b"[", b"]")
BRACKETS = 'start: value\nvalue: "(" value ")" | "[" value "]" | "x"\n'


@pytest.fixture
def artifact():
    return compile_text(BRACKETS, TOKENS)


def count_readings(artifact, monkeypatch):
    """Return a list that grows by one with each state that has to be read for the first time."""
    readings, debts = [], artifact.machine._masks._debts
    for name in ("open", "read"):
        work = getattr(debts, name)
        monkeypatch.setattr(debts, name, lambda *a, work=work: readings.append(a) or work(*a))
    return readings


@pytest.mark.skipif(native.is_compiled(), reason="exchanges methods")
def test_a_mask_reads_no_deeper_than_its_tokens_go(artifact, monkeypatch):
    matcher = matcher_at(artifact, "((((((((x")
    readings = count_readings(artifact, monkeypatch)
    assert legal_ids(matcher, 8) == {2, 3, 4}
    assert 1 < len(readings) <= 4


@pytest.mark.skipif(native.is_compiled(), reason="exchanges methods")
def test_a_stack_of_known_parts_is_not_worked_out_anew(artifact, monkeypatch):
    for text in ("(((x", "([(x", "((x", "[(((x"):
        legal_ids(matcher_at(artifact, text), 8)
    readings = count_readings(artifact, monkeypatch)
    assert legal_ids(matcher_at(artifact, "[[[[(((x"), 8) == {2, 3, 4}
    assert legal_ids(matcher_at(artifact, "([([(((x"), 8) == {2, 3, 4}
    assert legal_ids(matcher_at(artifact, "[[[[(((((x"), 8) == {2, 3, 4}
    assert readings == []


@pytest.mark.parametrize("cache_bytes", [0, 20_000, 1 << 28])
def test_what_is_far_below_decides_however_little_is_cached(cache_bytes):
    """A chain that is reduced at once, with another bracket below it."""
    text = 'start: value\nvalue: "(" value ")" | "[" value "]" | "a" "^" value | "a"\n'
    tokens = (b"(", b"[", b"a", b"^", b")", b"]", b")]", b"])")
    contents = compile_text(text, tokens).contents
    artifact = maskc.Artifact(contents, cache_bytes=cache_bytes)
    for length in (1, 2, NEAR - 1, NEAR, NEAR + 1, 3 * NEAR):
        for before, legal in (("([", {3, 5, 7}), ("[(", {3, 4, 6}), ("((", {3, 4}), ("", {3, 8})):
            matcher = matcher_at(artifact, before)
            for _ in range(length):
                assert matcher.accept_bytes(b"a^")
                assert legal_ids(matcher, 9) == {0, 1, 2}
            assert matcher.accept_bytes(b"a")
            assert legal_ids(matcher, 9) == legal
            assert legal_ids(matcher.fork(), 9) == legal


LINES = """
start: line+
line: X _NL | "b" ":" _NL _INDENT line+ _DEDENT
X: "x"
_NL: /(\\n *)+/
%declare _INDENT _DEDENT
"""


@pytest.mark.skipif(native.is_compiled(), reason="exchanges methods")
def test_blocks_that_differ_in_nothing_that_matters_are_looked_at_once(monkeypatch):
    tokens = (b"b", b":", b"x", b"\n", b" ", b"\nx", b"\n  x")
    artifact = compile_text(LINES, tokens, postlex="tests.indenters:TwoColumns")
    looked, debts = [], artifact.machine._masks._debts
    work = debts.look_at_blocks
    monkeypatch.setattr(debts, "look_at_blocks", lambda *a: looked.append(a) or work(*a))
    legal = {}
    for text in ("b:\n  x", "b:\n    x", "b:\n      x"):
        legal[text] = legal_ids(matcher_at(artifact, text), 7), len(looked)
    # Two blanks go on with the first block, and belong to none of the others.
    assert legal["b:\n  x"] == ({3, 5, 6}, 1)
    assert legal["b:\n    x"] == legal["b:\n      x"] == ({3, 5}, 2)
