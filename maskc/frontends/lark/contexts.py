"""The contexts of Lark's lexer: the terminals that it looks for, in order, and where.

Contexts, the order of terminals and the keywords of each context are read from Lark's own lexer
objects, so they are Lark's by construction. Lark makes its alternations when it first lexes; what
it would refuse then is refused when the grammar is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from lark import Lark
from lark.lexer import BasicLexer

from maskc.budget import quote_symbol
from maskc.errors import GrammarError
from maskc.frontends.lark.roles import create_unless, rank_roles
from maskc.frontends.postlex import TEXT_END, TEXT_START, Indentation, PostlexRules
from maskc.grammar.model import Context, IndenterLayout, Rewrite
from maskc.ids import END, ContextId, TerminalId
from maskc.regular.matching import KeywordMatcher
from maskc.regular.python import check_conditionals

# A name, a flag or a look-around; or an escaped bracket, which does no harm.
_MORE_THAN_A_GROUP = re.compile(r"\(\?(?!:)")


def check_alternations(lark: Lark) -> None:
    """Check what Lark finds out when it lexes first: that its alternations are patterns of ``re``.

    Raises:
        GrammarError: flags for the whole pattern in a terminal, two groups of one name, or a
            comment that goes on into the next terminal.
        UnsupportedTerminalError: a conditional on a group by its number.
    """
    flags = lark.lexer_conf.g_regex_flags
    groups: dict[str, set[str]] = {}
    for terminal in lark.terminals:
        name, pattern = str(terminal.name), terminal.pattern.to_regexp()
        if _MORE_THAN_A_GROUP.search(pattern) or flags & re.VERBOSE and "#" in pattern:
            groups[name] = _name_groups(lark, name, pattern, flags)
            check_conditionals(name, pattern, flags)
    lexer = lexer_of(lark)
    contexts = [lexer] if isinstance(lexer, BasicLexer) else lexer.lexers.values()
    for context in contexts if any(len(names) > 1 for names in groups.values()) else ():
        known: set[str] = set()
        for terminal in context.terminals:
            names = groups.get(terminal.name, {terminal.name})
            if not known.isdisjoint(names):
                twice = min(known & names)
                raise GrammarError(
                    str(lark.source_path),
                    f"{quote_symbol('terminal', terminal.name)}: its group {twice} has the name of "
                    "another group, or of a terminal, of the same context; Lark joins these to one "
                    "pattern, in which a name may occur once: give the group another name",
                )
            known |= names


def _name_groups(lark: Lark, name: str, pattern: str, flags: int) -> set[str]:
    """Return the names of the groups in a terminal, as a part of an alternation, with its own."""
    try:
        return set(re.compile(f"(?P<{name}>{pattern})", flags).groupindex)
    except re.error as error:
        about_flags = "global flags" in str(error)
        remedy = "give the group another name"
        if about_flags:
            remedy = "write them after it, as /a./s, or for a part of it, as (?s:a.)"
        elif "unterminated" in str(error):
            remedy = r"write \# for the sign, which begins a comment with flags=x"
        raise GrammarError(
            str(lark.source_path),
            f"{quote_symbol('terminal', name)}: Lark joins its pattern to others, and re then "
            f"refuses {'its flags' if about_flags else 'it'} ({error}); {remedy}",
        ) from None


def is_dynamic(lark: Lark) -> bool:
    return str(lark.lexer_conf.lexer_type).startswith("dynamic")


def lexer_of(lark: Lark) -> Any:
    """Return Lark's lexer, without the postlex around it."""
    lexer = cast(Any, lark.parser.lexer)
    return lexer.lexer if lark.lexer_conf.postlex else lexer


def read_ranks(lark: Lark, terminals: tuple[str, ...]) -> tuple[int, ...]:
    """Return the rank of each terminal in the order in which Lark tries all of them."""
    lexer = lexer_of(lark)
    in_order = (lexer if isinstance(lexer, BasicLexer) else lexer.root_lexer).terminals
    rank = {str(t.name): i for i, t in enumerate(rank_roles(in_order))}
    return tuple(rank.get(name, len(rank)) for name in terminals)


def read_contexts(
    lark: Lark, order: Iterable[int], terminal_id: Mapping[str, TerminalId]
) -> tuple[tuple[Context, ...], tuple[ContextId, ...]]:
    lexer, matcher = lexer_of(lark), KeywordMatcher()
    if isinstance(lexer, BasicLexer):
        return (read_context(lexer, terminal_id, matcher),), tuple(ContextId(0) for _ in order)
    number: dict[Context, ContextId] = {}
    context_of = []
    read: dict[int, Context] = {}
    for lark_state in order:
        lexer_here = lexer.lexers[lark_state]
        if id(lexer_here) not in read:
            read[id(lexer_here)] = read_context(lexer_here, terminal_id, matcher)
        context = ContextId(len(number))
        context_of.append(number.setdefault(read[id(lexer_here)], context))
    return tuple(number), tuple(context_of)


def read_context(lexer: Any, terminal_id: Mapping[str, TerminalId], matcher: Any) -> Context:
    alternatives, callbacks = create_unless(
        lexer.terminals, lexer.g_regex_flags, matcher, lexer.use_bytes
    )
    return Context(
        tuple(terminal_id[t.name] for t in alternatives),
        tuple(
            (terminal_id[name], tuple(terminal_id[t.name] for t in unless.scanner.terminals))
            for name, unless in sorted(callbacks.items())
        ),
    )


def read_layout(postlex: Indentation, terminal_id: Mapping[str, TerminalId]) -> IndenterLayout:
    def ids(names: Iterable[str]) -> frozenset[TerminalId]:
        return frozenset(terminal_id[name] for name in names if name in terminal_id)

    return IndenterLayout(
        newline=terminal_id[postlex.newline],
        indent=terminal_id[postlex.indent],
        dedent=terminal_id[postlex.dedent],
        opens=ids(postlex.opens),
        closes=ids(postlex.closes),
        tab_len=postlex.tab_len,
    )


def read_rewrites(
    rules: PostlexRules, terminal_id: Mapping[str, TerminalId]
) -> tuple[Rewrite, ...]:
    numbers = {**terminal_id, TEXT_START: END, TEXT_END: END}

    def ids(names: tuple[str, ...]) -> frozenset[TerminalId] | None:
        return frozenset(numbers[name] for name in names) if names else None

    return tuple(
        Rewrite(
            numbers[rule.terminal],
            None if rule.becomes is None else numbers[rule.becomes],
            ids(rule.before),
            ids(rule.after),
            ids(rule.between),
        )
        for rule in rules.rules
    )
