r"""What is wrong with a pattern that Lark cannot compile, and what can its author do?

Lark says "Cannot compile token" and the pattern, or with ``lexer=dynamic`` only what the pattern's
module says, so there it is read before Lark does. Mostly it is one of the module ``regex``, and the
project loads its grammar with ``regex=True``; so that module is asked.

Example: for ``A: /\p{L}+/`` the message names the terminal with its line, says what ``re`` says
(bad escape \p at position 0), and to write ``// maskc: regex=true``.
"""

from __future__ import annotations

import ast
import re
import warnings

from maskc.budget import quote_symbol
from maskc.errors import GrammarError, UnsupportedTerminalError

_REFUSED = re.compile(r"Cannot compile token (\w+): (.+)", re.DOTALL)
_LONGEST = 200


def explain_unreadable(text: str) -> str | None:
    """Return the message for what Lark says of a pattern; ``None`` if it says something else."""
    refused = _REFUSED.search(text)
    if refused is None:
        return None
    return _explain(refused[1], str(ast.literal_eval(refused[2])))


def check_readable(source: str, name: str, pattern: str, flags: int, *, by_regex: bool) -> None:
    """Raise a ``GrammarError`` if a terminal's pattern cannot be read.

    Args:
        source: what the grammar is called.
        name: of the terminal.
        pattern: of ``re``, or of the module ``regex``.
        flags: of all patterns.
        by_regex: which of the two it is.
    """
    if by_regex:
        # Loading it takes longer than all of a small grammar.
        import regex

        try:
            regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError) as error:
            fact = f"{_place(name, pattern)}: the module regex cannot read it ({error})"
            raise GrammarError(source, f"{fact}; correct the pattern") from None
        return
    try:
        re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError):
        raise GrammarError(source, _explain(name, pattern)) from None


def _explain(name: str, pattern: str) -> str:
    what = "it" if name.startswith("__") else f"its pattern {_show(pattern)}"
    fact = f"re cannot read {what} ({_complaint(pattern)})"
    return f"{_place(name, pattern)}: {fact}; {_advise(name, pattern)}"


def _place(name: str, pattern: str) -> str:
    if name.startswith("__"):
        return f"terminal /{_show(pattern)}/"
    return quote_symbol("terminal", name)


def _show(pattern: str) -> str:
    return pattern if len(pattern) <= _LONGEST else f"{pattern[:_LONGEST]}…"


def _complaint(pattern: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            return str(error)
    return "Lark refuses it"


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
