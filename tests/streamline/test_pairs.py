"""Ends of sequences that are always legal pair by pair are cut off by the table."""

from maskc.streamline.pairs import decide_pairs
from tests.languages import rows_of, stages_of
from tests.pushdown.table_values import decisions_of


def sequences_after(text, tokens, x, **settings):
    """Return the sequences that are left after a terminal."""
    stages = stages_of(text, tokens, **settings)
    rows = rows_of(stages, "always legal")
    language = stages.language
    kept = decide_pairs(
        rows, decisions_of(language, rows.sequences), language.lexed.boundaries, language.table
    )
    names = language.lexed.grammar.bnf.terminals
    found = set()
    for first, sequence in zip(kept.first.tolist(), kept.sequence.tolist(), strict=True):
        if kept.events[first].terminal == names.index(x):
            terminals = []
            while kept.sequences.length[sequence]:
                terminals.append(names[kept.sequences.event[sequence].terminal])
                sequence = kept.sequences.rest[sequence]
            found.add(" ".join(terminals))
    return found


def test_ends_that_are_always_legal_are_cut_off_one_after_the_other():
    text = 'start: ("a" | "-")* "a"\n'
    tokens = (b"-", b"--", b"---", b"-a", b"--a")
    assert sequences_after(text, tokens, "MINUS") == {""}


def test_a_longer_sequence_loses_its_never_legal_beginning():
    text = 'start: "a" "b" | "b" "c" "d"\n'
    tokens = (b"a", b"b", b"bcd", b"bc", b"cd")
    assert sequences_after(text, tokens, "A", lexer="basic") == {""}


def test_a_sequence_that_the_stack_decides_stays_whole():
    text = 'start: "(" start ")" | "[" start "]" | "a"\n'
    tokens = (b"a", b"a)", b"a))", b"a)]")
    assert sequences_after(text, tokens, "LPAR") == {"", "A RPAR"}
