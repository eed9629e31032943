"""Law: each streamlining step leaves every mask as it was, token by token.

Grammars with brackets, separators and conflicts are walked at random, with the artifacts of all
steps side by side; the raw one asks the parser about every row.
"""

from collections.abc import Sequence
from random import Random

import pytest

from maskc import Artifact
from maskc.compiler.optimise.order import STEPS
from maskc.errors import MaskcError
from tests.compiled import compile_text, legal_ids
from tests.examples import seeds

ALPHABET = "()[]a,+-;"
LAYOUT = r"""
start: (_NL | stmt)*
stmt: simple _NL | "a" ":" block
simple: expr (";" expr)*
expr: "a" | "(" [expr ("," expr)*] ")" | expr "+" expr | expr "-" expr
block: _NL _INDENT stmt+ _DEDENT
LP: "("
RP: ")"
_NL: /(\r?\n[\t ]*|#[^\n]*)+/
%ignore " "
%declare _INDENT _DEDENT
"""


def draw_bracket_grammar(draw: Random) -> str:
    """Return a grammar over ``ALPHABET``: nested, with blanks or without."""
    rules = ["start", "x", "y", "z"]

    def draw_item() -> str:
        kind = draw.random()
        if kind < 0.3:
            return f'"(" {draw.choice(rules[1:])} ")"'
        if kind < 0.5:
            return f'"[" {draw.choice(rules[1:])} ("," {draw.choice(rules[1:])})* "]"'
        if kind < 0.6:
            return draw.choice(['("+" | "-")', '"+"', '"-"'])
        if kind < 0.75:
            return draw.choice(rules[1:])
        return '"a"' + draw.choice(["", "", "?"])

    lines = []
    for rule in rules:
        expansions = [
            " ".join(draw_item() for _ in range(draw.randint(1, 3)))
            for _ in range(draw.randint(1, 3))
        ]
        lines.append(f"{rule}: " + " | ".join([*expansions, '"a"', '";"'][: draw.randint(2, 5)]))
    if draw.random() < 0.4:
        lines.append('%ignore " "')
    return "\n".join(lines) + "\n"


def draw_strings(draw: Random, alphabet: str) -> tuple[bytes, ...]:
    strings = {"".join(draw.choices(alphabet, k=draw.randint(2, 5))) for _ in range(60)}
    return tuple(sorted({s.encode() for s in strings | set(alphabet)}))


def compare_steps(
    text: str,
    tokens: tuple[bytes, ...],
    draw: Random,
    *,
    walks: int = 4,
    longest: int = 40,
    **settings: str,
) -> int:
    """Walk at random; return how many masks were compared."""
    artifacts = [compile_text(text, tokens, step, **settings) for step in STEPS]
    return compare_masks(text, artifacts, tokens, draw, walks=walks, longest=longest)


def compare_masks(
    text: str,
    artifacts: Sequence[Artifact],
    tokens: tuple[bytes, ...],
    draw: Random,
    *,
    walks: int = 4,
    longest: int = 40,
) -> int:
    """Walk at random with artifacts side by side; return how many masks were compared."""
    n_masks = 0
    for _ in range(walks):
        matchers = [artifact.matcher() for artifact in artifacts]
        for _ in range(longest):
            masks = [legal_ids(matcher, len(tokens) + 1) for matcher in matchers]
            for number, mask in enumerate(masks):
                assert mask == masks[0], (text, number, mask ^ masks[0])
            n_masks += 1
            choices = sorted(masks[0] - {len(tokens)})
            if not choices:
                break
            token = draw.choice(choices)
            assert all(matcher.accept_token(token) for matcher in matchers)
    return n_masks


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize("seed", seeds(30))
def test_no_step_changes_a_mask(seed, lexer):
    draw = Random(seed)
    for _ in range(100):
        text = draw_bracket_grammar(draw)
        tokens = draw_strings(draw, ALPHABET + (" " if "%ignore" in text else ""))
        try:
            compile_text(text, tokens[:1], lexer=lexer)
        except MaskcError:  # reduce/reduce, or no text at all
            continue
        assert compare_steps(text, tokens, draw, lexer=lexer) > 0
        return
    pytest.fail("no grammar was drawn that Lark loads")


@pytest.mark.parametrize("seed", seeds(20))
def test_no_step_changes_a_mask_with_indentation(seed):
    draw = Random(seed)
    tokens = draw_strings(draw, "a:\n (),+;")
    assert compare_steps(LAYOUT, tokens, draw, postlex="tests.indenters:TwoColumns") > 4
