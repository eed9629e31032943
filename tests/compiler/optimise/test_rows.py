"""Rows that become equal become one; how sequences are rewritten, and rows counted."""

import numpy as np

from maskc.compiler.optimise import after_terminals, describe_rows, rewrite
from maskc.compiler.optimise.undecided import count_rows, count_sequences, percentiles
from maskc.compiler.pipeline import PATHS, build_language
from maskc.frontends.source import load_source
from maskc.ids import DROPPED
from maskc.vocab.trie import build_trie
from tests.compiler.optimise.values import A, B, C, rows_of, sequence_of, tokens_of
from tests.languages import rows_of as rows_of_stages
from tests.languages import stages_of


def test_a_rule_that_changes_nothing_leaves_the_rows():
    rows = rows_of([(2, A, (B, C), 1, (1,)), (2, A, (B,), 1, (2,))])
    kept = rewrite(rows, lambda asked: [sequence for _, sequence in asked])
    assert sorted(tokens_of(kept)) == sorted(tokens_of(rows))


def test_a_rule_is_asked_innermost_first_and_after_the_event_before():
    rows = rows_of([(2, A, (B, C), 1, (1,))])
    asked = []

    def rule(pairs):
        for before, sequence in pairs:
            asked.append((before.terminal, rows.sequences.length[sequence]))
        return [sequence for _, sequence in pairs]

    rewrite(rows, rule)
    assert asked == [(C, 0), (B, 1), (A, 2)]


def test_what_cannot_happen_takes_all_that_begin_with_it_away():
    rows = rows_of([(2, A, (B, C), 1, (1,)), (2, A, (B,), 1, (2,)), (2, B, (C,), 1, (3,))])
    no_c_after_b = after_terminals(
        lambda before, sequence: (
            DROPPED
            if before.terminal == B and rows.sequences.event[sequence].terminal == C
            else sequence
        )
    )
    assert tokens_of(rewrite(rows, no_c_after_b)) == [(2, A, [B], [2])]


def test_what_is_left_of_a_sequence_is_asked_about_again():
    rows = rows_of([(2, A, (B, C), 1, (1,)), (2, A, (), 7, (2,))])
    free = sequence_of(rows.sequences, (), 7)
    ends_in_c = sequence_of(rows.sequences, (C,), 1)
    b_alone = sequence_of(rows.sequences, (B,), 7)

    def decide(before, sequence):
        if before.terminal == B and sequence == ends_in_c:
            return free
        return free if before.terminal == A and sequence == b_alone else sequence

    assert tokens_of(rewrite(rows, after_terminals(decide))) == [(2, A, [], [1, 2])]


def test_after_nothing_and_after_what_is_ignored_nothing_is_decided():
    rows = rows_of([(0, 0, (), 1, (1,))])
    kept = rewrite(rows, after_terminals(lambda *_: DROPPED))
    assert len(kept) == 1


def test_raw_counts_each_closing_terminal_by_itself():
    stages = stages_of('start: "if" | NAME\nNAME: /[a-z]+/\n', (b"i", b"if"))
    rows, boundaries = rows_of_stages(stages, "raw"), stages.language.lexed.boundaries
    start = stages.language.lexed.scanner.start
    # Both tokens leave a lexeme that may become IF or NAME.
    assert count_rows(rows)[start] == 1
    assert count_sequences(rows, boundaries, None)[start] == 2
    assert count_sequences(rows, boundaries, None)[0] == 0


def test_percentiles_are_among_the_counts():
    found = percentiles([5, 1, 3])
    assert (found[0], found[50], found[100]) == (1, 3, 5)
    assert len(found) == 101
    assert set(found) == {1, 3, 5}


def test_no_counts_are_all_zero():
    assert set(percentiles([])) == {0}


def test_counts_are_those_of_a_plain_loop():
    stages = stages_of(
        'start: "a" start "b" | "c" | start "+" start\n', (b"a", b"ac", b"cb", b"b+")
    )
    rows = rows_of_stages(stages, "never legal")
    expected = []
    keys = list(zip(rows.first.tolist(), rows.sequence.tolist(), strict=True))
    for state, ends in enumerate(rows.ends_of):
        read = np.flatnonzero(np.isin(rows.source, [state, *ends])).tolist()
        expected.append(len({keys[row] for row in read}))
    assert count_rows(rows) == expected


def test_rows_are_described_by_the_terminals_that_most_of_them_complete():
    source = load_source('start: (A | "b")+\nA: "a"\n')
    language = build_language(source, PATHS["lalr"])
    raw = language.walk(build_trie([b"a", b"aa", b"ab", b"ba"]), lambda _: None)
    lexer = language.lexed.grammar.lexer
    said = "rows, most of them of terminal A and terminal B"
    assert describe_rows(raw, lexer) == f"pass streamline raw, {len(raw.row_path)} {said}"
