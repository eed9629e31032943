"""Budget masks with keys forgotten, where each token leads to a place of its own."""

import numpy as np
import pytest

from maskc import allocate_bitmask
from maskc.errors import TokensLeftError
from maskc.kit.file import make_kit
from maskc.runtime.ending.link.forgetting import Forgetting
from maskc.vocab.vocabulary import Vocabulary

_PIECES = (b'{"', b'":', b'":"', b'"}', b'","', b"name", b"me", b"am", b'"name', b'":0', b"0}")
_TOKENS = (*(bytes([byte]) for byte in range(256)), *_PIECES, None)


def make_matcher(schema, text):
    kit = make_kit(Vocabulary(_TOKENS, (len(_TOKENS) - 1,), "bytes and more"))
    constraint = kit.json_schema(schema)
    matcher = constraint.matcher()
    assert matcher.accept_text(text)
    return constraint, matcher


def within(matcher, constraint, tokens_left=None):
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    return {_TOKENS[i] for i in np.flatnonzero(bits)}


@pytest.mark.parametrize("text", ['{"ab', '{"name":1,"x', '{"a":{"b":[{"c'])
def test_inside_of_a_key_that_may_have_any_name_all_tokens_of_keys_are_legal(text):
    constraint, matcher = make_matcher({"type": "object"}, text)
    found, plain = within(matcher, constraint, 16), within(matcher, constraint)
    assert found == plain
    assert matcher.is_exact
    assert len(plain) > 100


def test_near_the_end_the_mask_of_a_key_is_exact():
    constraint, matcher = make_matcher({"type": "object"}, '{"x')
    # A quote and a colon, a number and a bracket, and the end of sequence.
    assert within(matcher, constraint, 3) == {b'":', b'":0', b'":"'}
    assert matcher.is_exact
    letters = {b"a", b"name", b"me"}
    assert letters <= within(matcher, constraint, 4)
    assert matcher.is_exact


def test_a_token_that_makes_a_key_one_that_was_there_needs_one_more():
    constraint, matcher = make_matcher({"type": "object"}, '{"name":1,"na')
    assert b"me" not in within(matcher, constraint, 4)
    assert b"am" in within(matcher, constraint, 4)
    assert b"me" in within(matcher, constraint, 5)
    assert matcher.is_exact


def test_where_keys_can_be_used_up_they_are_not_forgotten():
    schema = {"type": "object", "propertyNames": {"maxLength": 1, "pattern": "^[ab]*$"}}
    constraint, matcher = make_matcher(schema, '{"a":1,"')
    machine = constraint.machine
    assert Forgetting(machine).forget(matcher._hypotheses) == matcher._hypotheses
    with pytest.raises(TokensLeftError):
        within(matcher, constraint, 2)


def test_a_member_that_must_come_is_written_though_keys_are_forgotten():
    schema = {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]}
    constraint, matcher = make_matcher(schema, '{"a')
    # The key and an empty string, a comma and a quote, b, null, the bracket and the end.
    found = within(matcher, constraint, 10)
    assert found == {b'":"'}
    assert matcher.is_exact
    assert matcher.accept_token(_TOKENS.index(b'":"'))
    text = b"".join(_TOKENS[t] or b"" for t in matcher.shortest_completion().tokens)
    assert text == b'","b":null}'


def test_a_way_out_is_found_past_an_object_of_any_keys():
    # A search that closes the object late had met ever new keys.
    kit = make_kit(Vocabulary(_TOKENS, (len(_TOKENS) - 1,), "bytes and more"))
    text = "a text that is far longer than any key that is looked at"
    call = kit.sequence(kit.json_schema({"type": "object"}), kit.choice([text]))
    assert len(call.matcher().shortest_completion().tokens) == len("{}") + len(text) + 1
