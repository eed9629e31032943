"""The grammar that a source holds, as the compiler sees it.

A grammar in Lark's notation is what Lark makes of it. A translation of another notation is numbered
as it is, and Lark does not see it; if only its text is left, as in an artifact, Lark reads that.

A translation becomes the grammar that Lark would make of its text, number for number, without Lark.
Over characters (``dynamic_complete``) there is one context and no table. A regular expression is
one terminal that may be missing: ``start: | PATTERN`` has the LALR states 0, which shifts PATTERN
to 1 and goes to 2 on start, 1, which reduces ``start -> PATTERN`` at the end, and 2, the end.

Terminals that requests restrict are marked at the top of the text, ``// maskc: hole=TABLE``; a mark
is checked when the grammar is compiled, so that a name that is mistyped, or that no request
could restrict, is found before it is served.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc.bounded import run_bounded
from maskc.budget import current_limits, quote_symbol
from maskc.errors import GrammarError, LimitError
from maskc.frontends.source import GrammarSource, name_source
from maskc.frontends.texts import LARK, find_dialect
from maskc.frontends.translation import Translation, number_names
from maskc.grammar import (
    Bnf,
    Context,
    Grammar,
    LalrGrammar,
    LalrState,
    LalrTable,
    LexerSpec,
    Reduction,
)
from maskc.ids import END, ContextId, LalrStateId, ProductionId, TerminalId
from maskc.limits import HOW_TO_RAISE


def check_holes(name: str, grammar: Grammar, holes: Sequence[str]) -> None:
    """Check that each terminal that is marked can be narrowed."""
    if holes and not isinstance(grammar, LalrGrammar):
        raise GrammarError(name, "hole= needs parser=lalr; leave it out")
    layout = grammar.lexer.layout
    made = {layout.newline, layout.indent, layout.dedent} if layout else set()
    numbers = {terminal: number for number, terminal in enumerate(grammar.bnf.terminals)}
    for hole in holes:
        number = numbers.get(hole)
        if number is None or grammar.lexer.patterns[number] is None and number not in made:
            raise GrammarError(
                name, f"hole={hole} is not a terminal that the rules use; name one that they use"
            )
        if number in grammar.lexer.ignored or number in made:
            why = "is the Indenter's" if number in made else "is ignored"
            raise GrammarError(name, f"hole={hole} {why} and cannot be restricted; leave it out")


def build_grammar(translation: Translation, name: str) -> Grammar:
    """Return the grammar of a translation.

    Raises:
        LimitError: its rules have more symbols than the limits allow.
    """
    _check_work(translation, name)
    numbering = number_names(translation.terminals, translation.rules)
    bnf = numbering.make_bnf(
        translation.start,
        (
            numbering.produce(rule, [(s, s in translation.terminals) for s in side])
            for rule, sides in translation.rules.items()
            for side in sides
        ),
    )
    if translation.parser == "lalr":
        return _build_pattern(translation, bnf)
    every = tuple(map(TerminalId, range(1, len(bnf.terminals))))
    after: dict[int, frozenset[ContextId]] = dict.fromkeys(every, frozenset([ContextId(0)]))
    ranks = (0,) * len(bnf.terminals)  # with every split, none is tried before another
    return Grammar(bnf, _make_lexer(translation, bnf, ranks, (Context(every, ()),), after))


def _build_pattern(translation: Translation, bnf: Bnf) -> LalrGrammar:
    """Return the grammar of one terminal, with or without the empty text."""
    terminal = TerminalId(1)
    contexts = (Context((terminal,), ()), Context((), ()))
    after: dict[int, frozenset[ContextId]] = {terminal: frozenset([ContextId(1)])}
    at_end = {
        production.rhs: Reduction(ProductionId(number), {END: None})
        for number, production in enumerate(bnf.productions)
    }
    states = (
        LalrState({terminal: LalrStateId(1)}, at_end.get((), {}), {bnf.start: LalrStateId(2)}),
        LalrState({}, at_end[terminal,], {}),
        LalrState({}, {}, {}),
    )
    return LalrGrammar(
        bnf,
        _make_lexer(translation, bnf, (1, 0), contexts, after),
        LalrTable(states, LalrStateId(2), (ContextId(0), ContextId(1), ContextId(1))),
    )


def _make_lexer(
    translation: Translation,
    bnf: Bnf,
    ranks: tuple[int, ...],
    contexts: tuple[Context, ...],
    contexts_after: Mapping[int, frozenset[ContextId]],
) -> LexerSpec:
    patterns = [translation.terminals[name] for name in bnf.terminals[1:]]
    return LexerSpec(
        terminals=bnf.terminals,
        patterns=(None, *patterns),
        re_flags=0,
        ranks=ranks,
        ignored=frozenset(),
        contexts=contexts,
        first_context=ContextId(0),
        contexts_after=contexts_after,
        layout=None,
    )


def _check_work(translation: Translation, name: str) -> None:
    """Count the symbols of the rules, each side's end included, as for Lark's."""
    limit = current_limits().work
    counted = {rule: sum(len(s) + 1 for s in sides) for rule, sides in translation.rules.items()}
    if sum(counted.values()) > limit:
        largest = max(counted, key=lambda rule: counted[rule])
        raise LimitError(
            "symbols in the rules when their repetitions are written out",
            limit,
            f"lower their counts, or raise {HOW_TO_RAISE['work']}",
            f"{name}: {quote_symbol('rule', largest)}",
        )


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
            f"{fact}, and this command reads LALR grammars only; "
            "compile, inspect, generate and verify take it",
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
