"""A mask says of each token what its bytes say, on stacks that are new and on those that are not.

The mask is read from the stack, from its top downwards, over an automaton that is made on the way;
a token's bytes are lexed and parsed one by one. Of both only the parser's table is the same.
"""

from random import Random

import pytest

import maskc
from maskc.errors import MaskcError
from tests.compiled import compile_text, legal_ids
from tests.examples import seeds
from tests.random_grammars import draw_layout_grammar, draw_tokens

N_STEPS = 40
SEEDS = seeds(24)
SYMBOLS = "abc()[],;"


def draw_nested_grammar(draw):
    """Return a grammar whose stacks grow: brackets, lists, and chains from both ends."""
    names = ["start", *"uvw"]
    lines = []
    for name in names:
        ways = []
        for _ in range(draw.randint(2, 4)):
            inner, other = draw.choices(names[1:], k=2)
            x, y = draw.choices(['"a"', '"b"', '"c"', '","', '";"'], k=2)
            ways.append(
                draw.choice(
                    [
                        f'"(" {inner} ")"',
                        f'"[" {inner} ("," {other})* "]"',
                        f"{x} {inner}",
                        f"{inner} {x} {other}",
                        f"{x} {inner}? {y}",
                        x,
                        x,
                        f"{x} {inner}+ {y}",
                    ]
                )
            )
        lines.append(f"{name}: {' | '.join(dict.fromkeys(ways))}")
    return "\n".join(lines) + "\n"


def check(draw, contents, cache_bytes):
    """Walk over legal tokens, and hold each mask against the bytes of every token."""
    artifact = maskc.Artifact(contents, cache_bytes=cache_bytes)
    n_tokens = artifact.vocab_size - 1
    n_masks = 0
    for _ in range(3):
        matcher = artifact.matcher()
        for _ in range(N_STEPS):
            legal = legal_ids(matcher, artifact.vocab_size)
            n_masks += 1
            assert (n_tokens in legal) == matcher.is_accepting
            by_bytes = {
                token_id
                for token_id in range(n_tokens)
                if matcher.fork().accept_bytes(artifact.token_bytes(token_id))
            }
            assert legal - {n_tokens} == by_bytes
            if not by_bytes:
                break
            assert matcher.accept_token(draw.choice(sorted(by_bytes)))
    return n_masks


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_of_nested_grammars_are_what_the_bytes_say(seed):
    draw = Random(seed)
    tokens = draw_tokens(draw, SYMBOLS)
    while True:
        try:
            contents = compile_text(draw_nested_grammar(draw), tokens).contents
            break
        except MaskcError:  # in conflict with itself, or without a text
            continue
    assert check(draw, contents, draw.choice([0, 30_000, 1 << 28])) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_of_blocks_are_what_the_bytes_say(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    tokens = draw_tokens(draw, alphabet)
    contents = compile_text(text, tokens, postlex="tests.indenters:TwoColumns").contents
    assert check(draw, contents, draw.choice([0, 30_000, 1 << 28])) >= 3
