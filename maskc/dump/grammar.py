"""The grammar as the compiler sees it: terminals, contexts, productions."""

from __future__ import annotations

from collections.abc import Iterator

from maskc.glr.adjacency import LexedCfg
from maskc.grammar.model import Grammar
from maskc.ids import END


def dump_grammar(grammar: Grammar) -> Iterator[str]:
    """Yield the terminals in canonical order, the contexts in Lark's order, the productions."""
    yield f"terminals: {len(grammar.bnf.terminals)}"
    for terminal, (name, pattern) in enumerate(
        zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    ):
        notes = []
        if terminal in grammar.lexer.ignored:
            notes.append("ignored")
        if pattern is None and terminal != END:
            notes.append("declared")
        text = "" if pattern is None else f"  /{pattern}/"
        yield f"  {terminal} {name}{text}{''.join(f'  ({note})' for note in notes)}"
    yield f"contexts: {len(grammar.lexer.contexts)}"
    for number, context in enumerate(grammar.lexer.contexts):
        yield f"  {number}: " + " | ".join(grammar.bnf.terminals[t] for t in context.alternatives)
        for terminal, keywords in context.keywords:
            named = " ".join(grammar.bnf.terminals[keyword] for keyword in keywords)
            yield f"     {grammar.bnf.terminals[terminal]} is renamed to {named}"
    if grammar.lexer.layout:
        layout = grammar.lexer.layout

        def names(terminals: frozenset[int]) -> str:
            return " ".join(grammar.bnf.terminals[t] for t in sorted(terminals)) or "nothing"

        yield (
            f"indentation: {grammar.bnf.terminals[layout.newline]} gives "
            f"{grammar.bnf.terminals[layout.indent]} and {grammar.bnf.terminals[layout.dedent]}, "
            f"not between {names(layout.opens)} and {names(layout.closes)}; "
            f"a tab is worth {layout.tab_len}"
        )
    yield f"productions: {len(grammar.bnf.productions)}"
    for number, production in enumerate(grammar.bnf.productions):
        side = " ".join(map(grammar.bnf.symbol_name, production.rhs))
        yield f"  {number} {grammar.bnf.nonterminals[production.lhs]} -> {side}".rstrip()


def dump_productions(grammar: Grammar, lexed: LexedCfg) -> Iterator[str]:
    """Yield the productions of a general grammar after the rewrites, and what their symbols mean.

    Nonterminals have numbers here: the rewrites make more of them than the grammar names.
    """
    cfg = lexed.cfg
    names = []
    for number, (terminal, lookaheads) in enumerate(lexed.symbols):
        twins = sum(other == terminal for other, _ in lexed.symbols)
        name = grammar.bnf.terminals[terminal]
        names.append(name if twins == 1 else f"{name}/{number}")
        if twins > 1:
            yield f"symbol {names[-1]}: lookaheads {lookaheads:b}"
    yield f"start: N{cfg.start}{', or the empty text' if cfg.has_empty else ''}"
    yield f"productions: {len(cfg.productions)}"
    for number, production in enumerate(cfg.productions):
        side = " ".join(names[s] if s >= 0 else f"N{-1 - s}" for s in production.rhs)
        yield f"  {number} N{production.lhs} -> {side}"
