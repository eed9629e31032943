"""Paths, sequences and lines have numbers; portions of a walk; a grammar without any text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.artifact.model import column_after
from maskc.compiler.pipeline import compile_contents
from maskc.compiler.rows import ParserEvent, Sequences, walk
from maskc.compiler.rows.paths import LalrRule, distinguish
from maskc.compiler.rows.seeds import walk_in_batches
from maskc.compiler.rows.steps import build_steps
from maskc.errors import GrammarError
from maskc.frontends.source import load_source
from maskc.ids import DROPPED, NO_LINE, SAME
from maskc.lexer.boundaries import PartialLexeme
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text, legal_tokens
from tests.languages import language_of, terminal


def ints(*values: int):
    return np.array(values, dtype=np.int32)


def paths_of(text):
    """Return the paths of a grammar, and terminal's name → an event with it."""
    language = language_of(text)
    lexed = language.lexed
    steps = build_steps(lexed.grammar.lexer, lexed.scanner)
    names = lexed.grammar.bnf.terminals
    events = {names[t]: i for i, (t, _, _) in enumerate(steps.events) if t >= 0}
    assert terminal(language, "A") >= 0
    return LalrRule(lexed.grammar, steps), events


def test_a_path_that_no_stack_takes_is_dropped():
    paths, event = paths_of('start: "a" "b" | "c"\n')
    (first,) = paths.extend(ints(0), ints(event["A"]), ints(0)).tolist()
    again = paths.extend(ints(first, first), ints(event["A"], event["A"]), ints(0, 0)).tolist()
    assert again == [DROPPED, DROPPED]


def test_an_operator_that_may_stand_on_both_sides_does_not_multiply_the_paths():
    # Each dash pair could be prefix or postfix if nobody asked the parser: 2 to the 20th paths.
    text = 'start: "--"* "x" ("--" | "->" "y")*\n'
    artifact = compile_text(text, (b"--" * 20, b"x" + b"--" * 20 + b"->y", b"->", b"x", b"y"))
    assert legal_tokens(artifact) == {b"--" * 20, b"x" + b"--" * 20 + b"->y", b"x"}
    assert legal_tokens(artifact, "x") == {b"--" * 20, b"->", None}


A, B = ParserEvent(1, 1, 0), ParserEvent(2, 1, 0)


def test_equal_sequences_have_one_number():
    sequences = Sequences([])
    end = sequences.open_to(0b1)
    assert sequences.open_to(0b1) == end
    assert sequences.extend(A, end) == sequences.extend(A, end)
    assert len(sequences) == 2


def test_what_stays_open_tells_sequences_apart():
    sequences = Sequences([])
    assert sequences.open_to(0b1) != sequences.open_to(0b10)
    number = sequences.number_open_lexeme(PartialLexeme(0b1, (), (), -1))
    assert sequences.close(number, 0) != sequences.close(number, -1)


numbers = st.one_of(st.integers(-3, 3), st.integers(-(1 << 31), (1 << 31) - 1))


@given(st.lists(st.tuples(numbers, numbers), max_size=40))
@example([])
@example([(0, -(1 << 31)), (0, (1 << 31) - 1)])
def test_lines_are_numbered_in_the_order_of_the_distinct_ones(lines):
    columns = np.array(lines, dtype=np.int64).reshape(-1, 2).T
    (ones, others), index = distinguish(*columns)
    distinct = sorted(set(lines))
    assert list(zip(ones.tolist(), others.tolist(), strict=True)) == distinct
    assert [distinct[n] for n in index.tolist()] == lines


def test_numbers_far_apart_are_numbered_as_those_close_together():
    far = np.array([1 << 40, 0, 1 << 40])
    (values,), index = distinguish(far)
    assert values.tolist() == [0, 1 << 40]
    assert index.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("of_each", "sizes"),
    [
        (1, [2, 4, 8, 10, 6]),  # at most twice as many as before, and no more than ten lines
        (5, [2, 2, 2]),
        (30, [1, 1, 1]),
    ],
)
def test_portions_aim_at_so_many_lines(of_each: int, sizes: list[int]) -> None:
    walked: list[int] = []
    done: list[float] = []
    n_starts = sum(sizes)

    def run(low: int, high: int) -> int | None:
        if (high - low) * of_each > 40:
            return None
        walked.extend(range(low, high))
        taken.append(high - low)
        return (high - low) * of_each

    taken: list[int] = []
    walk_in_batches(run, n_starts, 2, 10, done.append)
    assert taken == sizes
    assert walked == list(range(n_starts))
    assert done[-1] == 1.0


def test_a_token_may_complete_several_terminals():
    artifact = compile_text('start: "(" "a" ")" ";"\n', (b"(a);", b"(a", b");", b"(", b"a)"))
    assert legal_tokens(artifact) == {b"(a);", b"(a", b"("}
    assert legal_tokens(artifact, "(") == {b"a)"}
    assert legal_tokens(artifact, "(a") == {b");"}


def test_tokens_with_equal_bytes_are_legal_together():
    artifact = compile_text('start: "a"\n', (b"a", b"b", b"a"))
    assert {i for i in range(3) if artifact.token_bytes(i) in legal_tokens(artifact)} == {0, 2}


def test_a_column_change_is_absolute_after_a_line_break_and_relative_before():
    assert column_after(4, 8) == 8
    assert column_after(4, SAME) == 4
    assert column_after(4, SAME - 2) == 6
    assert column_after(NO_LINE, SAME - 2) == NO_LINE
    assert column_after(4, NO_LINE) == NO_LINE


def test_portions_that_come_to_too_many_lines_are_walked_in_smaller_ones(monkeypatch):
    """The limit is so low that only one start at a time stays below it."""
    text = 'start: (NAME | STRING | "(" | ")")+\nNAME: /[a-z]+/\nSTRING: /"[^"]*"/\n'
    tokens = tuple(bytes(pair) for pair in itertools.product(b'ab"()', repeat=3))
    prefixes = ("", "a", '"', "(a", '"a"')
    whole = compile_text(text, tokens)
    widths = []
    run = walk._Walk.run

    def record(self, low, high):
        widths.append(run(self, low, high))
        return widths[-1]

    monkeypatch.setattr(walk._Walk, "run", record)
    monkeypatch.setattr(LalrRule, "lines", 1)
    in_portions = compile_text(text, tokens)
    assert None in widths
    assert len([width for width in widths if width is not None]) > 5
    assert [legal_tokens(in_portions, p) for p in prefixes] == [
        legal_tokens(whole, p) for p in prefixes
    ]
    assert in_portions.content_hash == whole.content_hash


# FOO comes first wherever a text can begin, a blank before it or none; only between two B, where
# FOO may not come, could a B be lexed.
HIDDEN_B = 'B: "bb"\nFOO.2: "b"\nstart: FOO* B B\n%ignore / +/\n'
LOOKS_BACK = 'A: /(?<=b)a/\nB: "b"\nstart: A B\n'


@pytest.mark.parametrize(
    ("text", "lexer", "terminal"),
    [
        (HIDDEN_B, "contextual", "B (line 1)"),
        (LOOKS_BACK, "contextual", "A (line 1)"),
        (LOOKS_BACK, "basic", "A (line 1)"),
    ],
)
def test_what_a_text_must_begin_with_is_never_lexed_there(
    text: str, lexer: str, terminal: str
) -> None:
    with pytest.raises(GrammarError) as caught:
        compile_contents(load_source(text, lexer=lexer), load_vocabulary("bytes"), None)
    assert f"terminal {terminal} can never be lexed where a text begins" in str(caught.value)


def test_the_empty_text_is_a_text() -> None:
    source = load_source("start: A?\nA: /(?<=b)a/\n")
    compile_contents(source, load_vocabulary("bytes"), None)
