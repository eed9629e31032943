"""Law: a mask of a general grammar has the tokens that its stacks take, and no others.

Masks are read off the stacks from the top down (``runtime/glr/debts.py``), and tokens move the
stacks themselves, byte by byte (``runtime/glr/gss.py``): two ways that share no code beyond the
tables. Expressions are drawn with many levels, where states reduce to each other alone, operators
that are glued together, and where one list ends as many others do; with caches of all sizes, and
with tokens that have no rows.
"""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc import Artifact
from tests.compiled import compile_text, legal_ids
from tests.examples import examples
from tests.laws.test_steps_change_no_mask import draw_strings

OPERATORS = "-+"
LEXERS = ["dynamic", "dynamic_complete", "basic"]


def draw_levels(draw: Random) -> str:
    """Return a grammar of expressions whose levels are each the next one, or more."""
    n_levels = draw.randint(2, 5)
    lines = ['start: e0 (";" e0)*']
    for level in range(n_levels):
        here, next_ = f"e{level}", f"e{level + 1}"
        sides = [next_]
        for _ in range(draw.randint(1, 2)):
            sign = draw.choice(OPERATORS) * draw.randint(1, 2)
            sides.append(
                draw.choice(
                    [
                        f'{here} "{sign}" {next_}',
                        f'{next_} "{sign}" {here}',
                        f'{here} "{sign}" {here}',
                        f'"{sign}" {here}',
                        f'{here} "{sign}"',
                        f'{draw.choice(["e0", here])} "[" e0 "]"',
                    ]
                )
            )
        lines.append(f"{here}: {' | '.join(sides)}")
    lines.append(f'e{n_levels}: "a" | "(" e{draw.randint(0, n_levels - 1)} ")" | "a" "[" e0 "]"')
    return "\n".join(lines) + "\n"


def compare(artifact: Artifact, tokens: tuple[bytes, ...], draw: Random, longest: int) -> int:
    """Walk at random; return how many masks were compared."""
    machine, matcher = artifact.machine, artifact.matcher()
    hypotheses = machine.start()
    for number in range(longest):
        taken = {t for t, token in enumerate(tokens) if machine.step(hypotheses, token)}
        if any(machine.may_end(h) for h in hypotheses):
            taken.add(len(tokens))
        assert legal_ids(matcher, len(tokens) + 1) == taken
        going_on = sorted(taken - {len(tokens)})
        if not going_on:
            return number + 1
        token = draw.choice(going_on)
        assert matcher.accept_token(token)
        hypotheses = machine.step(hypotheses, tokens[token])
    return longest


@pytest.mark.parametrize("cuts", [0, 128])
@examples(20)
@given(st.integers(0, 100_000), st.sampled_from(LEXERS), st.sampled_from([0, 3_000, 10_000_000]))
@example(1, "dynamic", 10_000_000)
def test_a_mask_of_expressions_is_what_their_stacks_take(cuts, seed, lexer, cache_bytes):
    draw = Random(seed)
    text = draw_levels(draw)
    tokens = tuple(dict.fromkeys((*draw_strings(draw, "a-+()[];"), b"-" * 5, b"--a--", b"])-a")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("maskc.compiler.glr.walk.MAX_CUTS", cuts)
        contents = compile_text(text, tokens, parser="earley", lexer=lexer).contents
    artifact = Artifact(contents, cache_bytes=cache_bytes)
    for _ in range(3):
        assert compare(artifact, tokens, draw, 20) > 1
