"""Masks inside host names and addresses in Unicode are the tokens that the machine reads."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples
from tests.jsonschema.texts import accepts_value, build_machine

# Pieces of tokens: signs that ask for what stands beside them, scripts, parts of characters.
PIECES = [
    *("a", "l", "ab", "com", "X", "1", "-", "--", ".", "。", "@", "[", "]", '"', '",', "xn--"),
    *("ß", "é", "e", "\u0301", "·", "α", "͵", "א", "אב", "׳", "ي", "١", "۱", "例", "例え", "・"),
    *("カ", "क", "\u094d", "\u200c", "\u200d", "привет", "한국", "bcher-kva", "_", " ", "\\u00"),
    *("61", "e9", "\\ud8", "1-", "𐐨", "[1.2.3.4]", "a" * 20),
]
BEGINNINGS = [
    *("", "a", "www.", "xn--", "xn--a" + "b" * 45, "ü", "例" * 26, "привет" * 3, "אב-", "l·"),
    *("ي\u200c", "é" * 30, "a" * 61, ".".join(["a" * 62] * 4), "例" * 20 + "-" * 20, "・", "x-"),
]


def tokens_of(seed):
    """Return all bytes and tokens of up to four pieces, some of them cut."""
    rng = random.Random(seed)
    found = {bytes([byte]) for byte in range(256)} | {piece.encode() for piece in PIECES}
    while len(found) < 900:
        text = "".join(rng.choices(PIECES, k=rng.randint(1, 4))).encode()
        cut = rng.choice([0, 0, 0, 1, 2])
        found.add(text[cut:] or text)
    return sorted(found)


VOCABULARIES = [
    (tokens, build_vocabulary("small", TokenizerTokens((*tokens, None), (len(tokens),))))
    for tokens in map(tokens_of, range(2))
]
KEPT = [maskc.Artifact(compile_schema({}, vocabulary)) for _, vocabulary in VOCABULARIES]
TEXTS = st.tuples(
    st.sampled_from(BEGINNINGS), st.lists(st.sampled_from(PIECES), max_size=3).map("".join)
).map("".join)


def check(schema, prefix, tokens, vocabulary):
    artifact = maskc.Artifact(compile_schema(schema, vocabulary))
    matcher = artifact.matcher()
    for byte in prefix:
        if not matcher.accept_bytes(bytes([byte])):
            break
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: len(tokens)]
    wanted = [matcher.fork().accept_bytes(token) for token in tokens]
    assert legal.astype(bool).tolist() == wanted, (schema, prefix)
    assert any(wanted) or matcher.is_accepting
    assert np.array_equal(artifact.mask_table()[matcher.mask_id()], bitmask[0])


@examples(15)
@given(
    st.sampled_from(["idn-hostname-exact", "idn-email-exact"]),
    st.sampled_from(["", "a@", '\\"b@c\\"@', "é@"]),
    TEXTS,
    st.integers(0, 3),
    st.integers(0, 1),
)
def test_masks_are_the_tokens_that_the_machine_reads(name, local, text, n_cut, vocabulary):
    prefix = '"' + (local if name == "idn-email-exact" else "") + text
    raw = prefix.encode()
    check({"type": "string", "format": name}, raw[: len(raw) - n_cut], *VOCABULARIES[vocabulary])


@examples(5)
@given(TEXTS, st.integers(0, 30), st.integers(0, 1))
def test_masks_of_lists_whose_items_differ_are_exact(text, n_cut, vocabulary):
    items = {
        "type": "object",
        "properties": {"to": {"format": "idn-email-exact", "type": "string"}},
    }
    schema = {"type": "array", "items": items, "uniqueItems": True}
    raw = f'[{{"to":"a@{text}"}},{{"to":"a@{text}"}}'.encode()
    check(schema, raw[: len(raw) - n_cut], *VOCABULARIES[vocabulary])


@pytest.mark.parametrize("name", ["idn-hostname-exact", "idn-email-exact"])
@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^a"},
        {"minLength": 5},
        {"maxLength": 64},
        {"not": {"format": "idn-hostname-exact"}},
        {"propertyNames": {"format": "idn-hostname-exact"}},
    ],
)
def test_what_stands_beside_a_host_name_is_refused_by_name(name, schema):
    with pytest.raises(SchemaError, match=r"format is idn-(hostname|email)-exact beside a pattern"):
        build_machine({"format": name, **schema})


def test_what_every_host_name_fits_may_stand_beside_it():
    machine = build_machine({"format": "idn-hostname-exact", "minLength": 1, "maxLength": 255})
    assert accepts_value(machine, "例え.jp")


def test_listed_values_are_told_apart():
    machine = build_machine({"format": "idn-email-exact", "enum": ["a@b", "a@l·a", "a", 7]})
    assert [accepts_value(machine, v) for v in ("a@b", "a@l·a", "a", 7)] == [1, 0, 0, 1]


@pytest.mark.parametrize("text", ["x-۱͵क", "abcl·b", "x-۱͵"])
def test_what_a_character_asks_of_the_next_is_kept_after_letters(text):
    """The simpler label ``aaaa͵`` once forgot that Greek must follow."""
    assert not accepts_value(build_machine({"format": "idn-hostname-exact"}), text)


def test_few_host_names_are_used_up():
    """Near the greatest length hardly any are left, which items that differ must tell apart."""
    longest = ".".join(["a" * 63] * 3 + ["b" * 61])
    machine = build_machine({"items": {"format": "idn-hostname-exact"}, "uniqueItems": True})
    assert accepts_value(machine, [longest, longest[:-1]])
    assert not accepts_value(machine, [longest, longest])
