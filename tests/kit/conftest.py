"""The kit for bytes, and what a constraint takes and allows."""

import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary


@pytest.fixture(scope="session")
def kit():
    return make_kit(load_vocabulary("bytes"))


def takes(constraint, text):
    """Return whether a whole text is taken, and may end."""
    matcher = constraint.matcher()
    data = text if isinstance(text, bytes) else text.encode()
    return matcher.accept_bytes(data) and matcher.is_accepting


def fill(matcher, vocab_size):
    """Return the row of a mask."""
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    return bitmask[0]


def legal(matcher, vocab_size):
    bits = np.unpackbits(fill(matcher, vocab_size).view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits[:vocab_size]).tolist())
