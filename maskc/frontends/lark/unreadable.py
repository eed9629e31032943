r"""What is wrong with a pattern that Lark cannot compile, and what can its author do?

Lark says "Cannot compile token" and the pattern. Mostly it is one of the module ``regex``, and the
project loads its grammar with ``regex=True``; so that module is asked.

Example: for ``A: /\p{L}+/`` the message names the terminal with its line, says what ``re`` says
(bad escape \p at position 0), and to write ``// maskc: regex=true``.
"""

from __future__ import annotations

import ast
import re
import warnings

from maskc.budget import quote_symbol

_REFUSED = re.compile(r"Cannot compile token (\w+): (.+)", re.DOTALL)
_LONGEST = 200


def explain_unreadable(text: str) -> str | None:
    """Return the message for what Lark says of a pattern; ``None`` if it says something else."""
    refused = _REFUSED.search(text)
    if refused is None:
        return None
    name, pattern = refused[1], str(ast.literal_eval(refused[2]))
    shown = pattern if len(pattern) <= _LONGEST else f"{pattern[:_LONGEST]}…"
    place = f"terminal /{shown}/" if name.startswith("__") else quote_symbol("terminal", name)
    what = f"its pattern {shown}" if not name.startswith("__") else "it"
    return f"{place}: re cannot read {what} ({_complaint(pattern)}); {_advise(pattern)}"


def _complaint(pattern: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            return str(error)
    return "Lark refuses it"


def _advise(pattern: str) -> str:
    # Loading it takes longer than all of a small grammar.
    import regex

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError):
            return "correct the pattern"
    return (
        "the module regex can: if the project has Lark(…, regex=True), write "
        "// maskc: regex=true at the top"
    )
