"""How many rows are left to ask about on the stack at hand."""

from maskc.streamline.residue import describe_residue, format_sequence
from tests.languages import rows_of, stages_of
from tests.pushdown.table_values import decisions_of

BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'
TOKENS = (b"a", b"a)", b"a)))", b"a)])")


def stages():
    return stages_of(BRACKETS, TOKENS)


def test_the_residue_is_counted_by_source_and_state():
    found = stages()
    rows, language = rows_of(found, "jointly legal"), found.language
    decisions = decisions_of(language, rows.sequences)
    residue = describe_residue(
        rows,
        found.verdicts,
        decisions.states_after,
        language.lexed.boundaries,
        language.lexed.grammar.bnf.terminals,
    )
    assert residue["max"] == 1
    assert residue["examples"][0]["sequence"] == ["A", "RPAR", "RPAR", "open: RPAR"]
    assert residue["examples"][0]["why"].startswith("A RPAR RPAR uncovers states")


def test_a_sequence_is_named_with_what_stays_open():
    found = stages()
    rows, lexed = rows_of(found, "raw"), found.language.lexed
    names = {
        tuple(format_sequence(rows, s, lexed.boundaries, lexed.grammar.bnf.terminals))
        for s in rows.sequence.tolist()
    }
    assert ("RPAR", "RPAR", "open: RPAR") in names
    assert ("open: A",) in names
