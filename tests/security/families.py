"""Families of grammars with one number in them, as people write them by hand."""

from __future__ import annotations

import random
from collections.abc import Callable

BLANKS = "%ignore / +/\n"
JSON = r"""
?start: value
?value: object | array | STRING | NUMBER | "true" | "false" | "null"
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
STRING: /"([^"\\\x00-\x1f]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
%ignore /[ \t\n\r]+/
"""


def write_literal(n: int) -> str:
    """Return a grammar with one literal of so many characters."""
    return f'start: "{_letters(n)}"\n'


def write_negated(n: int) -> str:
    """Return a grammar with a counted repetition of all characters but one."""
    return f"start: A\nA: /[^x]{{1,{n}}}/\n"


def write_counted(n: int) -> str:
    """Return a grammar with a counted repetition of letters."""
    return f"start: A\nA: /[a-z]{{1,{n}}}/\n"


def write_keywords(n: int) -> str:
    """Return a grammar with so many keywords beside a name."""
    rules = "".join(f"    | {word.upper()} NAME\n" for word in _words(n))
    terminals = "".join(f'{word.upper()}: "{word}"\n' for word in _words(n))
    return f"start: statement+\nstatement: NAME\n{rules}NAME: /[a-z_]+/\n{terminals}{BLANKS}"


def write_anonymous(n: int) -> str:
    """Return a grammar with so many keywords as alternatives of one rule, beside a name."""
    rules = " | ".join(f'"{word}"' for word in _words(n))
    return f"start: (word | NAME)+\nword: {rules}\nNAME: /[a-z_]+/\n{BLANKS}"


def write_lengths(n: int) -> str:
    """Return a grammar with so many terminals that count letters, each to another bound."""
    rules = " | ".join(f"T_{k}" for k in range(1, n + 1))
    terminals = "".join(f"T_{k}: /[a-z]{{1,{k}}}/\n" for k in range(1, n + 1))
    return f"start: ({rules})+\n{terminals}{BLANKS}"


def write_names(n: int) -> str:
    """Return a grammar with one terminal that is one of so many names."""
    return f"start: A\nA: /{'|'.join(_words(n))}/\n"


def write_choices(n: int) -> str:
    """Return a grammar with so many literals as alternatives of one rule."""
    return "start: " + " | ".join(f'"{word}"' for word in _words(n)) + "\n"


def write_look_behind(n: int) -> str:
    """Return a grammar with a look-behind of so many characters."""
    return f"start: A\nA: /(?<=a[ab]{{{n}}})c/\n"


def write_json(_: int) -> str:
    """Return JSON; the number is the length of the tokens."""
    return JSON


def write_overlapping(n: int) -> str:
    """Return a general grammar in which so many terminals read the same letters."""
    names = "ABCDEFGH"[:n]
    terminals = "".join(f"{name}: /[a-z]{{1,{k + 2}}}/\n" for k, name in enumerate(names))
    head = "// maskc: parser=earley lexer=dynamic_complete\n"
    return f"{head}start: ({' | '.join(names)})+\n{terminals}"


FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "literal": (write_literal, (1500, 3000, 6000)),
    "negated": (write_negated, (120, 240, 480, 1000)),
    "counted": (write_counted, (250, 500, 1000)),
    "keywords": (write_keywords, (250, 500, 1000, 2000)),
    "anonymous": (write_anonymous, (250, 500, 1000, 2000)),
    "lengths": (write_lengths, (10, 20, 40)),
    "tokens": (write_json, (1000, 5000, 10000)),
    "names": (write_names, (1875, 3750, 7500, 20000, 100000)),
    "choices": (write_choices, (1000, 2000, 4000)),
    "look-behind": (write_look_behind, (3, 6, 12)),
    "overlapping": (write_overlapping, (2, 3, 4)),
}


def _letters(n: int) -> str:
    source = random.Random(n)
    return "".join(source.choices("abcdefghijklmnopqrstuvwxyz ", k=n))


def _words(n: int) -> list[str]:
    source = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(source.choices(letters, k=source.randint(4, 10)))] = None
    return list(found)
