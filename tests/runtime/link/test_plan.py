"""A plan that is read is sound; what is not is refused with a sentence."""

import json

import pytest

from maskc.runtime.fields import PlanError
from maskc.runtime.link.plan import MOST_LEVELS, LinkPlan
from maskc.runtime.link.plan.records import write_node

EMPTY = {
    "schemas": [],
    "automata": [],
    "texts": [],
    "tables": [],
    "nodes": [["stop", 9]],
    "root": 0,
}
WORDS = ["words", ["a", "b"]]
TEXT = [[["ab", 7]], [], ["x"]]
BLANKS = [[0] * 256, [[0, 0]], [0]]
TABLE = [1, [0], [0], 0, None, False, 0, [[[["a"], 0]], None]]


def read(**parts):
    data = json.dumps({**EMPTY, **parts}).encode()
    return LinkPlan(data, vocab_size=10, ends=frozenset([9]), n_grammars=1)


@pytest.mark.parametrize(
    "node",
    [
        ["nothing"],
        WORDS,
        ["name", ["a"]],
        ["grammar", 0],
        ["tokens", [0, 3, 5, 9]],
        ["switch", ["a", ["b", 7]], [0, 0]],
        ["free text", 0, [0], True],
        ["limited text", 1, None, 4],
        ["parameters", 0],
        ["separated", 0],
    ],
)
def test_a_node_of_each_kind_is_read(node):
    nodes = [["automaton", 0], node]
    texts = [[["ab"], [], ["x"]], [[], [], ["x"]]]
    plan = read(nodes=nodes, texts=texts, automata=[BLANKS], tables=[TABLE], root=1)
    kind, *values = plan.nodes[1]
    assert write_node(kind, values) == node


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ([[]], "of no known kind"),
        ([["other"]], "of no known kind"),
        ([[{}, 1]], "of no known kind"),
        ([["stop"]], "has 0 entries instead of 1"),
        ([["stop", 1]], "does not end the sequence"),
        ([["sequence", []]], "made of nothing"),
        ([["sequence", [0]]], "the plan holds 0, outside"),
        ([["repeat", 0, 0, 1]], "the plan holds 0, outside"),
        ([WORDS, ["repeat", 0, 3, 2]], "the plan holds 2, outside 3"),
        ([["words", ["b", "a"]]], "not in order"),
        ([["words", ["é\u0100"]]], "not bytes"),
        ([["tokens", [9, 10]]], "end the sequence"),
        ([["tokens", [3, 3]]], "do not ascend"),
        ([["switch", [[]], [0]]], "empty"),
        ([["switch", [[9]], [0]]], "a token that ends the sequence"),
        ([["switch", ["a"], [1]]], "the plan holds 1, outside"),
        ([["schema", 0]], "the plan holds 0, outside"),
        ([["grammar", 1]], "the plan holds 1, outside"),
    ],
)
def test_a_node_that_is_wrong_is_refused(nodes, told):
    with pytest.raises(PlanError, match=told):
        read(nodes=nodes)


def test_a_sequence_that_doubles_is_refused():
    """Sixty levels of it would be as many pieces as no machine has."""
    nodes = [["tokens", [0, 1]], *(["sequence", [n, n]] for n in range(60))]
    with pytest.raises(PlanError, match="too many levels or beginnings"):
        read(nodes=nodes, root=60)


def test_levels_are_bounded():
    nodes = [WORDS, *(["repeat", n, 0, 2] for n in range(MOST_LEVELS))]
    with pytest.raises(PlanError, match="too many levels or beginnings"):
        read(nodes=nodes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ([["b", "a"], [], []], "not in order"),
        ([["a"], [""], []], "empty"),
        ([["a", "ab"], [], []], "the beginning of another one"),
        ([["a"], ["a"], []], "the beginning of another one"),
        ([[], [], [""]], "empty"),
    ],
)
def test_words_of_free_text_that_are_wrong_are_refused(text, told):
    with pytest.raises(PlanError, match=told):
        read(texts=[text])


@pytest.mark.parametrize(
    ("index", "value", "told"),
    [
        (6, 1, "the plan holds 1, outside"),
        (1, [1], "fewer parameters than it names"),
        (5, 0, "lacks a true or false"),
        (7, [[]], "1 entries instead of 2"),
        (7, [[[]], None], "begins with nothing"),
        (7, [[[0]], None], "begins with nothing"),
        (7, [[[[""]]], None], "an empty word"),
        (7, [[[["a"], []]], None], "an empty word"),
    ],
)
def test_parameters_that_are_wrong_are_refused(index, value, told):
    table = [*TABLE[:index], value, *TABLE[index + 1 :]]
    with pytest.raises(PlanError, match=told):
        read(nodes=[["automaton", 0]], automata=[BLANKS], tables=[table])


def test_blanks_that_lead_back_are_refused():
    with pytest.raises(PlanError, match="are no automaton"):
        read(nodes=[["parameters", 0]], tables=[TABLE])


@pytest.mark.parametrize("data", [b"", b"[]", b"[" * 100_000, b'{"nodes": {}}', b"\xff"])
def test_what_is_no_plan_is_refused(data):
    with pytest.raises(PlanError):
        LinkPlan(data, vocab_size=10, ends=frozenset([9]), n_grammars=0)


@pytest.mark.parametrize(
    "change",
    [{0: [0] * 255}, {0: [256] * 256}, {1: []}, {1: [[0]]}, {1: [[0, 1]]}, {1: [[1, 0]]}, {2: [1]}],
)
def test_an_automaton_that_is_wrong_is_refused(change):
    automaton = [change.get(n, part) for n, part in enumerate(BLANKS)]
    with pytest.raises(PlanError):
        read(automata=[automaton])
