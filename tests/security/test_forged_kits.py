"""A kit that passes ``load_kit`` never raises anything but a refusal, whatever its bytes."""

from random import Random

import numpy as np
import pytest

from maskc.artifact.container import decode, encode
from maskc.errors import ArtifactError
from maskc.kit.file import load_kit
from tests.security.forged_kits import (
    SMALL,
    forge_kit,
    load_forged_kit,
    make_examples,
    use_kit,
)

EXAMPLES = make_examples()


def refusal(tmp_path, change_arrays=None, **tokenizer):
    """Return why a small kit is refused after a change."""
    header, arrays = decode(EXAMPLES[1], "small")
    header = {**header, "tokenizer": {**header["tokenizer"], **tokenizer}}
    changed = {name: array.copy() for name, array in arrays.items()}
    if change_arrays is not None:
        change_arrays(changed)
    (tmp_path / "forged.kit").write_bytes(encode(header, changed))
    with pytest.raises(ArtifactError) as caught:
        load_kit(tmp_path / "forged.kit")
    return caught.value.reason


@pytest.mark.parametrize("number", range(300))
def test_a_forged_kit_is_refused_or_can_be_used(number, tmp_path):
    draw = Random(number)
    data, _ = forge_kit(draw.choice(EXAMPLES), draw)
    kit = load_forged_kit(data, tmp_path / "forged.kit")
    if kit is not None:
        use_kit(kit, draw)


@pytest.mark.parametrize("data", EXAMPLES)
def test_what_is_forged_was_sound(data, tmp_path):
    kit = load_forged_kit(data, tmp_path / "sound.kit")
    for seed in range(8):
        use_kit(kit, Random(seed))


def test_an_end_id_that_writes_text_is_refused(tmp_path):
    assert "end ids are tokens that write text" in refusal(tmp_path, eos_ids=[3])


def test_a_trie_with_another_byte_is_refused(tmp_path):
    def change(arrays):
        arrays["trie_byte"][arrays["trie_byte"] == ord("a")] = ord("b") - 2

    assert "the trie of tokens is not that of the tokens" in refusal(tmp_path, change)


def test_tokens_with_another_byte_than_their_trie_are_refused(tmp_path):
    def change(arrays):
        arrays["token_bytes"][b"".join(SMALL).index(b"b")] = ord("c")

    assert "the trie of tokens is not that of the tokens" in refusal(tmp_path, change)


def test_an_order_that_does_not_ascend_is_refused(tmp_path):
    def change(arrays):
        arrays["order"][[0, 1]] = arrays["order"][[1, 0]]

    assert "the trie of tokens is not that of the tokens" in refusal(tmp_path, change)


def test_a_quote_of_another_token_is_refused(tmp_path):
    def change(arrays):
        arrays["quote_places"][0] += 1

    assert "the quotes are not those of the tokens" in refusal(tmp_path, change)


def test_a_rest_of_another_quote_is_refused(tmp_path):
    def change(arrays):
        arrays["quote_rests"][:] = arrays["quote_rests"][0]

    assert "the rests after quotes are not those of the tokens" in refusal(tmp_path, change)


def test_a_character_that_closes_no_string_is_refused(tmp_path):
    def change(arrays):
        arrays["spelled_kinds"][arrays["spelled_kinds"] == 0] = 3
        arrays["spelled_places"][:] = np.minimum(arrays["spelled_places"], 3)

    assert "an item closes a string of other characters" in refusal(tmp_path, change)


def test_items_of_two_nodes_are_refused(tmp_path):
    def change(arrays):
        ending = arrays["spelled_ending"]
        here = int(np.flatnonzero(ending)[0])
        ending[0] += ending[here]
        ending[here] = 0

    assert "the items are not those of the nodes" in refusal(tmp_path, change)
