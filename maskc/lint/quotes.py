r"""Which quoted terminals read on to the last quote that they find?

``".*"`` is greedy: of ``"a", "b"`` it reads all, as one lexeme, and what the author took for two
strings is one. A mask follows that: after the first string closes, everything is still legal.

Example: ``STRING: /".*"/`` reads ``"a" "b"``, where ``/"[^"]*"/`` reads ``"a"``.

Limits: only quotes of one character are looked for, with one repetition between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from maskc.frontends.match_length import match_length
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import GrammarSubject

CODE = "ML012"
_QUOTES = "\"'`"

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001


def find_greedy_quotes(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each terminal that reads over its own closing quote."""
    lexer = subject.grammar.lexer
    for terminal, pattern in enumerate(lexer.patterns):
        if pattern is None:
            continue
        for quote in sorted(_find_quotes(_parser.parse(pattern, lexer.re_flags))):
            witness = f"{quote}a{quote} {quote}b{quote}"
            if match_length(pattern, witness, lexer.re_flags) != len(witness):
                continue
            name = subject.name(terminal)
            yield Finding(
                CODE,
                Severity.WARNING,
                subject.place_of_terminal(terminal),
                f"{name} is greedy: it reads on to the last {quote} that it finds, not to the next",
                witness,
                f"leave the quote out of what may stand between: {quote}[^{quote}]*{quote}, or "
                f"with escapes {quote}(?:\\\\.|[^{quote}\\\\])*{quote}",
            )


def _find_quotes(tree: Any) -> Iterator[str]:
    """Yield the quotes that stand right before and after a greedy repetition of a set."""
    nodes = list(tree)
    for before, here, after in zip(nodes, nodes[1:], nodes[2:], strict=False):
        is_quoted = str(before[0]) == str(after[0]) == "LITERAL" and before[1] == after[1]
        if is_quoted and str(here[0]) == "MAX_REPEAT" and chr(before[1]) in _QUOTES:
            yield chr(before[1])
    for opcode, argument in nodes:
        match str(opcode):
            case "SUBPATTERN":
                yield from _find_quotes(argument[3])
            case "BRANCH":
                for branch in argument[1]:
                    yield from _find_quotes(branch)
            case "ATOMIC_GROUP":
                yield from _find_quotes(argument)
