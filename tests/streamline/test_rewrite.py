"""Sequences are mapped from their ends to their beginnings."""

from maskc.ids import DROPPED
from maskc.streamline.rewrite import after_terminals, rewrite
from tests.streamline.values import A, B, C, rows_of, sequence_of, tokens_of


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
