import numpy as np
import pytest

from maskc.artifact.model import check
from maskc.emit import answers
from tests.compiled import compile_text, legal_tokens

BRACKETS = 'start: "(" start ")" | "[" start "]" | "x"\n'
TOKENS = (b"(", b")", b"[", b"]", b"x", b"x)", b"x]", b"))", b")]", b"x)]", b"x))", b"]]", b"])")


def test_the_innermost_bracket_is_known_and_only_the_next_one_is_asked_about():
    arrays = compile_text(BRACKETS, TOKENS).contents.arrays
    assert np.diff(arrays["question_first"]).max() == 1


def test_a_question_leads_to_a_node_before_the_one_that_asks():
    contents = compile_text(BRACKETS, TOKENS).contents
    assert check(contents) is None
    last = len(contents.arrays["node_first"]) - 2
    nodes = contents.arrays["question_node"].copy()
    nodes[:] = last
    contents.arrays["question_node"] = nodes
    assert check(contents) == "section question_node goes in circles"


def test_the_header_bounds_the_moves_of_one_fill():
    # The x itself, the bracket around it, and the one around that.
    assert compile_text(BRACKETS, TOKENS).header["counts"]["questions"] == 3


@pytest.mark.parametrize("text", ["", "(", "([", "([x", "([x]", "((x", "((x)"])
def test_nodes_left_open_by_the_bound_give_the_same_masks(monkeypatch, text):
    decided = compile_text(BRACKETS, TOKENS)
    monkeypatch.setattr(answers, "MAX_UNIONS", 0)
    asked = compile_text(BRACKETS, TOKENS)
    assert asked.header["counts"]["undecided_nodes"] > 0
    assert legal_tokens(asked, text) == legal_tokens(decided, text)
