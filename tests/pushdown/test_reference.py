import json

import networkx as nx
import pytest
from pyformlang.cfg import CFG
from pyformlang.pda import PDA

from maskc.errors import MissingPackageError
from maskc.pushdown import reference
from maskc.pushdown.dft import build_dft
from maskc.pushdown.reference import compare_never_legal, format_cfg, format_pda, to_cfg, to_pda
from tests.pushdown.small_grammars import grammar_of, nested


def test_pyformlang_reads_the_grammar_that_we_write():
    cfg = CFG.from_text(format_cfg(nested()), start_symbol="start")
    assert cfg.contains(["'A'", "'A'", "'B'", "'B'"])
    assert not cfg.contains(["'A'", "'B'", "'B'"])


def test_pyformlang_reads_the_automaton_that_we_write():
    graph = nx.node_link_graph(json.loads(format_pda(build_dft(nested()))), edges="edges")
    assert len(PDA.from_networkx(graph).states) == 5


def test_the_automaton_has_the_language_of_the_grammar():
    cfg = to_pda(build_dft(nested())).to_empty_stack().to_cfg()
    assert cfg.contains(["'A'", "'A'", "'B'", "'B'"])
    assert not cfg.contains(["'A'", "'B'", "'B'"])
    assert cfg.contains([])


def test_equal_grammars_are_written_alike():
    assert format_cfg(nested()) == format_cfg(nested())
    assert format_pda(build_dft(nested())) == format_pda(build_dft(nested()))


@pytest.mark.parametrize(
    "rules", [("S -> a S b", "S ->"), ("S -> S a", "S -> b"), ("S -> a b S b a", "S -> a")]
)
def test_never_legal_agrees_with_pyformlang(rules):
    found = compare_never_legal(grammar_of(*rules), seconds=2)
    assert found.n_asked > found.n_pairs == 4
    assert found.differences == ()


def test_a_wrong_answer_is_a_difference(monkeypatch):
    monkeypatch.setattr(reference.NeverLegal, "is_never_legal", lambda *_: True)
    found = compare_never_legal(nested(), seconds=1)
    assert (("A", "A"), True) in found.differences


def test_a_grammar_without_texts_has_nothing_to_compare():
    assert compare_never_legal(grammar_of("S -> S a"), seconds=1).n_asked == 0


def test_without_pyformlang_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyformlang.cfg", None)
    with pytest.raises(MissingPackageError, match=r"maskc\[analyze\]"):
        to_cfg(nested())
