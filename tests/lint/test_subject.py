"""A grammar under inspection, by the names that its author wrote."""

from maskc.frontends.source import load_source
from maskc.lint.model import Place
from maskc.lint.subject import Subject

TEXT = """start: item+
item: NAME "+=" | /[0-9]+/
NAME: /[a-z]+/
%ignore " "
%ignore /#.*/
"""


def subject_of(text=TEXT):
    return Subject(load_source(text))


def numbered(subject):
    return {subject.name(t): t for t in range(1, len(subject.grammar.bnf.terminals))}


def test_a_terminal_that_lark_named_is_told_by_its_text():
    assert {"NAME", '"+="', "/[0-9]+/"} <= set(numbered(subject_of()))


def test_strings_are_the_terminals_that_are_one_text():
    subject = subject_of()
    assert {"+=", " "} == set(subject.strings.values())


def test_a_place_is_the_line_of_the_definition():
    subject = subject_of()
    terminals = numbered(subject)
    assert subject.place_of_terminal(terminals["NAME"]) == Place("terminal", "NAME", 3)
    item = subject.grammar.bnf.nonterminals.index("item")
    assert subject.place_of_rule(item) == Place("rule", "item", 2)


def test_what_is_ignored_is_placed_by_its_order():
    subject = subject_of()
    places = {
        subject.place_of_terminal(t).line
        for t in range(1, len(subject.grammar.bnf.terminals))
        if subject.grammar.bnf.terminals[t].startswith("__IGNORE_")
    }
    assert places <= {4, 5}
    assert places


def test_a_rule_that_lark_made_is_placed_where_its_author_wrote_it():
    subject = subject_of('start: "a" ("b" | "c")*\n')
    made = [n for n, name in enumerate(subject.grammar.bnf.nonterminals) if name != "start"]
    assert {subject.place_of_rule(n).name for n in made} == {"start"}


def test_items_and_productions_are_one_line_each():
    subject = subject_of('start: "a" start "b" | "c"\n')
    production = subject.grammar.bnf.productions[0]
    assert subject.format(production) == "start -> A start B"
    assert subject.format_item(production, 1) == "start -> A . start B"


def test_priorities_are_those_of_the_text():
    assert subject_of("start: A | B\nA.2: /a/\nB: /b/\n").priorities == {"A": 2, "B": 0}


def test_conflicts_are_those_that_lark_resolved():
    assert len(subject_of('start: "p" x "a" "c"\nx: "b" "a" | "b"\n').conflicts) == 1
    assert subject_of().conflicts == ()
