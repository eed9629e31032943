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
    state, position = steps.start, 0
    while position < len(text):
        after = steps.step(state, text, position)
        if after is None:
            return position
        state, position = after
    return state


def test_a_text_is_read_lexeme_by_lexeme(brackets):
    state, position = brackets.step(brackets.start, "[ ab", 0)
    assert position == 1
    state, position = brackets.step(state, "[ ab", 1)  # ignored: the parser stays
    assert position == 2
    assert brackets.step(state, "[ ab", 2)[1] == 4


def test_a_text_is_refused_at_the_lexeme_that_lark_refuses(brackets):
    assert walk(brackets, "[a b]") == 3


@pytest.mark.parametrize(("text", "parsed"), [("[a,b]", True), ("[a,b", False), ("[,]", False)])
def test_the_end_is_accepted_where_lark_accepts_it(brackets, text, parsed):
    assert brackets.parses(brackets.start, text, 0) == parsed


def test_a_parse_is_resumed_in_the_middle(brackets):
    state = walk(brackets, "[a,")
    assert brackets.parses(state, "[a,b]", 3)
    assert brackets.can_go_on(state)
    assert not brackets.can_finish(state)


def test_indentation_opens_and_closes_blocks(blocks):
    assert walk(blocks, "a\n  b\n").columns == (0,)
    assert walk(blocks, "a\n  b\n  ").columns == (0, 2)
    assert not blocks.parses(blocks.start, "a\n  b\n c\n", 0)
    assert blocks.parses(blocks.start, "a\n\tb\n    c\n", 0)  # a tab is four columns


def test_no_line_ends_between_brackets(blocks):
    assert walk(blocks, "(a\n   b").parens == 1
    assert blocks.parses(blocks.start, "(a\n   b)\n", 0)


def test_a_bracket_too_many_is_refused(blocks):
    assert walk(blocks, ")") == 0
