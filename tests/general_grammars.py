"""Grammars for Earley: those in ``tests/grammars/general``, and random ones.

Random ones have empty rules, cycles, recursion on both sides and in the middle, and terminals that
overlap; look-arounds are left to the tests of what is refused.
"""

from pathlib import Path
from random import Random

from tests.random_grammars import draw_regex

FOLDER = Path(__file__).parent / "grammars" / "general"


def general_grammar(name: str) -> str:
    """Return the text of one of the named grammars."""
    return (FOLDER / f"{name}.lark").read_text()


def draw_general_grammar(draw: Random) -> tuple[str, str]:
    """Return a grammar's text and the characters to try on it."""
    alphabet = "abé"[: draw.choice([2, 2, 3])]
    names = [f"T{i}" for i in range(draw.randint(1, 3))]
    lines = []
    for name in names:
        if draw.random() < 0.5:
            lines.append(f'{name}: "{"".join(draw.choices(alphabet, k=draw.randint(1, 3)))}"')
        else:
            lines.append(f"{name}: /{_draw_plain(draw, alphabet)}{draw.choice(alphabet)}/")
    rules = ["start", "x", "y"][: draw.randint(1, 3)]
    for rule in rules:
        sides = []
        for _ in range(draw.choice([1, 2, 2, 3])):
            chosen = draw.choices([*names, *rules], k=draw.choice([0, 1, 2, 2, 3, 3]))
            sides.append(
                " ".join(s + (draw.choice("*+?") if draw.random() < 0.1 else "") for s in chosen)
            )
        lines.append(f"{rule}: {' | '.join(sides)}")
    if draw.random() < 0.4:
        lines.append(f"%ignore /{draw.choice([' ', ' +', ' (a )*', ' *?b| '])}/")
        alphabet += " "
    return "\n".join(lines) + "\n", alphabet


def _draw_plain(draw: Random, alphabet: str) -> str:
    """Return a pattern without look-arounds and anchors."""
    while True:
        pattern = draw_regex(draw, alphabet)
        if not any(sign in pattern for sign in ("(?=", "(?!", "(?<", "\\b", "\\B", "$", "^", "m:")):
            return pattern
