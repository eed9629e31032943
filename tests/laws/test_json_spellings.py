"""However a value is written, and however that is cut into tokens, it is legal iff it is valid."""

import json

import jsonschema
import jsonschema_rs
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from tests.examples import examples
from tests.laws.test_json_schema import SCHEMAS, VALUES, VOCABULARIES

TOKENS, VOCABULARY = VOCABULARIES[0]

BLANKS = st.sampled_from(["", "", "", " ", "\n", "\t  "])


def spell(value, data):
    """Return a value as JSON, in some spelling that the usual layout has."""
    blank = data.draw(BLANKS)
    if value in ({}, []):
        return blank.join(json.dumps(value))
    if isinstance(value, dict):
        members = data.draw(st.permutations(sorted(value.items())))
        parts = [f"{spell(k, data)}{blank}:{spell(v, data)}" for k, v in members]
        return f"{{{blank}{f'{blank},'.join(parts)}{blank}}}"
    if isinstance(value, list):
        return f"[{blank}{','.join(spell(item, data) for item in value)}{blank}]"
    if isinstance(value, str):
        escaped = data.draw(st.integers(0, len(value)))
        written = "".join(f"\\u{ord(c):04x}" for c in value[:escaped])
        return f'"{written}{value[escaped:]}"'
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value}{data.draw(st.sampled_from(['', '', '.0']))}"
    return json.dumps(value)


def cut(text, data):
    """Return a text as tokens."""
    found = []
    while text:
        fits = [n for n, token in enumerate(TOKENS) if text.startswith(token)]
        found.append(data.draw(st.sampled_from(fits)))
        text = text[len(TOKENS[found[-1]]) :]
    return found


@examples(15)
@given(SCHEMAS, VALUES, st.data())
def test_a_value_is_legal_in_every_spelling_and_every_cut_iff_it_is_valid(schema, value, data):
    try:
        artifact = maskc.Artifact(compile_schema(schema, VOCABULARY))
    except SchemaError:
        assume(False)
    valid = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(value) == valid
    text = spell(value, data).encode()
    assert json.loads(text) == value
    matcher, bitmask = artifact.matcher(), maskc.allocate_bitmask(1, artifact.vocab_size)
    n_taken = 0
    for token in cut(text, data):
        matcher.fill_bitmask(bitmask, 0)
        before = bitmask.copy()
        taken = matcher.accept_token(token)
        assert taken == bool(before[0, token // 32] >> token % 32 & 1), (schema, text)
        if not taken:
            break
        # Back and forth again.
        matcher.rollback(1)
        matcher.fill_bitmask(bitmask, 0)
        assert np.array_equal(bitmask, before)
        assert matcher.accept_token(token)
        n_taken += 1
    else:
        assert matcher.is_accepting == valid, (schema, text)
        return
    assert not valid, (schema, text, n_taken)
