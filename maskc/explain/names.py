"""What are an artifact's numbers called in its grammar?

The artifact has no LALR items and no names; both come from the grammar that its header carries,
built again. Numbers are canonical, so they agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskc.errors import GrammarError
from maskc.explain.model import Names
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import source_from_header
from maskc.ids import ROOT
from maskc.parser.items import build_item_sets
from maskc.runtime.artifact import Artifact


class GrammarNames:
    """Names of terminals and items."""

    def __init__(self, artifact: Artifact) -> None:
        """Build the grammar again.

        Raises:
            GrammarError, PostlexError: this version of Lark reads it differently.
        """
        source = source_from_header(artifact.header["grammar"])
        self._grammar = load_lalr_grammar(source)[0]
        sizes = artifact.header["sizes"]
        n_states = len(artifact.contents.arrays["lalr_context"])
        if (len(self._grammar.bnf.terminals), len(self._grammar.lalr.states)) != (
            sizes["T"],
            n_states,
        ):
            raise GrammarError(
                source.name, "it has other tables in this version of Lark; compile it again"
            )
        self._item_sets = build_item_sets(self._grammar)

    def terminal(self, terminal: int) -> str:
        """Return a terminal's name, or its text in quotes if Lark had to name it."""
        name = self._grammar.bnf.terminals[terminal]
        pattern = self._grammar.lexer.patterns[terminal] or ""
        text = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
        return f'"{text}"' if name.startswith("__ANON_") and re.escape(text) == pattern else name

    def terminals(self, terminals: Iterable[int]) -> Names:
        """Return the names of terminals in the order of their numbers."""
        return tuple(self.terminal(t) for t in sorted(set(terminals)))

    def items(self, lalr_state: int) -> Names:
        """Return the kernel items of a state, as ``X -> A . B``."""
        return tuple(self._item(*item) for item in self._item_sets.kernels[lalr_state])

    def _item(self, production: int, dot: int) -> str:
        grammar = self._grammar
        right_side = self._item_sets.right_sides[production]
        names = [
            self.terminal(s) if s >= 0 else grammar.bnf.nonterminals[-1 - s] for s in right_side
        ]
        names.insert(dot, ".")
        if production == ROOT:
            return " ".join(["$root ->", *names])
        return " ".join(
            [grammar.bnf.nonterminals[grammar.bnf.productions[production].lhs], "->", *names]
        )
