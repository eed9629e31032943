"""Text that Lark loads with ``parser="lalr"`` or ``parser="earley"`` → Grammar.

Loading, importing, expanding templates and EBNF, and building the LALR table are Lark's work;
we read what it made. Contexts, the order of terminals and the keywords of each context are
read from Lark's own lexer objects as well, so they are Lark's by construction. A grammar for
Earley has no table.

What Lark accepts and we refuse, by name: an import that leads out of the grammar's folder, and a
conditional on a group's number, since Lark joins patterns and counts the groups of all of them.

Source: DESIGN, sections 1 and 2.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, cast

import lark.lexer
from lark import Lark
from lark.exceptions import LarkError
from lark.lexer import BasicLexer, TerminalDef, _create_unless
from lark.load_grammar import FromPackageLoader, stdlib_loader
from lark.load_grammar import load_grammar as load_lark_grammar

from maskc.automata.nfa import tested_groups
from maskc.budget import check_text, run_bounded
from maskc.errors import GrammarError, UnreadableFileError, UnsupportedTerminalError
from maskc.files import find_inside
from maskc.frontends.dialects import LARK, find_dialect
from maskc.frontends.expansion import check_expansion
from maskc.frontends.indenters import build_indenter
from maskc.frontends.literals import check_literals
from maskc.frontends.patching import patched
from maskc.frontends.source import (
    PRIORITIES,
    GrammarSource,
    load_source,
    name_source,
    read_text,
    source_from_header,
)
from maskc.frontends.tables import read_row, shared_lookaheads
from maskc.frontends.words import build_matcher
from maskc.grammar.lalr import LalrState, LalrTable, Reduction
from maskc.grammar.model import (
    Bnf,
    Context,
    Grammar,
    LalrGrammar,
    Layout,
    LexerSpec,
    Production,
)
from maskc.ids import ContextId, LalrStateId, ProductionId, TerminalId
from maskc.wording import Phrase

OLDEST_LARK = (1, 3)

# Lark checks some of what it reads with assertions, and converts counts as they are written.
_REFUSALS = (LarkError, re.error, UnicodeDecodeError, AssertionError, ValueError, OverflowError)

# CPython's parser has no public name.
_parser = cast(Any, re)._parser

__all__ = [
    "GrammarSource",
    "build_lark",
    "load_grammar",
    "load_lalr_grammar",
    "load_source",
    "source_from_header",
]


def build_lark(source: GrammarSource) -> Lark:
    """Return Lark's own parser for the source: the specification of its language.

    Raises:
        GrammarError: Lark refuses the text; the message is Lark's.
        UnsupportedTerminalError: a terminal means something else beside other terminals.
        LimitError: it is too large, or takes too long.
    """
    return run_bounded(lambda: _build(source, {}), name=source.name)


def load_grammar(source: GrammarSource) -> tuple[Grammar, GrammarSource]:
    """Return the grammar, and the source completed with the texts that it imported.

    Raises:
        GrammarError, UnsupportedTerminalError, LimitError: as :func:`build_lark`.
    """
    return run_bounded(lambda: _load(source), name=source.name)


def _load(source: GrammarSource) -> tuple[Grammar, GrammarSource]:
    imports: dict[str, str] = {}
    with shared_lookaheads():
        lark = _build(source, imports)
    start = source.start.split(",")[0]
    read = _read_general if source.parser == "earley" else _read_grammar
    grammar = read(lark, start)
    return grammar, replace(source, imports=dict(sorted(imports.items())))


def load_lalr_grammar(source: GrammarSource) -> tuple[LalrGrammar, GrammarSource]:
    """Return what :func:`load_grammar` returns, for those who read the LALR table.

    Raises:
        GrammarError: it has none, or cannot be loaded.
        UnsupportedTerminalError: as :func:`build_lark`.
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


def _build(source: GrammarSource, imports: dict[str, str]) -> Lark:
    _check_version(source.name)
    name_source(source)
    _check_text(source.name, len(source.text), source.text)
    postlex = build_indenter(source.postlex) if source.postlex else None
    starts = source.start.split(",")

    def read_import(base: Any, path: str) -> tuple[Any, str]:
        if not isinstance(base, str):  # `%import name`, not `%import .name`: Lark's own library
            return _read_library(source.name, base, path)
        key = os.path.normpath(os.path.join(base, path)).replace(os.sep, "/")
        text = source.imports.get(key)
        if text is None:
            text = _read_relative(source, key)
        imports[key] = text
        _check_text(key, sum(map(len, imports.values())) + len(source.text), text)
        return key, text

    try:
        # Lark calls an entry that is callable; its annotation names only its own loader.
        loaders = [cast(FromPackageLoader, read_import)]
        grammar, _ = cast(Any, load_lark_grammar)(source.text, source.name, loaders, False)
        check_expansion(grammar, source.name)
        with _no_collision_check():
            built = Lark(
                grammar,
                parser=cast(Any, source.parser),
                lexer=cast(Any, source.lexer),
                start=starts,
                postlex=postlex,
                g_regex_flags=source.flags,
                priority=cast(Any, PRIORITIES[source.priority]),
                source_path=source.name,
                # Earley only: trees are nobody's concern.
                ambiguity="forest" if source.parser == "earley" else "auto",
            )
        if not _is_dynamic(built):
            _check_alternations(built)
    except _REFUSALS as error:
        raise GrammarError(source.name, _explain(error, source)) from None
    # The table is made for all start symbols; `parse` without a start begins at the first.
    cast(Any, built.parser).parser_conf.start = starts[:1]
    return built


def _read_library(name: str, base: Any, path: str) -> tuple[Any, str]:
    """Return what Lark's own loader finds in its library.

    Raises:
        GrammarError: it finds none; Lark would look in the current folder next.
    """
    try:
        return stdlib_loader(base, path)
    except OSError:
        raise GrammarError(
            name,
            f"it imports {path.removesuffix('.lark')}, which Lark's library does not have; "
            "write a point before the name of a grammar that is beside this one",
        ) from None


def _read_relative(source: GrammarSource, key: str) -> str:
    """Return the text of an imported grammar, which lies in the folder of the one that imports.

    Raises:
        GrammarError: it is not there, leads out of the folder, is too large or no regular file.
    """
    if source.folder is None:
        raise GrammarError(source.name, f"it imports {key}, which is not there; check the path")
    path = find_inside(source.folder, source.folder / key)
    if path is None:
        raise GrammarError(
            source.name,
            f"it imports {key}, which leads out of its folder; put a copy into the folder",
        )
    try:
        return read_text(path, key)
    except UnicodeDecodeError as error:
        raise GrammarError(
            source.name,
            f"it imports {key}, whose byte {error.start} is not UTF-8; save it as UTF-8",
        ) from None
    except UnreadableFileError as error:
        if os.path.lexists(path):
            reason, remedy = error.reason, "replace it"
        else:
            reason, remedy = "is not there", "check the path"
        raise GrammarError(source.name, f"it imports {key}, which {reason}; {remedy}") from None


def _check_text(name: str, n_characters: int, text: str) -> None:
    check_text(n_characters, name)
    check_literals(text, name)


def _check_version(name: str) -> None:
    """Refuse a Lark older than the one whose language we are held against.

    It may be installed: vLLM pins one, and serving an artifact needs none.
    """
    installed = tuple(int(number) for number in re.findall(r"\d+", lark.__version__)[:2])
    if installed < OLDEST_LARK:
        raise GrammarError(
            name,
            f"Lark {lark.__version__} is installed, and grammars are compiled and verified with "
            f"Lark {'.'.join(map(str, OLDEST_LARK))} or newer; install 'lark>=1.3', or do it "
            "in another environment: an artifact needs no Lark to be served",
        )


def _no_collision_check() -> AbstractContextManager[None]:
    """Keep Lark from looking for terminals that collide, which it does if interegular is there.

    It only logs them. And interegular raises an AttributeError if it can read none of several
    terminals, as with ``/a++/`` and ``/(?>b)/``: Lark would parse these if it were not installed.
    """
    return patched(lark.lexer, "has_interegular", False)


def _explain(error: BaseException, source: GrammarSource) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    for start in source.start.split(","):
        if "undefined rule" in text and f"'{start}'" in text:
            return f"the start symbol {start!r} is not a rule; name one with start="
    return f"Lark refuses it: {text[:600]}"


def _check_alternations(lark: Lark) -> None:
    """Check what Lark finds out when it lexes first: that its alternations are patterns of ``re``.

    Raises:
        re.error: flags for the whole pattern in a terminal, or two groups of one name.
        UnsupportedTerminalError: a conditional on a group by its number.
    """
    flags = lark.lexer_conf.g_regex_flags
    groups: dict[str, set[str]] = {}
    for terminal in lark.terminals:
        name, pattern = str(terminal.name), terminal.pattern.to_regexp()
        if "(?" in pattern:
            groups[name] = set(re.compile(f"(?P<{name}>{pattern})", flags).groupindex)
            _check_conditionals(name, pattern, flags)
    lexer = _lexer_of(lark)
    contexts = [lexer] if isinstance(lexer, BasicLexer) else lexer.lexers.values()
    for context in contexts if any(len(names) > 1 for names in groups.values()) else ():
        known: set[str] = set()
        for terminal in context.terminals:
            names = groups.get(terminal.name, {terminal.name})
            if not known.isdisjoint(names):
                twice = min(known & names)
                raise re.error(f"redefinition of group name {twice!r} in terminal {terminal.name}")
            known |= names


def _check_conditionals(terminal: str, pattern: str, flags: int) -> None:
    alone, behind_a_group = (
        list(tested_groups(_parser.parse(text, flags))) for text in (pattern, f"()(?:{pattern})")
    )
    for group, moved in zip(alone, behind_a_group, strict=True):
        if group == moved:
            raise UnsupportedTerminalError(
                terminal,
                f"conditional on group {group} by its number, which is another one where patterns "
                "are joined to one",
                Phrase.NAME_THE_GROUP,
            )


def _read_grammar(lark: Lark, start: str) -> LalrGrammar:
    lexer_conf, table = lark.lexer_conf, cast(Any, lark.parser.parser)._parse_table
    postlex = cast(Any, lexer_conf.postlex)
    by_name: dict[str, TerminalDef] = {str(t.name): t for t in lark.terminals}
    rows = {number: read_row(row) for number, row in table.states.items()}
    rules = {rule for _, reduced, _ in rows.values() for rule in reduced.values()}
    rules |= {shared.reduction[1] for _, _, shared in rows.values() if shared is not None}
    # Rows that reduce alone share the names on which they do.
    looked_for = {id(s.names): s.names for _, _, s in rows.values() if s is not None}
    nonterminal_names = {str(r.origin.name) for r in lark.rules} | {
        str(r.origin.name) for r in rules
    }
    acted_on = [*looked_for.values(), *(moves for row in rows.values() for moves in row[:2])]
    terminal_names = {*by_name, *map(str, set().union(*acted_on))} - nonterminal_names
    if postlex:
        terminal_names |= {postlex.NL_type, postlex.INDENT_type, postlex.DEDENT_type}
        terminal_names |= {*postlex.OPEN_PAREN_types, *postlex.CLOSE_PAREN_types}
    terminals = ("$END", *sorted(terminal_names - {"$END"}))
    nonterminals = tuple(sorted(nonterminal_names))
    terminal_id = {name: TerminalId(i) for i, name in enumerate(terminals)}
    nonterminal_id = {name: i for i, name in enumerate(nonterminals)}

    def read_rule(rule: Any) -> Production:
        return Production(
            nonterminal_id[rule.origin.name],
            tuple(
                terminal_id[s.name] if s.is_term else -1 - nonterminal_id[s.name]
                for s in rule.expansion
            ),
        )

    productions = tuple(
        sorted(
            {read_rule(rule) for rule in (*lark.rules, *rules)},
            key=lambda p: (p.lhs, [_sort_key(s) for s in p.rhs]),
        )
    )
    production_id = {p: ProductionId(i) for i, p in enumerate(productions)}
    order = _number_states(table, start)
    terminals_of: dict[int, dict[int, None]] = {
        key: dict.fromkeys(sorted(terminal_id[name] for name in names))
        for key, names in looked_for.items()
    }
    states = []
    for lark_state in order:
        moves, reduced, shared = rows[lark_state]
        reduces: Mapping[int, ProductionId] = {
            terminal_id[name]: production_id[read_rule(rule)] for name, rule in reduced.items()
        }
        if shared is not None:
            number = production_id[read_rule(shared.reduction[1])]
            reduces = Reduction(number, terminals_of[id(shared.names)])
        states.append(
            LalrState(
                {terminal_id[n]: order[t] for n, t in moves.items() if n in terminal_id},
                reduces,
                {nonterminal_id[n]: order[t] for n, t in moves.items() if n in nonterminal_id},
            )
        )
    contexts, context_of = _read_contexts(lark, order, terminal_id)
    lexer = LexerSpec(
        terminals=terminals,
        patterns=tuple(
            by_name[name].pattern.to_regexp() if name in by_name else None for name in terminals
        ),
        re_flags=lexer_conf.g_regex_flags,
        ranks=_read_ranks(lark, terminals),
        ignored=frozenset(terminal_id[name] for name in lexer_conf.ignore),
        contexts=contexts,
        first_context=context_of[0],
        contexts_after=_list_contexts_after(states, context_of),
        layout=_read_layout(postlex, terminal_id) if postlex else None,
    )
    return LalrGrammar(
        Bnf(terminals, nonterminals, nonterminal_id[start], productions),
        lexer,
        LalrTable(tuple(states), order[table.end_states[start]], context_of),
    )


def _list_contexts_after(
    states: Iterable[LalrState], context_of: Sequence[ContextId]
) -> dict[int, frozenset[ContextId]]:
    """Return, for each terminal that is shifted, the contexts of the states that it leads to."""
    found: dict[int, set[ContextId]] = {}
    for row in states:
        for terminal, target in row.shifts.items():
            found.setdefault(terminal, set()).add(context_of[target])
    return {terminal: frozenset(contexts) for terminal, contexts in found.items()}


def _read_general(lark: Lark, start: str) -> Grammar:
    """Return a grammar without a table; its lexer has one context, before and after everything."""
    by_name: dict[str, TerminalDef] = {str(t.name): t for t in lark.terminals}
    symbols = [s for rule in lark.rules for s in rule.expansion]
    terminals = (
        "$END",
        *sorted({*by_name, *(str(s.name) for s in symbols if s.is_term)} - {"$END"}),
    )
    nonterminals = tuple(
        sorted(
            {start}
            | {str(rule.origin.name) for rule in lark.rules}
            | {str(s.name) for s in symbols if not s.is_term}
        )
    )
    terminal_id = {name: TerminalId(i) for i, name in enumerate(terminals)}
    nonterminal_id = {name: i for i, name in enumerate(nonterminals)}
    productions = {
        Production(
            nonterminal_id[str(rule.origin.name)],
            tuple(
                terminal_id[str(s.name)] if s.is_term else -1 - nonterminal_id[str(s.name)]
                for s in rule.expansion
            ),
        )
        for rule in lark.rules
    }
    ranks, context = (
        (0,) * len(terminals),
        Context(tuple(map(TerminalId, range(1, len(terminals)))), ()),
    )
    if not _is_dynamic(lark):
        ranks = _read_ranks(lark, terminals)
        context = _read_context(_lexer_of(lark), terminal_id, build_matcher())
    lexer = LexerSpec(
        terminals=terminals,
        patterns=tuple(
            by_name[name].pattern.to_regexp() if name in by_name else None for name in terminals
        ),
        re_flags=lark.lexer_conf.g_regex_flags,
        ranks=ranks,
        ignored=frozenset(terminal_id[str(name)] for name in lark.lexer_conf.ignore),
        contexts=(context,),
        first_context=ContextId(0),
        contexts_after=dict.fromkeys(range(1, len(terminals)), frozenset([ContextId(0)])),
        layout=None,
    )
    in_order = sorted(productions, key=lambda p: (p.lhs, [_sort_key(s) for s in p.rhs]))
    return Grammar(Bnf(terminals, nonterminals, nonterminal_id[start], tuple(in_order)), lexer)


def _is_dynamic(lark: Lark) -> bool:
    return str(lark.lexer_conf.lexer_type).startswith("dynamic")


def _sort_key(symbol: int) -> tuple[bool, int]:
    return (symbol < 0, abs(symbol))


def _number_states(table: Any, start: str) -> dict[int, LalrStateId]:
    """Return Lark's state → canonical number, breadth first over sorted symbol names."""
    order: dict[int, LalrStateId] = {table.start_states[start]: LalrStateId(0)}
    queue = deque(order)
    while queue:
        moves, _, _ = read_row(table.states[queue.popleft()])
        for target in moves.values():
            if target not in order:
                order[target] = LalrStateId(len(order))
                queue.append(target)
    return order


def _lexer_of(lark: Lark) -> Any:
    lexer = cast(Any, lark.parser.lexer)
    return lexer.lexer if lark.lexer_conf.postlex else lexer


def _read_ranks(lark: Lark, terminals: tuple[str, ...]) -> tuple[int, ...]:
    lexer = _lexer_of(lark)
    in_order = (lexer if isinstance(lexer, BasicLexer) else lexer.root_lexer).terminals
    rank = {str(t.name): i for i, t in enumerate(in_order)}
    return tuple(rank.get(name, len(rank)) for name in terminals)


def _read_contexts(
    lark: Lark, order: Iterable[int], terminal_id: Mapping[str, TerminalId]
) -> tuple[tuple[Context, ...], tuple[ContextId, ...]]:
    lexer, matcher = _lexer_of(lark), build_matcher()
    if isinstance(lexer, BasicLexer):
        return (_read_context(lexer, terminal_id, matcher),), tuple(ContextId(0) for _ in order)
    number: dict[Context, ContextId] = {}
    context_of = []
    read: dict[int, Context] = {}
    for lark_state in order:
        lexer_here = lexer.lexers[lark_state]
        if id(lexer_here) not in read:
            read[id(lexer_here)] = _read_context(lexer_here, terminal_id, matcher)
        context = ContextId(len(number))
        context_of.append(number.setdefault(read[id(lexer_here)], context))
    return tuple(number), tuple(context_of)


def _read_context(lexer: Any, terminal_id: Mapping[str, TerminalId], matcher: Any) -> Context:
    alternatives, callbacks = cast(Any, _create_unless)(
        lexer.terminals, lexer.g_regex_flags, matcher, lexer.use_bytes
    )
    return Context(
        tuple(terminal_id[t.name] for t in alternatives),
        tuple(
            (terminal_id[name], tuple(terminal_id[t.name] for t in unless.scanner.terminals))
            for name, unless in sorted(callbacks.items())
        ),
    )


def _read_layout(postlex: Any, terminal_id: Mapping[str, TerminalId]) -> Layout:
    def ids(names: Iterable[str]) -> frozenset[TerminalId]:
        return frozenset(terminal_id[name] for name in names)

    return Layout(
        newline=terminal_id[postlex.NL_type],
        indent=terminal_id[postlex.INDENT_type],
        dedent=terminal_id[postlex.DEDENT_type],
        opens=ids(postlex.OPEN_PAREN_types),
        closes=ids(postlex.CLOSE_PAREN_types),
        tab_len=postlex.tab_len,
    )
