"""A structural tag's masks are those of the language that it stands for, bit by bit."""

import json
import random

import numpy as np
import pytest

import maskc
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary
from tests.examples import seeds
from tests.tags.drawing import END, SPECIALS, TOKENS, draw_format
from tests.tags.oracle import Oracle, nullable


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(Vocabulary(TOKENS, (END,), "small", SPECIALS))


def _legal(constraint: Constraint, matcher: maskc.Matcher) -> set[int]:
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: constraint.vocab_size]
    return set(np.flatnonzero(bits).tolist())


@pytest.mark.parametrize("seed", seeds(40))
def test_masks_are_those_of_the_language(seed: int, kit: Kit) -> None:
    draw = random.Random(seed)
    oracle = Oracle(TOKENS[:-1], SPECIALS)
    tag = draw_format(draw, 3)
    language = oracle.read(tag)
    if not oracle.is_live(language):
        return
    constraint = kit.structural_tag({"type": "structural_tag", "format": tag})
    for _ in range(2):
        matcher, here, path = constraint.matcher(), language, []
        for _ in range(12):
            expected = oracle.legal(here) | ({END} if nullable(here) else set())
            assert _legal(constraint, matcher) == expected, (path, json.dumps(tag))
            assert matcher.is_accepting == nullable(here)
            choices = sorted(expected - {END})
            if not choices:
                break
            token = draw.choice(choices)
            assert matcher.accept_token(token)
            path.append(token)
            here = oracle.after(here, token)
