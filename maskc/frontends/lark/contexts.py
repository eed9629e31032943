r"""The contexts and the patterns of Lark's lexer: what it looks for, in order, and where.

Contexts, the order of terminals and the keywords of each context are read from Lark's own lexer
objects, so they are Lark's by construction. Lark makes its alternations when it first lexes; what
it would refuse then is refused when the grammar is loaded.

A pattern is read before Lark does, which with ``lexer=dynamic`` says only what the pattern's module
says. If it cannot be read, mostly it is one of the module ``regex``, and the project loads its
grammar with ``regex=True``; so that module is asked: for ``A: /\p{L}+/`` the message says what
``re`` says (bad escape \p at position 0), and to write ``// maskc: regex=true``.

With ``use_bytes=True`` Lark writes each pattern as bytes and gives it to ``re``: by Latin-1 where
terminals are lexed, so that ``\xe9`` is one byte, and by UTF-8 with ``lexer=dynamic`` and
``dynamic_complete``, where it is the two bytes C3 A9. To a pattern of bytes a character is a byte,
and ``\w``, ``\s``, ``\b`` and letters of either case are those of ASCII. Such a pattern is kept as
the text that Latin-1 makes of its bytes, with the flag ``a``, and the scanner reads character n
as byte n. Which strings are keywords of which pattern Lark still asks of texts.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, cast

from lark import Lark
from lark.lexer import BasicLexer

from maskc.budget import quote_symbol
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.roles import create_unless, rank_roles
from maskc.frontends.postlex import TEXT_END, TEXT_START, Indentation, PostlexRules
from maskc.grammar import Context, IndenterLayout, Rewrite
from maskc.ids import END, ContextId, TerminalId
from maskc.regular.matching import KeywordMatcher
from maskc.regular.python import check_conditionals

# A name, a flag or a look-around; or an escaped bracket, which does no harm.
_MORE_THAN_A_GROUP = re.compile(r"\(\?(?!:)")

_LONGEST = 200


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


def write_pattern(lark: Lark, pattern: str) -> str:
    """Return a pattern as the scanner takes it: that of bytes as Latin-1, any other as it is."""
    return _encode(lark, pattern).decode("latin-1") if lark.lexer_conf.use_bytes else pattern


def find_flags(lark: Lark) -> int:
    flags: int = lark.lexer_conf.g_regex_flags
    return flags | re.ASCII if lark.lexer_conf.use_bytes else flags


def check_bytes(lark: Lark) -> None:
    """Check what Lark finds out when it lexes first: that each pattern is one of bytes.

    Raises:
        GrammarError: one has a character that is no byte, or ``re`` refuses it, or its terminal's
            name, as Python 3.12 does beyond ASCII.
    """
    flags = lark.lexer_conf.g_regex_flags
    for terminal in lark.terminals:
        name, pattern = str(terminal.name), terminal.pattern.to_regexp()
        fact = ""
        try:
            re.compile(_encode(lark, pattern), flags)
        except UnicodeEncodeError as error:
            fact = (
                f"{error.object[error.start]!a} is no byte; write its bytes, as \\xc4\\x81, or "
                "leave use_bytes=true out"
            )
        except (re.error, ValueError) as error:
            fact = f"re refuses it as a pattern of bytes ({error}); correct the pattern"
        if not fact and not is_dynamic(lark) and not name.isascii() and not _is_name_of_bytes(name):
            fact = (
                "in bytes, the re of this Python takes names of ASCII alone, and Lark names a "
                "terminal after its text; define one for it, as "
                f'LETTER: "{ascii(terminal.pattern.value)[1:-1]}"'
            )
        if fact:
            quoted = quote_symbol("terminal", name)
            raise GrammarError(str(lark.source_path), f"{quoted}: {fact}")


def _is_name_of_bytes(name: str) -> bool:
    """Return whether ``re`` takes a group's name in a pattern of bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.11
            re.compile(f"(?P<{name}>)".encode("latin-1"))
    except re.error:
        return False
    return True


def _encode(lark: Lark, pattern: str) -> bytes:
    return pattern.encode("utf-8" if is_dynamic(lark) else "latin-1")


def check_readable(source: str, name: str, pattern: str, flags: int, *, by_regex: bool) -> None:
    """Check that a pattern can be read; Lark does not always say which one cannot."""
    # Loading regex takes longer than all of a small grammar.
    module: Any = importlib.import_module("regex") if by_regex else re
    try:
        module.compile(pattern, flags)
    except (module.error, RecursionError, OverflowError) as error:
        shown = "it" if name.startswith("__") else f"its pattern {_show(pattern)}"
        reader = "the module regex" if by_regex else "re"
        fact = f"{_locate(name, pattern)}: {reader} cannot read {shown} ({error})"
        advice = "correct the pattern" if by_regex else _advise(name, pattern)
        raise GrammarError(source, f"{fact}; {advice}") from None


def _locate(name: str, pattern: str) -> str:
    if name.startswith("__"):
        return f"terminal /{_show(pattern)}/"
    return quote_symbol("terminal", name)


def _show(pattern: str) -> str:
    return pattern if len(pattern) <= _LONGEST else f"{pattern[:_LONGEST]}…"


def _advise(name: str, pattern: str) -> str:
    # Loading it takes longer than all of a small grammar.
    import regex

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError):
            return "correct the pattern"
        # Importing it takes as long.
        from maskc.frontends.lark.regex_module import translate

        try:
            re.compile(translate(name, pattern))
        except (UnsupportedTerminalError, re.error, RecursionError, OverflowError) as error:
            fact = error.construct if isinstance(error, UnsupportedTerminalError) else error
            return (
                f"the module regex can, but no automaton here follows it ({fact}): write the "
                "pattern without it"
            )
    return (
        "the module regex can: if the project has Lark(…, regex=True), write "
        "// maskc: regex=true at the top"
    )
