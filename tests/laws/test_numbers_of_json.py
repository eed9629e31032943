"""A number is legal iff it is spelled as the layout has it and valid by its value.

The judge reads the texts with regular expressions of its own and compares exact fractions. Texts
are drawn, and walked at random along masks, whose tokens are pieces of numbers.
"""

import re
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.choices import choose_layout
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples

PIECES = [*map(str, range(10)), "-", ".", "e", "E+", "e-", "00", "25", "150", ".0", "1e2", "0.5"]
VOCABULARY = build_vocabulary(
    "numbers", TokenizerTokens((*[piece.encode() for piece in PIECES], None), (len(PIECES),))
)
WHOLE = "-?(?:0|[1-9][0-9]*)"
SHORT = r"(?:\.(?:0|[0-9]*[1-9]))?"
LAYOUTS = {
    "any": ({"numbers": "any"}, rf"{WHOLE}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
    "short": ({"numbers": "short"}, WHOLE + SHORT),
    "two digits": ({"numbers": "short", "digits": 2}, WHOLE + SHORT),
    "plain, two": ({"numbers": "plain", "digits": 2}, rf"{WHOLE}(?:\.[0-9]+)?"),
}
AMOUNTS = st.sampled_from(["0", "0.005", "0.5", "1", "1.25", "12", "100", "-1", "-2.5"])
MULTIPLES = st.sampled_from(["1", "2", "0.5", "0.01", "15"])
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "minimum": AMOUNTS,
        "exclusiveMaximum": AMOUNTS,
        "multipleOf": MULTIPLES,
        "enum": st.lists(AMOUNTS, min_size=1, max_size=4),
        "not": st.fixed_dictionaries({"multipleOf": MULTIPLES}),
    },
)
TEXTS = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(["", "", "-"]),
    st.sampled_from(["0", "1", "2", "12", "100", "150", "125", "30", "1500"]),
    st.sampled_from(["", "", ".0", ".5", ".25", ".50", ".00", ".005", ".250"]),
    st.sampled_from(["", "", "e0", "e1", "E+2", "e-1", "e-02", "E-3"]),
)


def write(schema):
    """Return a schema of numbers, which are given as texts, as JSON."""
    parts = ['"type":"number"']
    for keyword, given_ in schema.items():
        if isinstance(given_, dict):
            parts.append(f'"not":{{"multipleOf":{given_["multipleOf"]}}}')
        else:
            text = f"[{','.join(given_)}]" if isinstance(given_, list) else given_
            parts.append(f'"{keyword}":{text}')
    return f"{{{','.join(parts)}}}"


def is_valid(schema, value):
    has = {keyword: Fraction(text) for keyword, text in schema.items() if isinstance(text, str)}
    return (
        has.get("minimum", value) <= value
        and value < has.get("exclusiveMaximum", value + 1)
        and (value / has.get("multipleOf", value or 1)).denominator == 1
        and ("enum" not in schema or value in map(Fraction, schema["enum"]))
        and ("not" not in schema or (value / Fraction(schema["not"]["multipleOf"])).denominator > 1)
    )


def is_legal(name, schema, text):
    options, pattern = LAYOUTS[name]
    value = Fraction(text)
    is_bounded = "digits" in options and "enum" not in schema
    if is_bounded and (value * 10 ** options["digits"]).denominator > 1:
        return False
    if name in ("short", "two digits") and "." in text and "enum" not in schema:
        multiple = Fraction(schema.get("multipleOf", "0.5"))
        if multiple.denominator == 1:
            return False  # integers have no fraction, but for listed ones
    return re.fullmatch(pattern, text) is not None and is_valid(schema, value)


def check_mask(matcher):
    """Return the legal tokens of a mask, which are those whose bytes the matcher takes."""
    bitmask = maskc.allocate_bitmask(1, VOCABULARY.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
    for token, piece in enumerate(PIECES):
        assert matcher.fork().accept_bytes(piece.encode()) == (token in legal), piece
    return legal


def walk(matcher, chance):
    """Return a text that masks allow, and whether it is whole."""
    text = ""
    for _ in range(8):
        token = int(chance.choice(check_mask(matcher)))
        if token == len(PIECES):
            return text, True
        assert matcher.accept_token(token)
        text += PIECES[token]
    return text, False


@pytest.mark.parametrize("name", LAYOUTS)
@examples(60)
@given(PARTS, st.lists(TEXTS, min_size=1, max_size=6), st.integers(0, 1 << 30))
@example({"multipleOf": "1", "exclusiveMaximum": "100"}, ["1.5e1"], 0)  # digits of an exponent
def test_a_number_is_legal_iff_it_is_spelled_so_and_valid(name, schema, texts, seed):
    layout = choose_layout(**LAYOUTS[name][0])
    try:
        artifact = maskc.Artifact(compile_schema(write(schema), VOCABULARY, layout=layout))
    except SchemaError:
        assume(False)
    for text in texts:
        matcher = artifact.matcher()
        for byte in text.encode():
            check_mask(matcher)
            if not matcher.accept_bytes(bytes([byte])):
                assert not is_legal(name, schema, text), text
                break
        else:
            assert matcher.is_accepting == is_legal(name, schema, text), text
    text, is_whole = walk(artifact.matcher(), Random(seed))
    assert not is_whole or is_legal(name, schema, text), text
