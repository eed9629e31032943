"""Names from the grammar for an artifact's numbers.

The artifact has no LALR items and no names; both come from the grammar that its header carries,
built again. Numbers are canonical, so they agree. Where the grammar was written in another notation
than Lark's, a terminal is called after the rule that it is part of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from maskc.compiler.lalr.items import ItemSets, build_item_sets
from maskc.errors import GrammarError
from maskc.explain.model import Names
from maskc.frontends.dialects import find_dialect
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource, load_source, source_from_header
from maskc.grammar.model import LalrGrammar
from maskc.grammar.rule_names import is_written, name_part, string_of, write_production
from maskc.ids import ROOT
from maskc.runtime.artifact import Artifact

_MAX_PATTERN = 24  # characters of one that is shown beside the name of its rule


class GrammarNames:
    """Names of terminals and items."""

    def __init__(self, artifact: Artifact) -> None:
        """Build the grammar again.

        Raises:
            GrammarError, PostlexError: this version of Lark reads it differently.
        """
        source = source_from_header(artifact.header["grammar"])
        self._grammar = grammar = load_grammar(source)[0]
        self._rules = _name_rules(source)
        self._texts = (source.text, *source.imports.values())
        self._is_rules = find_dialect(source.dialect).takes_start
        self._item_sets: ItemSets | None = None
        is_same = len(grammar.bnf.terminals) == artifact.header["sizes"]["T"]
        if isinstance(grammar, LalrGrammar):
            self._item_sets = build_item_sets(grammar)
            n_states = len(artifact.contents.arrays["lalr_context"])
            is_same = is_same and len(grammar.lalr.states) == n_states
        if not is_same:
            raise GrammarError(
                source.name, "this version of Lark builds other tables for it; compile it again"
            )

    def terminal(self, terminal: int) -> str:
        """Return a terminal's name, or its text in quotes if Lark named it: ``"["``, not LSQB."""
        name = self._grammar.bnf.terminals[terminal]
        pattern = self._grammar.lexer.patterns[terminal] or ""
        text = string_of(pattern)
        if text is not None and (name in self._rules or not is_written(name, self._texts)):
            return f'"{text}"'
        if name not in self._rules:
            return name
        is_short = self._is_rules and len(pattern) <= _MAX_PATTERN
        return f"{self._rules[name]} /{pattern}/" if is_short else self._rules[name]

    def literal(self, terminal: int) -> str:
        """Return the text of a string terminal in quotes, if its name does not say it."""
        text = string_of(self._grammar.lexer.patterns[terminal])
        quoted = "" if text is None else f'"{text}"'
        return "" if quoted == self.terminal(terminal) else quoted

    def terminals(self, terminals: Iterable[int]) -> Names:
        """Return the names of terminals in the order of their numbers."""
        return tuple(self.terminal(t) for t in sorted(set(terminals)))

    def items(self, lalr_state: int) -> Names:
        """Return the kernel items of a state, as ``X -> A . B``; a general grammar has none.

        Neither has a pattern, whose only rule is ours.
        """
        sets = self._item_sets
        if sets is None or not self._is_rules:
            return ()
        return tuple(self._item(sets, *item) for item in sets.kernels[lalr_state])

    def _item(self, sets: ItemSets, production: int, dot: int) -> str:
        bnf = self._grammar.bnf
        left = "$root" if production == ROOT else self._name(-1 - bnf.productions[production].lhs)
        return write_production(left, map(self._name, sets.right_sides[production]), dot)

    def _name(self, symbol: int) -> str:
        nonterminals = self._grammar.bnf.nonterminals
        return self.terminal(symbol) if symbol >= 0 else name_part(nonterminals[-1 - symbol])


def _name_rules(source: GrammarSource) -> Mapping[str, str]:
    """Return terminal → the rule that its author calls it; empty for Lark's own notation."""
    if source.original is None:
        return {}
    dialect = find_dialect(source.dialect)
    if not dialect.takes_start:
        return {"PATTERN": "the pattern"}
    translation = load_source(
        f"{source.original}\n", dialect=source.dialect, start=source.start
    ).translation
    return translation.rule_of if translation is not None else {}
