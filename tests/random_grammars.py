"""Random small grammars, and their languages by asking Lark about every short text.

The grammars are meant to be awkward: terminals overlap, keywords hide in regular expressions,
priorities disagree with lengths, quantifiers are lazy, look-arounds look past the lexeme, rules
are empty or left-recursive, conflicts are resolved by shifting.
"""

import itertools
from random import Random

from lark import Lark
from lark.exceptions import LarkError

LOOKS = ["(?=", "(?!", "(?<=", "(?<!"]
ANCHORS = [r"\b", r"\B", "$", "^", ".", r"\w", "(?m:$)"]


def draw_regex(draw: Random, alphabet: str, depth: int = 0) -> str:
    kind = draw.random()
    if depth > 2 or kind < 0.35:
        return draw.choice(alphabet)
    if kind < 0.45:
        return "[" + "".join(sorted(set(draw.choices(alphabet, k=2)))) + "]"
    if kind < 0.5:
        return f"[^{draw.choice(alphabet)}]"
    inner = draw_regex(draw, alphabet, depth + 1)
    if kind < 0.65:
        return inner + draw_regex(draw, alphabet, depth + 1)
    if kind < 0.75:
        return f"(?:{inner}|{draw_regex(draw, alphabet, depth + 1)})"
    if kind < 0.9:
        return f"(?:{inner})" + draw.choice(["*", "+", "?", "*?", "+?", "??", "{1,2}"])
    if kind < 0.97:
        return f"{draw.choice(LOOKS)}{draw.choice(alphabet)})"
    return draw.choice(ANCHORS)


def draw_grammar(draw: Random) -> tuple[str, str]:
    """Return a grammar's text and the characters to try on it."""
    alphabet = "abé"[: draw.choice([2, 2, 3])]
    names = [f"T{i}" for i in range(draw.randint(1, 4))]
    lines = []
    for name in names:
        priority = draw.choice(["", "", "", ".1", ".2"])
        if draw.random() < 0.4:
            text = "".join(draw.choices(alphabet, k=draw.randint(1, 3)))
            lines.append(f'{name}{priority}: "{text}"{draw.choice(["", "", "i"])}')
        else:
            regex = draw_regex(draw, alphabet) + draw_regex(draw, alphabet)
            lines.append(f"{name}{priority}: /{regex}/")
    symbols = names * 2 + ["x", "y"]

    def draw_expansion() -> str:
        chosen = draw.choices(symbols, k=draw.choice([0, 1, 1, 2, 2, 3]))
        return " ".join(s + (draw.choice("*+?") if draw.random() < 0.25 else "") for s in chosen)

    for rule in ("start", "x", "y"):
        n_expansions = draw.choice([1, 2, 2, 3])
        lines.append(f"{rule}: " + " | ".join(draw_expansion() for _ in range(n_expansions)))
    kind = draw.random()
    if kind < 0.3:
        lines.append('%ignore " "')
        alphabet += " "
    elif kind < 0.45:
        lines.append(f"%ignore {draw.choice(names)}")
    return "\n".join(lines) + "\n", alphabet


NEWLINES = [
    r"_NL: /(\n[\t ]*)+/",
    r"_NL: /\n[\t ]*/",
    r"_NL: /(\r?\n[\t ]*|#[^\n]*)+/",
    r"_NL: /\n\s*/",
    r"_NL: /\n( {2})*/",
    r"_NL: /\s*\n *(\n *)*/",
]
BLOCKS = r"""
start: (_NL | stmt)*
stmt: simple _NL | "a" ":" block
simple: "a" | LP "a"* RP
block: _NL _INDENT stmt+ _DEDENT
LP: "("
RP: ")"
%declare _INDENT _DEDENT
"""


IN_BRACKETS = [
    'inside: "a"* _NL? close\nclose: RP\n',
    'inside: _NL? ("a" _NL?)* close\nclose: RP\n',
    'inside: ("a" | _NL)* close\nclose: RP _NL?\n',
    'inside: "a" block? RP\n',
    "inside: simple* RP\n",
    "inside: simple? _NL* RP\n",
    'inside: LP "a"* close close\nclose: RP _NL?\n',
]


def draw_layout_grammar(draw: Random) -> tuple[str, str]:
    """Return a grammar for ``tests.indenters:TwoColumns`` and the characters to try."""
    text = BLOCKS
    if draw.random() < 0.3:
        text = text.replace("stmt+ _DEDENT", "stmt _DEDENT")
    if draw.random() < 0.3:
        text = text.replace("(_NL | stmt)*", "stmt*")
    if draw.random() < 0.2:
        text = text.replace("simple _NL |", "simple _NL? |")
    if draw.random() < 0.4:
        # Between brackets, words that only a newline or something ignored keeps apart.
        words = draw.choice(["WORD*", "WORD WORD", "WORD WORD | WORD WORD WORD", "WORD? WORD"])
        text = text.replace('"a"* RP', f"({words}) RP") + "WORD: /a+/\n"
    elif draw.random() < 0.5:
        # Lines that a rule asks for between brackets, and brackets that another rule closes.
        text = text.replace('LP "a"* RP', "LP inside") + draw.choice(IN_BRACKETS)
    blanks, comment = '%ignore " "\n', "%ignore /#[^\\n]*/\n"
    whole_comment = "%ignore /#[^\\n]*\\n/\n"
    ignore = draw.choice(
        ["", blanks, "%ignore /[ \\t]+/\n", comment + blanks, comment, whole_comment]
    )
    alphabets = ["a:\n ", "a:\n ", "a:\n ()", "a:\n\t", "a:\n #", "a\n ()", "a\n#()", "a\n#()"]
    alphabet = draw.choice(alphabets)
    return f"{text}{draw.choice(NEWLINES)}\n{ignore}", alphabet


def draw_tokens(draw: Random, alphabet: str) -> tuple[bytes, ...]:
    """Return single characters, longer strings, and bytes that cut characters."""
    tokens = {c.encode() for c in alphabet}
    for _ in range(12):
        tokens.add("".join(draw.choices(alphabet, k=draw.randint(2, 5))).encode())
    for token in sorted(tokens):
        cut = draw.randint(0, len(token))
        tokens |= {token[:cut], token[cut:]} - {b""}
    return tuple(sorted(tokens))


def lark_accepts(lark: Lark, text: str) -> bool:
    """Return whether Lark parses the text; its Indenter raises more than LarkError."""
    try:
        lark.parse(text)
    except (LarkError, IndexError, AssertionError):
        return False
    return True


def accepted_texts(lark: Lark, alphabet: str, longest: int) -> set[str]:
    """Return every text up to a length that Lark parses."""
    return {
        text
        for length in range(longest + 1)
        for text in map("".join, itertools.product(alphabet, repeat=length))
        if lark_accepts(lark, text)
    }
