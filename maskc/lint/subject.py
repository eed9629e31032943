"""What the checks look at: one grammar, and what the compiler makes of it.

Everything is made when it is first asked for, by the compiler's own passes, and once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from maskc.compiler.lalr.conflicts import Conflict, find_conflicts
from maskc.compiler.lalr.items import ItemSets
from maskc.compiler.lalr.refine import RefinedTable, build_table_without_lexer
from maskc.compiler.lalr_path import analyse_grammar
from maskc.compiler.stages import LalrLanguage
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Grammar, LalrGrammar, Production
from maskc.grammar.rule_names import rule_of, string_of
from maskc.grammar.sets import ReducedGrammar, reduce_grammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner
from maskc.lint.model import Place
from maskc.lint.places import (
    Definition,
    find_definitions,
    find_line,
    find_translated_definitions,
)

_UNNAMED, _IGNORED = "__ANON_", "__IGNORE_"


class GrammarSubject:
    """A grammar under inspection, whatever parser reads it.

    Attributes:
        source: with the texts that it imports.
        grammar: what Lark, or a translation, made of it.
    """

    grammar: Grammar
    source: GrammarSource

    def __init__(self, source: GrammarSource) -> None:
        """Load the grammar.

        Raises:
            GrammarError, PostlexError, UnsupportedTerminalError: it cannot be loaded.
        """
        self.grammar, self.source = load_grammar(source)

    @property
    def text(self) -> str:
        """The text as its author wrote it."""
        return self.source.text if self.source.original is None else self.source.original

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """What the text itself defines."""
        if self.source.translation is not None:
            return find_translated_definitions(self.text)
        return find_definitions(self.source.text)

    @cached_property
    def priorities(self) -> dict[str, int]:
        """Terminal's name → priority."""
        return {str(t.name): t.priority for t in build_lark(self.source).terminals}

    @cached_property
    def strings(self) -> dict[int, str]:
        """Terminal → its text, of the terminals that are one string."""
        texts = map(string_of, self.grammar.lexer.patterns)
        return {terminal: text for terminal, text in enumerate(texts) if text is not None}

    @cached_property
    def reduced(self) -> ReducedGrammar:
        """The grammar without useless symbols."""
        return reduce_grammar(self.grammar.bnf)

    def name(self, terminal: int) -> str:
        """Return a terminal's name, or its text or its pattern if Lark had to name it."""
        name = self.grammar.bnf.terminals[terminal]
        if not name.startswith((_UNNAMED, _IGNORED)):
            return name
        if terminal in self.strings:
            return f'"{self.strings[terminal]}"'
        pattern = self.grammar.lexer.patterns[terminal] or ""
        return f"/{''.join(c if c.isprintable() else repr(c)[1:-1] for c in pattern)}/"

    def list_names(self, terminals: Sequence[int]) -> str:
        """Return the names of terminals, as a list to read."""
        return ", ".join(self.name(t) for t in terminals)

    def format(self, production: Production) -> str:
        """Return a production on one line."""
        right_side = map(self.name_symbol, production.rhs)
        return " ".join([self.name_rule(production.lhs), "->", *right_side])

    def format_item(self, production: Production, dot: int) -> str:
        """Return an item on one line, as ``X -> A . B``."""
        right_side = [self.name_symbol(s) for s in production.rhs]
        right_side.insert(dot, ".")
        return " ".join([self.name_rule(production.lhs), "->", *right_side])

    def name_symbol(self, symbol: int) -> str:
        """Return the name of a symbol as it stands in a production's right side."""
        if symbol >= 0:
            return self.name(symbol)
        name = self.grammar.bnf.nonterminals[-1 - symbol]
        return self.name_rule(-1 - symbol) if rule_of(name) == name else f"({rule_of(name)}…)"

    def name_rule(self, nonterminal: int) -> str:
        """Return the rule that a nonterminal was made from, as its author calls it."""
        name = self.grammar.bnf.nonterminals[nonterminal]
        translation = self.source.translation
        return translation.rule_of.get(name, name) if translation else rule_of(name)

    def _place_of_symbol(self, symbol: str) -> Place:
        """Return where a symbol of a translation is: the rule that it is part of."""
        translation = self.source.translation
        name = translation.rule_of.get(symbol, symbol) if translation else symbol
        known = self.definitions.get(name)
        return Place("rule", name, known.line if known else None)

    def place_of_terminal(self, terminal: int) -> Place:
        """Return where a terminal is."""
        name = self.name(terminal)
        if self.source.translation is not None:
            return self._place_of_symbol(self.grammar.bnf.terminals[terminal])
        ignored = self.grammar.bnf.terminals[terminal].removeprefix(_IGNORED)
        if ignored.isdigit():
            # Lark counts what is ignored; imported grammars ignore nothing.
            lines = [
                number
                for number, line in enumerate(self.source.text.splitlines(), 1)
                if line.startswith("%ignore")
            ]
            return Place(
                "terminal", name, lines[int(ignored)] if int(ignored) < len(lines) else None
            )
        shown = name if name in self.definitions else f'"{self.strings.get(terminal, name)}"'
        return Place("terminal", name, find_line(self.source.text, shown, self.definitions))

    def place_of_rule(self, nonterminal: int) -> Place:
        """Return where a nonterminal is: the rule it was made from."""
        if self.source.translation is not None:
            return self._place_of_symbol(self.grammar.bnf.nonterminals[nonterminal])
        name = rule_of(self.grammar.bnf.nonterminals[nonterminal])
        return Place("rule", name, find_line(self.source.text, name, self.definitions))


class Subject(GrammarSubject):
    """A grammar that Lark's LALR parser reads, under inspection.

    Attributes:
        grammar: what Lark made of it, with its table.
    """

    grammar: LalrGrammar

    def __init__(self, source: GrammarSource) -> None:
        """Load the grammar.

        Raises:
            GrammarError, PostlexError, UnsupportedTerminalError: it cannot be loaded.
        """
        self.grammar, self.source = load_lalr_grammar(source)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Cells of the table where Lark gave up a reduction."""
        return find_conflicts(self.grammar)

    @cached_property
    def language(self) -> LalrLanguage:
        """What the compiler makes of the grammar before it meets a tokenizer."""
        return analyse_grammar(self.grammar, self.source)

    @property
    def item_sets(self) -> ItemSets:
        """The items of each LALR state."""
        return self.language.item_sets

    @property
    def scanner(self) -> Scanner:
        """The lexer."""
        return self.language.lexed.scanner

    @property
    def boundaries(self) -> Boundaries:
        """What the lexer allows after what."""
        return self.language.lexed.boundaries

    @property
    def table(self) -> RefinedTable:
        """The parser, without what no text can finish."""
        return self.language.table

    @cached_property
    def table_without_lexer(self) -> RefinedTable:
        """The parser, if any terminal could be lexed after any."""
        return build_table_without_lexer(self.grammar)
