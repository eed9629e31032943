"""What is cut out of free text is what a scan of the automaton with words would not find."""

import random

import numpy as np
import pytest

from maskc.runtime.cache import Budget
from maskc.runtime.link.automata.scanning import AutomatonScans
from maskc.runtime.link.joining import PieceBoundaries
from maskc.runtime.link.text import FreeScans, FreeText, FreeWords
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index

_CHARACTERS = "ab<>é€😀｜"


def _boundaries(draw: random.Random) -> PieceBoundaries:
    """Return boundaries of tokens that begin and end anywhere in a character."""
    tokens = {bytes([byte]) for character in _CHARACTERS for byte in character.encode()}
    while len(tokens) < 120:
        text = "".join(draw.choices(_CHARACTERS, k=5)).encode()
        start = draw.randrange(4)
        tokens.add(text[start : start + draw.randint(1, 6)])
    texts = sorted(tokens)
    return PieceBoundaries(build_index(texts), Budget(1 << 26))


@pytest.mark.parametrize("seed", seeds(25))
def test_scans_are_those_of_the_whole_automaton(seed: int) -> None:
    draw = random.Random(seed)
    boundaries = _boundaries(draw)
    words = {"".join(draw.choices(_CHARACTERS, k=draw.randint(1, 3))) for _ in range(4)}
    alone = sorted(w for w in words if not any(w != v and w.startswith(v) for v in words))
    n_forbidden = draw.randint(0, len(alone) - 1)
    encoded = [word.encode() for word in alone]
    words = FreeWords(tuple(map(tuple, encoded[n_forbidden:])), (), tuple(encoded[:n_forbidden]))
    automaton = FreeText(words)
    plain = AutomatonScans(FreeText(FreeWords()), boundaries.scanner)
    quick, slow = FreeScans(automaton, plain), AutomatonScans(automaton, boundaries.scanner)
    for _ in range(20):
        state = 0
        for byte in "".join(draw.choices(_CHARACTERS, k=3)).encode()[: draw.randint(0, 8)]:
            state = automaton.moves(state).get(byte, state)
        found, expected = quick.scan(state), slow.scan(state)
        scanner = boundaries.scanner
        assert np.array_equal(scanner.words(found.part), scanner.words(expected.part))
        assert np.array_equal(found.exits, expected.exits)
        assert sorted(found.turns) == sorted(expected.turns)
