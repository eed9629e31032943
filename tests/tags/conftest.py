"""The kit for bytes, and what a constraint takes."""

import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary


@pytest.fixture(scope="session")
def kit():
    return make_kit(load_vocabulary("bytes"))


def tag_of(form):
    return {"type": "structural_tag", "format": form}


def takes(constraint, text):
    """Return whether a whole text is taken, and may end."""
    matcher = constraint.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def legal(matcher, vocab_size):
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[:vocab_size]
    return set(np.flatnonzero(bits).tolist())
