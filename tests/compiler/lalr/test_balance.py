"""Blocks and brackets come in pairs, or the grammar is refused."""

import pytest

from maskc.compiler.lalr.balance import find_bracket_depths
from maskc.errors import PostlexError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source

TERMINALS = 'A: "a"\nLP: "("\nRP: ")"\n_NL: /\\n */\n%declare _INDENT _DEDENT\n%ignore " "\n'


def grammar_of(rules):
    source = load_source(f"{rules}\n{TERMINALS}", postlex="tests.indenters:TwoColumns")
    return load_grammar(source)[0]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("start: _NL _INDENT A", "INDENT and DEDENT do not come in pairs"),
        (
            "start: x+\nx: _NL _INDENT A | _NL A _DEDENT",
            "of rule x: it leaves different numbers of INDENT",
        ),
        (
            "start: (A _NL | A _NL _INDENT)+",
            r"of rule start, in its \(A _NL \| A _NL _INDENT\)\+: it leaves",
        ),
        ("start: (A _NL _DEDENT?)+ _DEDENT*", "of rule start: before its _DEDENT\\* more blocks"),
        ("start: x+ _DEDENT*\nx: A _NL _INDENT? y\ny: A _NL | y _DEDENT", "more blocks can be"),
        ("start: x _DEDENT*\nx: x A _DEDENT | A _NL _INDENT", "more blocks can be closed"),
        ("start: LP A", "brackets do not come in pairs"),
        ("start: RP LP", "brackets do not come in pairs"),
        ("start: LP x RP\nx: A _NL", "it needs _NL between brackets"),
    ],
)
def test_blocks_and_brackets_that_do_not_pair_up_are_refused(rules, message):
    with pytest.raises(PostlexError, match=message):
        find_bracket_depths(grammar_of(rules))


def test_blocks_may_stay_open_where_the_start_rule_closes_them():
    rules = "start: x x _DEDENT*\nx: A _NL _INDENT | A _NL | A _NL _INDENT A _NL _DEDENT"
    assert find_bracket_depths(grammar_of(rules)).most == 0


def test_a_conflict_over_the_end_is_no_place_for_open_blocks():
    rules = "start: x _DEDENT*\nx: A _NL _INDENT | A _NL _INDENT _DEDENT"
    with pytest.raises(PostlexError, match="of rule x: Lark drops its reduction on _DEDENT"):
        find_bracket_depths(grammar_of(rules))


def test_a_rule_that_opens_and_one_that_closes_are_a_pair():
    grammar = grammar_of("start: open A close\nopen: LP\nclose: RP")
    depths = find_bracket_depths(grammar)
    found = {
        (grammar.bnf.nonterminals[grammar.bnf.productions[production].lhs], dot): depth
        for (production, dot), depth in depths.of_item.items()
    }
    assert found == {("open", 1): 1, ("start", 1): 1, ("start", 2): 1, ("close", 1): -1}
    assert depths.most == 2


def test_a_dot_after_the_closing_bracket_is_outside():
    grammar = grammar_of("start: LP A RP A")
    assert find_bracket_depths(grammar).of_item == {(0, 1): 1, (0, 2): 1}


def test_without_indentation_brackets_do_not_count():
    grammar, _ = load_grammar(load_source('start: "(" "a"\n'))
    assert find_bracket_depths(grammar).most == 0


def test_depths_beyond_what_a_rule_closes_count_as_one():
    depths = find_bracket_depths(grammar_of("start: LP LP LP A RP RP RP"))
    assert depths.most == 1
    assert [depths.at((0, dot), 0) for dot in range(8)] == [0, 1, 1, 1, 1, 1, 1, 0]


def test_a_line_that_a_rule_may_have_between_brackets_is_no_fault():
    depths = find_bracket_depths(grammar_of("start: LP x RP _NL\nx: A _NL?"))
    assert depths.most == 1


def test_where_indents_mean_nothing_the_way_out_is_a_postlex_of_rules():
    rules = "start: (LP A RP (_NL | indents))*\nindents: _INDENT | _DEDENT+"
    with pytest.raises(PostlexError) as caught:
        find_bracket_depths(grammar_of(rules))
    assert str(caught.value).endswith(
        "take them out of the rules and the Indenter out of the settings, and write in its place "
        "// maskc: postlex=rules rule=drop:_NL:between:LP brackets=LP:RP"
    )
