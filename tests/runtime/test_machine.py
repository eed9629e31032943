"""What every machine promises, for each kind of parser."""

import numpy as np
import pytest

import maskc
from tests.compiled import compile_text

LIST = 'start: "[" (start ("," start)*)? "]" | NUMBER\nNUMBER: /[0-9]+/\n'
TEXTS = [b"", b"[", b"[1", b"[1,", b"[[1],2", b"[1]"]


@pytest.fixture(scope="module", params=["lalr", "earley", "schema"])
def artifact(request):
    if request.param == "schema":
        schema = {"$ref": "#/$defs/v", "$defs": {"v": {"type": ["array", "integer"]}}}
        schema["$defs"]["v"]["items"] = {"$ref": "#/$defs/v"}
        return maskc.compile_json_schema(schema, tokenizer="bytes")
    return compile_text(LIST, parser=request.param)


@pytest.mark.parametrize("text", TEXTS)
def test_bytes_and_tokens_lead_to_the_same(artifact, text):
    machine = artifact.machine
    by_token = machine.start()
    for byte in text:
        by_token = machine.take(by_token, byte)
    by_bytes = machine.step(machine.start(), text)
    assert [machine.describe(h) for h in by_token] == [machine.describe(h) for h in by_bytes]


@pytest.mark.parametrize("text", [b"]", b"[,", b"[1]]", b"x", b"[1x"])
def test_no_hypothesis_is_left_of_an_illegal_text(artifact, text):
    assert artifact.machine.step(artifact.machine.start(), text) == ()


@pytest.mark.parametrize("text", TEXTS)
def test_a_mask_holds_what_can_be_taken_and_the_end_iff_the_text_may_end(artifact, text):
    machine = artifact.machine
    here = machine.step(machine.start(), text)
    words = machine.pool.unite(map(machine.mask, here)).words
    legal = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
    taken = [bool(machine.take(here, token)) for token in range(artifact.vocab_size)]
    taken[artifact.eos_ids[0]] = any(map(machine.may_end, here))
    assert legal[: artifact.vocab_size].tolist() == taken


def test_bytes_of_a_group_are_not_told_apart(artifact):
    machine = artifact.machine
    assert sorted(b"".join(machine.byte_groups)) == list(range(256))
    here = machine.step(machine.start(), b"[1")
    for group in machine.byte_groups:
        assert len({bool(machine.step(here, bytes([byte]))) for byte in group}) == 1


def test_equal_masks_have_one_number(artifact):
    machine = artifact.machine
    twice = [machine.step(machine.start(), b"[1") for _ in range(2)]
    first, second = machine.mask_numbers(twice)
    assert first == second == machine.mask(twice[0][0]).number
