"""Random small grammars over characters, written in two notations, and their texts by induction.

An expression is a tuple: ``("text", "ab")``, ``("class", "ab")``, ``("not", "ab")``, ``("any",)``,
``("row", …)``, ``("or", …)``, ``("times", body, low, high)``, ``("rule", name)``, and for EBNF
``("but", left, right)``. Nothing here is shared with the readers that the laws are about.
"""

import itertools
from random import Random

from lark import Lark
from lark.exceptions import LarkError

ALPHABET = "abc"
NAMES = ("root", "x-y", "Other")


def draw_rules(draw: Random) -> dict:
    names = NAMES[: draw.choice([1, 2, 2, 3, 3])]
    return {name: draw_expression(draw, names) for name in names}


def draw_expression(draw: Random, names: tuple, depth: int = 0) -> tuple:
    kind = draw.random()
    if depth > 3 or kind < 0.25:
        return draw.choice(
            [
                ("text", "".join(draw.choices(ALPHABET, k=draw.choice([0, 1, 1, 2])))),
                ("class", "".join(sorted(set(draw.choices(ALPHABET, k=2))))),
                ("not", draw.choice(ALPHABET)),
                ("any",),
            ]
        )
    if kind < 0.45 and names:
        return ("rule", draw.choice(names))
    if kind < 0.65:
        return ("row", *(draw_expression(draw, names, depth + 1) for _ in range(2)))
    if kind < 0.85:
        return ("or", *(draw_expression(draw, names, depth + 1) for _ in range(2)))
    low, high = draw.choice([(0, None), (1, None), (0, 1), (2, None), (0, 2), (1, 2), (2, 2)])
    return ("times", draw_expression(draw, names, depth + 1), low, high)


def list_texts(rules: dict, longest: int) -> set:
    """Return the texts of ``root`` up to a length, by going round until nothing is added."""
    known = {name: set() for name in rules}
    while True:
        after = {name: texts_of(body, known, longest) for name, body in rules.items()}
        if after == known:
            return known["root"]
        known = after


def has_texts(rules: dict) -> bool:
    """Return whether ``root`` has a text of any length."""
    known = set()
    while True:
        after = {name for name, body in rules.items() if ends(body, known)}
        if after == known:
            return "root" in known
        known = after


def ends(expression: tuple, known: set) -> bool:
    kind, *rest = expression
    if kind == "rule":
        return rest[0] in known
    if kind in ("row", "or"):
        return (all if kind == "row" else any)(ends(part, known) for part in rest)
    return kind != "times" or rest[1] == 0 or ends(rest[0], known)


def texts_of(expression: tuple, known: dict, longest: int) -> set:
    kind, *rest = expression
    if kind == "text":
        return {rest[0]} if len(rest[0]) <= longest else set()
    if kind in ("class", "not", "any"):
        return {c for c in ALPHABET if kind == "any" or (c in rest[0]) == (kind == "class")}
    if kind == "rule":
        return known[rest[0]]
    if kind == "or":
        return set().union(*(texts_of(part, known, longest) for part in rest))
    if kind == "but":
        return texts_of(rest[0], known, longest) - texts_of(rest[1], known, longest)
    if kind == "row":
        found = {""}
        for part in rest:
            found = join(found, texts_of(part, known, longest), longest)
        return found
    body, low, high = rest
    once = texts_of(body, known, longest)
    found = {""}
    for _ in range(low):
        found = join(found, once, longest)
    for _ in itertools.count() if high is None else range(high - low):
        after = found | join(found, once, longest)
        if after == found:
            break
        found = after
    return found


def join(left: set, right: set, longest: int) -> set:
    return {a + b for a in left for b in right if len(a) + len(b) <= longest}


def every_text(longest: int) -> list:
    return [
        "".join(letters)
        for length in range(longest + 1)
        for letters in itertools.product(ALPHABET, repeat=length)
    ]


def accepted_by(lark: Lark, longest: int) -> set:
    return {text for text in every_text(longest) if accepts(lark, text)}


def accepts(lark: Lark, text: str) -> bool:
    try:
        lark.parse(text)
    except LarkError:
        return False
    return True


# Notation → how an expression's kind is written; EBNF has no hyphen in names.
FORMS = {
    "gbnf": {"text": '"{0}"', "class": "[{0}]", "not": "[^{0}]", "any": ".", "rule": "{0}"},
    "ebnf": {"text": "'{0}'", "not": "[^{0}]", "any": "[#x1-#x10FFFF]", "rule": "{0}"},
}
EBNF_NAMES = {"root": "document", "x-y": "Inner", "Other": "Other"}
SIGNS = {(0, None): "*", (1, None): "+", (0, 1): "?"}
GBNF_SIGNS = {**SIGNS, (2, None): "{2,}", (0, 2): "{,2}"}


def write_rules(rules: dict, dialect: str) -> str:
    names = EBNF_NAMES if dialect == "ebnf" else {name: name for name in rules}
    return "\n".join(f"{names[name]} ::= {write(body, dialect)}" for name, body in rules.items())


def write(expression: tuple, dialect: str) -> str:
    kind, *rest = expression
    if kind == "times":
        return write_times(f"({write(rest[0], dialect)})", *rest[1:], dialect)
    if kind in ("row", "or", "but"):
        parts = [write(part, dialect) for part in rest]
        if kind == "or":
            return f"({' | '.join(parts)})"
        if kind == "but":
            return f"(({parts[0]}) - ({parts[1]}))"
        # Brackets, now and then.
        return " ".join(f"({part})" for part in parts) if rest[0] == rest[1] else " ".join(parts)
    if dialect == "ebnf" and kind == "class":
        return "[" + "".join(f"#x{ord(c):X}" for c in rest[0]) + "]"
    if dialect == "ebnf" and kind == "rule":
        rest = [EBNF_NAMES[rest[0]]]
    return FORMS[dialect][kind].format(*rest)


def write_times(inner: str, low: int, high: int | None, dialect: str) -> str:
    """Return a repetition; as the XML specification has it, other counts are written out."""
    if dialect == "gbnf":
        return inner + GBNF_SIGNS.get((low, high), f"{{{low},{high}}}")
    if (low, high) in SIGNS:
        return inner + SIGNS[low, high]
    more = [f"{inner}*"] if high is None else [f"{inner}?"] * (high - low)
    return " ".join([inner] * low + more)
