"""Which states can be on top after a terminal."""

from maskc.frontends.source import load_source
from maskc.ids import IGNORED
from maskc.lalr_path import build_language
from maskc.streamline.tops import make_lalr_tops

BLOCKS = """\
// maskc: postlex=lark.indenter:PythonIndenter
start: (NAME _NEWLINE | block)+
block: NAME ":" _NEWLINE _INDENT start _DEDENT
NAME: /[a-z]+/
_NEWLINE: /\\n[ \\t]*/
%declare _INDENT _DEDENT
"""


def tops_of(text):
    language = build_language(load_source(text))
    names = language.lexed.grammar.bnf.terminals
    return language.table, names, make_lalr_tops(language.table, language.lexed.grammar.lexer)


def test_after_a_terminal_its_shifts_lead_to_the_top():
    table, names, tops = tops_of('start: "a" start "b" | "c"\n')
    a = names.index("A")
    assert list(tops.list_states(a)) == sorted({row[a] for row in table.shifts if a in row})
    assert tops.live == table.live


def test_after_an_ignored_lexeme_any_state_may_be_on_top():
    table, _, tops = tops_of('start: "a" start "b" | "c"\n')
    assert list(tops.list_states(IGNORED)) == list(range(len(table.live)))


def test_after_a_newline_blocks_may_have_begun_or_ended():
    table, names, tops = tops_of(BLOCKS)
    newline, indent, dedent = map(names.index, ("_NEWLINE", "_INDENT", "_DEDENT"))
    expected = {row[t] for row in table.shifts for t in (newline, indent, dedent) if t in row}
    assert list(tops.list_states(newline)) == sorted(expected)
    assert expected > {row[newline] for row in table.shifts if newline in row}
