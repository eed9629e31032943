"""The DFT pushdown automaton as a graph."""

import re
import xml.etree.ElementTree as ET

import pytest

from maskc.analysis.dft import build_dft
from maskc.grammar.model import Production
from maskc.grammar.reduce import reduce_productions
from maskc.report.html.automaton import draw_automaton, number_productions
from maskc.report.html.shapes import MAX_NAME, draw_edge


def automaton(*productions, terminals=("$END", "a", "b"), nonterminals=("S", "T")):
    found = [Production(lhs, rhs) for lhs, rhs in productions]
    return build_dft(reduce_productions(terminals, nonterminals, 0, found))


@pytest.fixture
def paper():
    """Return S ::= aSb | ε, of the blog's Figure 3."""
    return automaton((0, (1, -1, 2)), (0, ()))


def texts(svg, class_):
    root = ET.fromstring(svg)
    return [t.text for t in root.iter("text") if class_ in t.get("class").split()]


def test_each_state_is_drawn_once(paper):
    assert sorted(texts(draw_automaton(paper), "name")) == ["$END", "S•", "a", "b", "•S"]


def test_each_transition_has_its_label(paper):
    assert sorted(texts(draw_automaton(paper), "label")) == [
        "+1.1",
        "1.1 → 1.2",
        "1.2 → 1.3",
        "ε",
        "−1.3",
        "−Z0",
    ]


def test_edges_with_equal_ends_are_one_with_both_labels():
    dft = automaton((0, (1,)), (0, (1, 2)))
    labels = texts(draw_automaton(dft), "label")
    assert {"+1.1", "+2.1"} <= set(labels)
    assert len(ET.fromstring(draw_automaton(dft)).findall(".//path[@class='edge']")) == 6


def test_a_loop_is_drawn():
    dft = automaton((0, (-1, 1)), (0, (2,)))
    assert "+1.1" in texts(draw_automaton(dft), "label")


def test_what_a_transition_does_is_told(paper):
    titles = [title.text for title in ET.fromstring(draw_automaton(paper)).iter("title")]
    assert "a to •S, pops S ::= a, pushes S ::= a S" in titles
    assert "S• to b, reads b, pops S ::= a S, pushes S ::= a S b" in titles


def test_the_drawing_is_named(paper):
    root = ET.fromstring(draw_automaton(paper))
    assert root.get("role") == "img"
    assert "5 states, 6 transitions" in root.get("aria-label")


def test_a_long_name_is_cut_and_told_in_full():
    name = "x" * (MAX_NAME + 1)
    svg = draw_automaton(automaton((0, (1,)), terminals=("$END", name), nonterminals=("S",)))
    assert f"{'x' * (MAX_NAME - 1)}…" in texts(svg, "name")
    assert name in [title.text for title in ET.fromstring(svg).iter("title")]


def test_a_name_with_markup_is_text():
    svg = draw_automaton(automaton((0, (1,)), terminals=("$END", "<b>&"), nonterminals=("<i>",)))
    assert "<b>&" in texts(svg, "name")
    assert not list(ET.fromstring(svg).iter("b"))


def test_productions_have_the_numbers_that_edges_name(paper):
    assert number_productions(paper) == [("1", "S ::= a S b"), ("2", "S ::= ε")]


def test_an_edge_stays_between_its_bends():
    points = [(0.0, 0.0), (30.0, 10.0), (30.0, 30.0), (10.0, 40.0)]
    svg = draw_edge(points, "")
    numbers = [float(n) for n in re.findall(r"-?\d+\.\d", ET.fromstring(svg).get("d"))]
    assert min(numbers[::2]) == 0
    assert max(numbers[::2]) == 30
