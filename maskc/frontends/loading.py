"""What grammar does a source hold, as the compiler sees it?

A grammar in Lark's notation is what Lark makes of it. A translation of another notation is numbered
as it is, and Lark does not see it; if only its text is left, as in an artifact, Lark reads that.
"""

from __future__ import annotations

from maskc.bounded import run_bounded
from maskc.errors import GrammarError
from maskc.frontends.dialects import LARK, find_dialect
from maskc.frontends.holes import check_holes
from maskc.frontends.source import GrammarSource, name_source
from maskc.frontends.translated import build_grammar
from maskc.grammar.model import Grammar, LalrGrammar


def load_grammar(source: GrammarSource) -> tuple[Grammar, GrammarSource]:
    """Return the grammar, and the source completed with the texts that it imported.

    Raises:
        GrammarError: Lark refuses the text; the message is Lark's.
        UnsupportedTerminalError: a terminal means something else beside other terminals.
        LimitError: it is too large, or takes too long.
    """
    return run_bounded(lambda: _load(source), name=source.name)


def load_lalr_grammar(source: GrammarSource) -> tuple[LalrGrammar, GrammarSource]:
    """Return what :func:`load_grammar` returns, for those who read the LALR table.

    Raises:
        GrammarError: it has none, or cannot be loaded.
        UnsupportedTerminalError, LimitError: as :func:`load_grammar`.
    """
    if source.parser != "lalr":
        dialect = find_dialect(source.dialect)
        fact = f"it has parser={source.parser}" if dialect is LARK else f"it is {dialect.title}"
        raise GrammarError(
            source.name,
            f"{fact}, and only LALR tables can be looked into; "
            "compile, inspect, generate and verify work for it",
        )
    grammar, source = load_grammar(source)
    if not isinstance(grammar, LalrGrammar):
        raise ValueError(f"{source.name} was loaded for LALR and has no table")
    return grammar, source


def _load(source: GrammarSource) -> tuple[Grammar, GrammarSource]:
    if source.translation is not None:
        name_source(source)
        return build_grammar(source.translation, source.name), source
    from maskc.frontends.lark.reading import read_grammar

    grammar, source = read_grammar(source)
    check_holes(source.name, grammar, source.holes)
    return grammar, source
