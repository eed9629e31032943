import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.steps import ParserSteps

LIST = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n%ignore " "\n'
BLOCKS = """\
// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=4
// maskc: OPEN_PAREN_types=LP CLOSE_PAREN_types=RP
start: line+
line: WORD _NL (_INDENT line+ _DEDENT)? | LP WORD* RP _NL
WORD: /[a-z]+/
LP: "("
RP: ")"
_NL: /\\n[\\t ]*/
%ignore " "
%declare _INDENT _DEDENT
"""


def steps_of(text):
    return ParserSteps(build_lark(load_source(text)))


@pytest.fixture(scope="module")
def brackets():
    return steps_of(LIST)


@pytest.fixture(scope="module")
def blocks():
    return steps_of(BLOCKS)


def walk(steps, text):
    """Return the last state, and where it is."""
    *_, last = steps.walk(steps.start, text)
    return last


def test_a_text_is_read_lexeme_by_lexeme_up_to_the_one_that_is_refused(brackets):
    pairs = list(brackets.walk(brackets.start, "[ ab b]"))
    assert [position for _, position in pairs] == [0, 1, 2, 4, 5]
    assert pairs[1][0] == pairs[2][0]  # ignored: the parser stays


@pytest.mark.parametrize(("text", "parsed"), [("[a,b]", True), ("[a,b", False), ("[,]", False)])
def test_the_end_is_accepted_where_lark_accepts_it(brackets, text, parsed):
    assert brackets.parses(brackets.start, text, 0) == parsed


def test_a_parse_is_resumed_in_the_middle(brackets):
    state, position = walk(brackets, "[a,")
    assert brackets.parses(state, "[a,b]", position)
    assert brackets.can_go_on(state)
    assert not brackets.can_finish(state)


def test_indentation_opens_and_closes_blocks(blocks):
    assert walk(blocks, "a\n  b\n")[0].columns == (0,)
    assert walk(blocks, "a\n  b\n  ")[0].columns == (0, 2)
    assert blocks.parses(blocks.start, "a\n  b\n  ", 0)  # the end closes what is open
    assert not blocks.parses(blocks.start, "a\n  b\n c\n", 0)
    assert blocks.parses(blocks.start, "a\n\tb\n    c\n", 0)  # a tab is four columns


def test_no_line_ends_between_brackets_and_none_is_closed_too_many(blocks):
    assert walk(blocks, "(a\n   b")[0].parens == 1
    assert blocks.parses(blocks.start, "(a\n   b)\n", 0)
    assert walk(blocks, ")")[1] == 0
