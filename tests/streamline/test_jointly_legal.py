"""One sequence stands for all that are legal on the same stacks."""

from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.streamline.jointly_legal import merge_jointly_legal
from tests.languages import describe, rows_of, stages_of

NESTED = 'start: "a" start "b" | "c"\n'
TOKENS = (b"cbb", b"acbbb", b"c", b"a", b"b")


def sequences(step, parser):
    return {row[:2] for row in describe(stages_of(NESTED, TOKENS, parser=parser), step, TOKENS)}


def test_a_sequence_that_closes_what_it_opened_is_that_without_both():
    before = sequences("always legal", "earley")
    after = sequences("jointly legal", "earley")
    assert before - after == {("A", "A · C · B · B · open(B)")}
    assert after <= before


def test_the_table_of_an_lalr_grammar_says_the_same():
    after = sequences("jointly legal", "lalr")
    assert ("A", "A · C · B · B · open(B)") not in after
    assert {("A", "C · B · open(B)"), ("A", "C · B · B · open(B)")} <= after


def test_tokens_of_joined_rows_are_united():
    found = describe(stages_of(NESTED, TOKENS, parser="earley"), "jointly legal", TOKENS)
    assert ("A", "C · B · open(B)", "cbb acbbb") in found


def test_where_texts_of_the_productions_are_lost_they_are_not_asked():
    """Two NAMEs cannot be lexed apart, so the productions have texts that Lark never reads."""
    text = 'start: "a" start "b" | "c" | NAME NAME\nNAME: /[d-z]+/\n'
    stages = stages_of(text, TOKENS)
    rows = rows_of(stages, "always legal")
    boundaries = stages.language.lexed.boundaries
    verdicts = ProductionVerdicts(stages.decider.asked, boundaries, rows.sequences)
    kept = merge_jointly_legal(rows, verdicts)
    assert kept.sequence.tolist() == rows.sequence.tolist()
