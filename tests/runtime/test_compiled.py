"""What narrows, captures or is made for a request asks its vocabulary, and nobody else's."""

import numpy as np
import pytest

import maskc
from maskc.errors import CaptureError
from maskc.kit.file import make_kit
from maskc.runtime.artifact import Compiled
from maskc.vocab import load_vocabulary

GRAMMAR = 'start: NAME ("," NAME)*\nNAME: /[a-z]+/\n'


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


@pytest.fixture(scope="module")
def kit():
    return make_kit(load_vocabulary("bytes"))


@pytest.fixture(params=["bound", "captures", "constraint", "artifact of a kit"])
def made(request, artifact, kit):
    return {
        "bound": lambda: artifact.bind(NAME=["ab", "cd"]),
        "captures": lambda: maskc.capture(artifact, "NAME"),
        "constraint": lambda: kit.choice(["ab", "cd"]),
        "artifact of a kit": lambda: kit.artifact(artifact),
    }[request.param]()


def test_its_vocabulary_is_that_of_the_artifact(made, artifact):
    assert isinstance(made, Compiled)
    assert (made.vocab_size, made.eos_ids, made.ends) == (257, (256,), frozenset({256}))
    assert np.array_equal(made.table.first_bytes, artifact.table.first_bytes)


def test_its_masks_have_numbers_in_one_table(made):
    matcher = made.matcher()
    bitmask = maskc.allocate_bitmask(1, made.vocab_size)
    for byte in b"ab":
        matcher.fill_bitmask(bitmask, 0)
        assert np.array_equal(made.mask_table()[matcher.mask_id()], bitmask[0])
        assert matcher.accept_token(byte)
    assert len(made.mask_table(1)) == len(made.mask_table()) - 1
    with pytest.raises(ValueError, match="first"):
        made.mask_table(-1)


def test_its_texts_can_be_finished_in_time(made):
    completion = made.matcher().shortest_completion()
    matcher = made.matcher()
    assert matcher.accept_tokens(completion.tokens) == len(completion.tokens)
    assert matcher.is_terminated


def test_what_narrows_shares_the_masks_of_its_artifact(artifact):
    before = len(artifact.mask_table())
    bound = artifact.bind(NAME=["xy", "xz"])
    bound.matcher().legal_tokens()
    assert len(artifact.mask_table()) == len(bound.mask_table()) >= before


def test_what_follows_is_not_known_in_time(artifact):
    followed = maskc.follow(artifact, "NAME", on_complete=lambda _: {"NAME": ["ab"]})
    with pytest.raises(CaptureError, match="leave tokens_left out"):
        followed.matcher().shortest_completion()
