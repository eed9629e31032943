r"""Where can a model write blanks for ever, by a grammar that any parser reads?

As :mod:`maskc.lint.blanks`, which asks the scanner of Lark's LALR parser. Where texts are split in
every way, as with Earley and in other notations, the patterns say it: a repetition without a bound
whose characters are blanks only, wherever it stands, and whatever is ignored at all, since it may
come again and again.

Example: ``ws ::= [ \t\n]*`` in GBNF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from maskc.frontends.match_length import match_length
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import GrammarSubject

CODE = "ML007"
_BLANKS = " \t\n\r\f\v"

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001


def find_unbounded_blanks(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each rule, or terminal, in which blanks go on without a bound."""
    lexer = subject.grammar.lexer
    reported = set()
    for terminal, pattern in enumerate(lexer.patterns):
        if pattern is None:
            continue
        is_ignored = terminal in lexer.ignored
        repeats = is_ignored and any(match_length(pattern, b, lexer.re_flags) for b in _BLANKS)
        if not repeats and not _has_loop(_parser.parse(pattern, lexer.re_flags)):
            continue
        place = subject.place_of_terminal(terminal)
        if place in reported:
            continue
        reported.add(place)
        what = "is ignored as often as it comes" if is_ignored else "takes any number of blanks"
        yield Finding(
            CODE,
            Severity.WARNING,
            place,
            f"{place.name or subject.name(terminal)} {what}: a model can write them for ever",
            " " * 8,
            "let rules have blanks where they belong, with a bound, instead of ignoring them"
            if is_ignored
            else "write a bound in place of + or *, as in {0,3}",
        )


def _has_loop(tree: Any) -> bool:
    for opcode, argument in tree:
        match str(opcode):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                _, high, body = argument
                is_blank = len(body) == 1 and str(body[0][0]) == "IN" and _is_blank(body[0][1])
                if (high == _parser.MAXREPEAT and is_blank) or _has_loop(body):
                    return True
            case "SUBPATTERN":
                if _has_loop(argument[3]):
                    return True
            case "BRANCH":
                if any(map(_has_loop, argument[1])):
                    return True
            case "ATOMIC_GROUP":
                if _has_loop(argument):
                    return True
    return False


def _is_blank(members: Any) -> bool:
    for kind, value in members:
        is_letter = str(kind) == "LITERAL" and chr(value) in _BLANKS
        is_range = str(kind) == "RANGE" and all(chr(v) in _BLANKS for v in range(*value)[:7])
        is_class = str(kind) == "CATEGORY" and str(value) == "CATEGORY_SPACE"
        if not (is_letter or is_range or is_class):
            return False
    return True
