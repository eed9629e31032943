import json

import networkx as nx
import pytest
from pyformlang.cfg import CFG
from pyformlang.pda import PDA

from maskc.errors import MissingPackageError
from maskc.pushdown.dft import build_dft
from maskc.pushdown.export import format_cfg, format_pda, to_cfg, to_pda
from tests.pushdown.small_grammars import nested


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


def test_without_pyformlang_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyformlang.cfg", None)
    with pytest.raises(MissingPackageError, match=r"maskc\[analyze\]"):
        to_cfg(nested())
