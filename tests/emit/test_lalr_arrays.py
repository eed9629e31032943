"""A refined table and its indentation as arrays, read back."""

from maskc.emit.lalr_arrays import describe_layout, lalr_sections
from maskc.ids import NO_LOOKAHEAD
from tests.languages import stages_of

BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'
BLOCKS = """\
// maskc: postlex=lark.indenter:PythonIndenter
start: (NAME _NEWLINE | block)+
block: NAME ":" _NEWLINE _INDENT start _DEDENT
NAME: /[a-z]+/
_NEWLINE: /\\n[ \\t]*/
%declare _INDENT _DEDENT
"""


def sections_of(text):
    stages = stages_of(text, (b"a",))
    lexed, table = stages.language.lexed, stages.language.table
    open_lexemes = stages.rows[-1][1].sequences.open_lexemes
    arrays = lalr_sections(
        lexed.grammar,
        lexed.boundaries,
        lexed.columns,
        table,
        open_lexemes,
        stages.graph.profile_of,
    )
    return stages, arrays


def test_each_shift_is_read_back():
    stages, arrays = sections_of(BRACKETS)
    first = arrays["shift_first"].tolist()
    for state, row in enumerate(stages.language.table.shifts):
        here = slice(first[state], first[state + 1])
        pairs = zip(arrays["shift_terminal"][here], arrays["shift_state"][here], strict=True)
        assert dict(pairs) == dict(row)


def test_each_reduction_is_read_back():
    stages, arrays = sections_of(BRACKETS)
    first, sets = arrays["reduce_first"].tolist(), arrays["reduce_set_first"].tolist()
    for state, row in enumerate(stages.language.lexed.grammar.lalr.states):
        found = {
            terminal: production
            for place in range(first[state], first[state + 1])
            for production in [int(arrays["reduce_production"][place])]
            for number in [int(arrays["reduce_set"][place])]
            for terminal in arrays["reduce_set_terminal"][sets[number] : sets[number + 1]].tolist()
        }
        assert found == dict(row.reduces)


def test_without_indentation_nothing_counts_columns():
    stages, arrays = sections_of(BRACKETS)
    assert not len(arrays["final_newline"])
    assert set(arrays["indent_lookahead"].tolist()) == {NO_LOOKAHEAD}
    assert arrays["column_period"].shape == (0, 2)
    assert describe_layout(None, stages.language.lexed.boundaries) is None


def test_with_indentation_columns_repeat_inside_what_is_listed():
    stages, arrays = sections_of(BLOCKS)
    assert len(arrays["final_newline"])
    lengths = arrays["column_first"][1:] - arrays["column_first"][:-1]
    assert (arrays["column_period"].max(axis=1) <= lengths).all()
    lexed = stages.language.lexed
    layout = describe_layout(lexed.grammar.lexer.layout, lexed.boundaries)
    assert layout["newline"] == lexed.grammar.bnf.terminals.index("_NEWLINE")
    assert layout["tab_len"] == 8
