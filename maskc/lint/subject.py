"""What the checks look at: one grammar, what the compiler makes of it, and where it is written.

Everything is made when it is first asked for, by the compiler's own passes, and once. What Lark
makes of a rule has the location of the rule, a string in a rule that of its first occurrence. Only
the text itself is searched, not what it imports; definitions are found by their look, a name and a
colon at the start of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import NamedTuple

from maskc.compiler.lalr.refine import RefinedTable, build_table_without_lexer
from maskc.compiler.lalr_path import LalrLanguage, LalrPath
from maskc.compiler.pipeline import analyse_grammar
from maskc.errors import escape
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar import (
    Bnf,
    Grammar,
    LalrGrammar,
    Production,
    is_written,
    rule_of,
    string_of,
    write_production,
)
from maskc.grammar.sets import reduce_grammar
from maskc.lint import SourceLocation
from maskc.lint.witnesses import Witnesses, find_common_lexeme
from maskc.regular.matching import PatternThreads

_UNNAMED, _IGNORED = "__ANON_", "__IGNORE_"
_DEFINITION = re.compile(
    r"^(?:%(?:override|extend)\s+)?[?!]*(_?_?[a-zA-Z][a-zA-Z0-9_]*)"
    r"(?:\{[^}]*\})?(?:\.-?\d+)?[ \t]*:",
    re.MULTILINE,
)
_TRANSLATED = re.compile(r"^[ \t]*([A-Za-z_][\w.-]*)[ \t]*::=", re.MULTILINE)
_SKIPPED = re.compile(
    r"""//[^\n]*|\#[^\n]*|"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/""", re.VERBOSE
)
_WORD = re.compile(r"_?_?[a-zA-Z][a-zA-Z0-9_]*")


class Definition(NamedTuple):
    """A name that the text defines: its line, and whether the text names it elsewhere."""

    line: int
    is_used: bool


def find_definitions(text: str) -> dict[str, Definition]:
    # What is skipped keeps its line breaks, and no word is left in it.
    bare = _SKIPPED.sub(lambda m: " " * len(m[0]), text)
    lines: dict[str, int] = {}
    starts = {match.start(1): match[1] for match in _DEFINITION.finditer(bare)}
    for start, name in starts.items():
        lines.setdefault(name, bare.count("\n", 0, start) + 1)
    used: set[str] = set()
    inside = ""
    for word in _WORD.finditer(bare):
        if word.start() in starts:
            inside = word[0]
            continue
        start_of_line = bare.rfind("\n", 0, word.start()) + 1
        if bare.startswith("%", start_of_line) or word[0] != inside:
            used.add(word[0])
    return {name: Definition(line, name in used) for name, line in lines.items()}


def find_translated_definitions(text: str) -> dict[str, Definition]:
    """Return name → definition of a text in GBNF or EBNF, in which rules are all there is."""
    found: dict[str, Definition] = {}
    for match in _TRANSLATED.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        found.setdefault(match[1], Definition(line, is_used=True))
    return found


class LintedGrammar:
    """A grammar under inspection, whatever parser reads it."""

    grammar: Grammar  # what Lark, or a translation, made of it
    source: GrammarSource  # with the texts that it imports

    def __init__(self, source: GrammarSource) -> None:
        self.grammar, self.source = load_grammar(source)

    @property
    def text(self) -> str:
        """The text as its author wrote it."""
        return self.source.text if self.source.original is None else self.source.original

    @cached_property
    def definitions(self) -> dict[str, Definition]:
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
    def reduced(self) -> Bnf:
        """The grammar without useless symbols."""
        return reduce_grammar(self.grammar.bnf)

    def match(self, terminal: int, text: str) -> int | None:
        """Return how many characters of a text a terminal's pattern matches at its start."""
        pattern = self.grammar.lexer.patterns[terminal]
        if pattern is None:
            return None
        return self._threads_of(pattern, self.grammar.lexer.re_flags).match_length(text)

    @cached_property
    def _threads_of(self) -> Callable[[str, int], PatternThreads]:
        return cache(PatternThreads)

    def matches(self, terminal: int, text: str) -> bool:
        return self.match(terminal, text) == len(text)

    def find_lexeme(self, *terminals: int) -> bytes | None:
        """Return a shortest lexeme of all of some terminals, ``None`` if none is found."""
        if any(self.grammar.lexer.patterns[terminal] is None for terminal in terminals):
            return None
        return find_common_lexeme(self.grammar.lexer, terminals)

    def name(self, terminal: int) -> str:
        """Return a terminal's name, or its text or its pattern if Lark had to name it."""
        name = self.grammar.bnf.terminals[terminal]
        is_named = not name.startswith((_UNNAMED, _IGNORED))
        texts = (self.source.text, *self.source.imports.values())
        is_ours = is_named and (self.source.translation is not None or is_written(name, texts))
        if terminal in self.strings and not is_ours:
            return f'"{self.strings[terminal]}"'
        if is_named:
            return name
        return f"/{escape(self.grammar.lexer.patterns[terminal] or '')}/"

    def list_names(self, terminals: Iterable[int], most: int = 1 << 30) -> str:
        """Return the names of terminals, as a list to read; of many the first."""
        names = [self.name(t) for t in terminals]
        more = len(names) - most
        return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")

    def format(self, production: Production, dot: int | None = None) -> str:
        """Return a production, or an item of it, on one line, as ``X -> A . B``."""
        left, side = self.name_rule(production.lhs), map(self.name_symbol, production.rhs)
        return write_production(left, side, dot)

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

    def locate_rule(self, nonterminal: int) -> SourceLocation:
        return self._locate("rule", self.name_rule(nonterminal))

    def locate_terminal(self, terminal: int) -> SourceLocation:
        """Return where a terminal is; in a translation, the rule that it is part of."""
        name, own = self.name(terminal), self.grammar.bnf.terminals[terminal]
        if self.source.translation is not None:
            return self._locate("rule", self.source.translation.rule_of.get(own, own))
        ignored = own.removeprefix(_IGNORED)
        if ignored.isdigit():
            # Lark counts what is ignored; imported grammars ignore nothing.
            text = enumerate(self.source.text.splitlines(), 1)
            lines = [number for number, line in text if line.startswith("%ignore")]
            line = lines[int(ignored)] if int(ignored) < len(lines) else None
            return SourceLocation("terminal", name, line)
        location = self._locate("terminal", name)
        index = self.source.text.find(f'"{self.strings.get(terminal, name)}"')
        if location.line is None and index >= 0:
            return SourceLocation("terminal", name, self.source.text.count("\n", 0, index) + 1)
        return location

    def _locate(self, kind: str, name: str) -> SourceLocation:
        known = self.definitions.get(name)
        return SourceLocation(kind, name, known.line if known else None)


class LintedLalrGrammar(LintedGrammar):
    """A grammar that Lark's LALR parser reads, under inspection."""

    grammar: LalrGrammar

    def __init__(self, source: GrammarSource, language: LalrLanguage | None = None) -> None:
        """Load a grammar; ``language``: what the compiler made of it, if that is known."""
        self.grammar, self.source = load_lalr_grammar(source)
        if language is not None and not language.merged:
            self.language = language

    @cached_property
    def language(self) -> LalrLanguage:
        """What the compiler makes of the grammar before it meets a tokenizer."""
        return analyse_grammar(self.grammar, self.source, LalrPath(merges_words=False))

    @cached_property
    def no_text(self) -> str | None:
        """Why no text at all can be parsed, as the compiler says it; ``None`` if some can."""
        return self.language.explain_no_text()

    @cached_property
    def never_lexed(self) -> frozenset[int]:
        """The terminals of the productions that no text holds."""
        scanner = self.language.lexed.scanner
        lexed = {terminal for ends in scanner.ends for terminal, _ in ends}
        lexed |= {terminal for terminal in scanner.end_of_text if terminal is not None}
        lexer = self.grammar.lexer
        return frozenset(
            t
            for t in self.reduced.used_terminals - lexed
            if lexer.patterns[t] is not None and t not in lexer.ignored
        )

    @cached_property
    def table_without_lexer(self) -> RefinedTable:
        """The parser, if any terminal could be lexed after any."""
        return build_table_without_lexer(self.grammar)

    @cached_property
    def witnesses(self) -> Witnesses:
        return Witnesses(self.grammar, self.language.lexed.scanner)
