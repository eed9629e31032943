"""ML014: texts with two parse trees."""

from itertools import pairwise

EARLEY = "// maskc: parser=earley\n"


def test_a_text_with_two_trees_is_shown_and_levels_are_proposed(lint):
    grammar = 'start: e\ne: e "+" e | e "*" e | N\nN: /[0-9]/\n%ignore " "\n'
    (finding,) = lint(EARLEY + grammar, "ML014")
    assert finding.witness == "0 + 0 + 0"
    assert "e(e(0) + e(e(0) + e(0))) and e(e(e(0) + e(0)) + e(0))" in finding.fact
    assert 'e: e "+" e_2 | e_2; e_2: e_2 "*" e_3 | e_3; e_3: N' in finding.remedy
    assert finding.place.line == 3


def test_levels_of_precedence_have_one_tree(lint):
    grammar = 'start: start "+" t | t\nt: t "*" N | N\nN: /[0-9]/\n'
    assert lint(EARLEY + grammar, "ML014") == []


def test_two_rules_for_one_text_are_shown(lint):
    (finding,) = lint(EARLEY + 'start: a | b\na: "x"\nb: "x"\n', "ML014")
    assert finding.fact == "start is ambiguous, two trees: start(a(x)) and start(b(x))"


def test_an_ambiguity_inside_is_told_of_the_rule_that_has_it(lint):
    found = lint(EARLEY + 'start: "(" x ")"\nx: a | b\na: "x"\nb: "x"\n', "ML014")
    assert [finding.place.name for finding in found] == ["x"]


def test_repetitions_are_shown_in_their_rule(lint):
    (finding,) = lint(EARLEY + 'start: ("a" | x)+\nx: "a"\n', "ML014")
    assert "__" not in finding.fact + finding.remedy


def test_a_rule_that_becomes_itself_does_not_search_for_ever(lint):
    assert lint(EARLEY + 'start: start | x\nx: "a" | \n', "ML014")


def test_a_large_rule_is_left_out(lint):
    side = " ".join(f'"{n:03}"' for n in range(200))
    assert lint(f"{EARLEY}start: {side}\n", "ML014") == []


def test_gbnf_is_told_of_in_the_names_of_its_author(tmp_path):
    from maskc.frontends.source import load_source
    from maskc.lint.order import lint_grammar

    path = tmp_path / "e.gbnf"
    path.write_text('root ::= e\ne ::= "(" e ")" | e "+" e | [0-9]\n')
    (finding,) = (f for f in lint_grammar(load_source(path)) if f.code == "ML014")
    assert (finding.place.name, finding.place.line) == ("e", 2)


def test_findings_come_in_the_order_of_severities_and_codes():
    text = EARLEY + 'start: a | b\na: "x"\nb: "x"\nc: "y"\n%import common.WS\n'
    from maskc.frontends.source import load_source
    from maskc.lint.order import lint_grammar

    codes = [finding.code for finding in lint_grammar(load_source(text))]
    assert all(one <= other for one, other in pairwise(codes))
    assert codes == ["ML010", "ML011", "ML014"]
