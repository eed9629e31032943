r"""The parser that Lark builds for a source.

Loading, importing, expanding templates and EBNF, and building the LALR table are Lark's work. What
it would do without end is counted or refused before (:mod:`maskc.frontends.lark.expansion`,
:mod:`maskc.frontends.lark.grammar_texts`), and what it would refuse only when it first lexes, at
once (:mod:`maskc.frontends.lark.contexts`).

What Lark accepts and we refuse, by name: an import that leads out of the grammar's folder, and a
conditional on a group's number, since Lark joins patterns and counts the groups of all of them.

A grammar has the meaning of the Lark that is installed, and ``maskc verify`` holds it against the
same one. From 1.2.2 to 1.3 one thing changed that a text can show: how a lexeme is compared with
the string terminals that its terminal matches in full, its keywords. Lark 1.3 asks
``re.fullmatch``. Lark 1.2 asks ``re.match`` with a ``$`` after the keyword, which also holds before
a line break at the end, and with the flag ``m`` before any: so of ``/[a-z]+\n?/`` beside ``"if"``
the lexeme ``if\n`` is the keyword there, and not in 1.3. Beside that Lark 1.3 lexes slices of
texts, and its lexers take nothing else.

Source: Lark 1.2.2 and 1.3.1, ``lexer.py``: ``UnlessCallback``, ``Scanner``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, AnyStr, cast

import lark
import lark.utils
from lark import Lark
from lark.exceptions import LarkError, UnexpectedInput, UnexpectedToken, VisitError
from lark.lexer import PatternRE, TerminalDef
from lark.load_grammar import load_grammar as load_lark_grammar

from maskc.bounded import QUIET, run_bounded
from maskc.budget import name_imports, name_parts
from maskc.errors import GrammarError
from maskc.frontends.backreferences import write_without_backreferences
from maskc.frontends.lark.contexts import (
    check_alternations,
    check_bytes,
    check_readable,
    is_dynamic,
)
from maskc.frontends.lark.expansion import check_expansion
from maskc.frontends.lark.grammar_texts import check_grammar_text, explain_syntax, make_loader
from maskc.frontends.lark.reduce_conflicts import describe_collision, quote_text
from maskc.frontends.lark.remedies import explain_refusal, explain_undefined
from maskc.frontends.lark.roles import check_roles, insert_roles
from maskc.frontends.lark.rule_postlex import build_postlex, check_rules
from maskc.frontends.lark.sharing import PLAIN
from maskc.frontends.settings import PRIORITIES
from maskc.frontends.source import GrammarSource, name_source
from maskc.frontends.texts import LARK
from maskc.regular.python import refers_back
from maskc.wording import LARK_WORDING

# Lark checks some of what it reads with assertions, and converts counts as they are written.
_LONGEST_NAME = 40  # of a terminal that has none: its pattern
_ATTEMPTS = 10
REFUSALS = (LarkError, re.error, UnicodeDecodeError, AssertionError, ValueError, OverflowError)

OLDEST_LARK = (1, 2, 2)
_FIRST_WITH_FULLMATCH = (1, 3)


def build_lark(source: GrammarSource, plugins: Mapping[str, type] = PLAIN) -> Lark:
    """Return Lark's own parser for the source: the specification of its language.

    Raises:
        GrammarError: Lark refuses the text; the message is Lark's.
        UnsupportedTerminalError: a terminal means something else beside other terminals.
        LimitError: it is too large, or takes too long.
    """
    return run_bounded(lambda: build_with_imports(source, {}, plugins), name=source.name)


def build_with_imports(
    source: GrammarSource, imports: dict[str, str], plugins: Mapping[str, type] = PLAIN
) -> Lark:
    """Return Lark's parser, and write the texts that the grammar imports into ``imports``."""
    check_version(source.name)
    for _ in range(_ATTEMPTS):
        try:
            return _build(source, imports, plugins)
        except VisitError as error:
            # Before 3.11.8 and 3.12.2, ``ast.literal_eval``, which Lark calls, may raise a
            # SystemError where two threads are in it (CPython's issue 106905).
            if not isinstance(error.orig_exc, SystemError):
                raise
    fact = "Python failed to read its literals while other threads read theirs; compile it again"
    raise GrammarError(source.name, fact)


def _build(source: GrammarSource, imports: dict[str, str], plugins: Mapping[str, type]) -> Lark:
    name_source(source)
    name_imports(imports)
    check_grammar_text(source.name, len(source.text), source.text)
    postlex = build_postlex(source.postlex) if source.postlex else None
    starts = source.start.split(",")
    grammar: Any = None
    try:
        with QUIET:
            grammar = read_grammar(source, source.text, imports)
            check_expansion(grammar, source.name)
            if source.roles:
                insert_roles(grammar, source)
                check_expansion(grammar, source.name)
            built = Lark(
                grammar,
                parser=cast(Any, source.parser),
                lexer=cast(Any, source.lexer),
                start=starts,
                postlex=postlex,
                g_regex_flags=source.flags,
                regex=source.regex,
                use_bytes=source.use_bytes,
                edit_terminals=_make_edit(source),
                priority=cast(Any, PRIORITIES[source.priority]),
                source_path=source.name,
                _plugins=dict(plugins),
                # Earley only: trees are nobody's concern.
                ambiguity="forest" if source.parser == "earley" else "auto",
            )
        name_parts({t.name: _show(t) for t in built.terminals if _has_no_name(t, source, imports)})
        if source.regex:
            # Loading it takes longer than all of a small grammar.
            from maskc.frontends.lark.regex_module import translate_terminals

            translate_terminals(built)
        if source.use_bytes:
            check_bytes(built)
        check_rules(built, source)
        _check_patterns(built, source)
        if source.roles:
            check_roles(built, source.name)
        written = _write_backreferences(built, source)
        if not is_dynamic(built):
            check_alternations(built)  # of the grammar's own patterns, which Lark joins
        _exchange(built, written, source)
    except REFUSALS as error:
        if isinstance(error, VisitError) and isinstance(error.orig_exc, SystemError):
            raise
        collision = describe_collision(str(error), grammar, starts, is_earleys=source.is_earleys)
        raise GrammarError(source.name, collision or _explain(error, source, imports)) from None
    # The table is made for all start symbols; `parse` without a start begins at the first.
    cast(Any, built.parser).parser_conf.start = starts[:1]
    return built


def _make_edit(source: GrammarSource) -> Callable[[TerminalDef], None]:
    """Return what puts the settings' patterns in the place of terminals' own, and reads each."""
    patterns = dict(source.patterns)

    def edit(terminal: TerminalDef) -> None:
        name, own = str(terminal.name), terminal.pattern
        if name in patterns:
            terminal.pattern = own = PatternRE(patterns[name], own.flags)
        pattern, flags = own.to_regexp(), source.flags
        check_readable(source.name, name, pattern, flags, by_regex=source.regex)

    return edit


def _write_backreferences(lark: Lark, source: GrammarSource) -> list[tuple[TerminalDef, str]]:
    """Return the terminals that refer back to one of a few texts, with patterns that do not."""
    values, found = dict(source.backreferences), []
    for terminal in lark.terminals:
        name, own = str(terminal.name), terminal.pattern
        given = values.get(name)
        if own.type != "re" or given is None and not refers_back(own.to_regexp(), source.flags):
            continue
        flags = source.flags | (re.ASCII if source.use_bytes else 0)
        written = write_without_backreferences(
            name, own.to_regexp(), given, flags=flags, is_joined=not is_dynamic(lark)
        )
        found.append((terminal, written))
    return found


def _exchange(lark: Lark, written: list[tuple[TerminalDef, str]], source: GrammarSource) -> None:
    """Give terminals other patterns.

    Lark's lexers are made, and keep their terminals in the order of the grammar's own patterns.
    """
    values = dict(source.backreferences)
    for terminal, pattern in written:
        terminal.pattern = PatternRE(pattern)
        if is_dynamic(lark) and str(terminal.name) in values:
            # What the author lists is the terminal; elsewhere Lark goes on matching its own.
            matcher = cast(Any, lark.parser).parser.term_matcher.__self__
            matcher.regexps[str(terminal.name)] = re.compile(pattern, source.flags)


def _check_patterns(lark: Lark, source: GrammarSource) -> None:
    known = {str(terminal.name) for terminal in lark.terminals}
    given = [("pattern", name) for name, _ in source.patterns]
    given += [("backreference", name) for name, _ in source.backreferences]
    for setting, name in given:
        if name not in known:
            raise GrammarError(
                source.name,
                f"{setting}= names {name[:80]}, which no rule of the grammar uses; check its name",
            )


def _has_no_name(terminal: TerminalDef, source: GrammarSource, imports: Mapping[str, str]) -> bool:
    """Return whether the author gave a terminal no name: Lark calls ``"+"`` PLUS."""
    name = str(terminal.name)
    if name.startswith("__"):
        return True
    if source.dialect != LARK.name or terminal.pattern.type != "str":
        return False
    end = name.rpartition("__")[2]  # of an imported one: the name in its file
    if not any(end in text for text in (source.text, *imports.values())):
        return True
    return "(" not in LARK_WORDING.quote("terminal", name, source.text, imports)


def _show(terminal: TerminalDef) -> str:
    pattern = str(terminal.pattern.value)
    if len(pattern) > _LONGEST_NAME:
        pattern = f"{pattern[:_LONGEST_NAME]}…"
    if terminal.pattern.type != "str":
        return f"/{pattern}/"
    return quote_text(pattern)


def read_grammar(source: GrammarSource, text: str, imports: dict[str, str]) -> Any:
    """Return what Lark reads of a grammar, and write the texts that it imports into ``imports``.

    Where it cannot, it compares the text with its examples of errors and logs the state of its
    parser with ``%d``, which is not a number: that is a TypeError, on the way of what it had found.
    """
    try:
        loaders = [make_loader(source, imports)]
        return cast(Any, load_lark_grammar)(text, source.name, loaders, False)[0]
    except TypeError as error:
        found, here = None, error.__context__
        while here is not None:
            found, here = (here if isinstance(here, UnexpectedInput) else found), here.__context__
        if found is None:
            raise
        if isinstance(found, UnexpectedToken) and "STRING" in found.expected:
            # What Lark says of it without an example.
            where = f"at line {found.line} column {found.column}"
            raise LarkError(f"Expecting a value, {where}") from None
        raise found from None


def _explain(error: BaseException, source: GrammarSource, imports: Mapping[str, str]) -> str:
    text = " ".join(str(error).split())
    said = explain_syntax(text, source.text, imports) or explain_undefined(
        str(error), source.text, imports
    )
    if said is not None:
        return said
    text = text or type(error).__name__
    for start in source.start.split(","):
        if "undefined rule" in text and f"'{start}'" in text:
            return (
                f"the start symbol {start!r} is not a rule; name one that is, with --start RULE "
                "(start= in Python)"
            )
    known = explain_refusal(str(error), source.text)
    if known is not None:
        return known
    if "repetition number is too large" in text:
        return f"Lark refuses it: {text}; lower the counts of its patterns"
    return f"Lark refuses it: {text[:600]}"


def check_version(name: str) -> None:
    """Refuse a Lark older than those whose language we are held against."""
    if _installed() < OLDEST_LARK:
        raise GrammarError(
            name,
            f"Lark {lark.__version__} is installed, and grammars are compiled and verified with "
            f"Lark {'.'.join(map(str, OLDEST_LARK))} or newer; install 'lark>=1.2.2', or do it "
            "in another environment: an artifact needs no Lark to be served",
        )


def keyword_tail(flags: int) -> str:
    """Return the pattern of what a lexeme may have after a keyword and still be that keyword."""
    if _installed() >= _FIRST_WITH_FULLMATCH:
        return ""
    return r"(?:\n[\s\S]*)?" if flags & re.MULTILINE else r"\n?"


def match_lexeme(lexer: Any, text: AnyStr, position: int) -> tuple[AnyStr, str] | None:
    """Return the lexeme and the terminal that one of Lark's basic lexers finds."""
    is_sliced = _installed() >= _FIRST_WITH_FULLMATCH
    given = cast(Any, lark.utils).TextSlice(text, 0, len(text)) if is_sliced else text
    found: tuple[AnyStr, str] | None = lexer.match(given, position)
    return found


def _installed() -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", lark.__version__)[:3])
