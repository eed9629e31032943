"""Law: budgets of JSON texts allow only what can be finished, and texts end in time.

Tokens are pieces of the schema's own texts, so that they cross from what is open into what follows.
The reference is that of the law of budgets: it takes every legal token.
"""

import contextlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import LimitError, MaskcError
from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids
from tests.examples import examples, seeds
from tests.laws.test_budgets import check_text, count_whole, within

BYTES = Vocabulary((*(bytes([byte]) for byte in range(256)), None), (256,), "bytes")
KEYS = ["a", "b", "ab", "\u00e9"]
LEAVES = [
    {},
    {"type": "string"},
    {"type": "string", "minLength": 2},
    {"type": "string", "pattern": "^[ab]+$"},
    {"enum": ["a", "ab", 1, None]},
    {"const": 12},
    {"type": "integer", "minimum": 10, "maximum": 31},
    {"type": "number"},
    {"type": "boolean"},
]
LAYOUTS = [
    {},
    {"blanks": "compact"},
    {"key_order": "schema"},
    {"numbers": "plain"},
    {"numbers": "any"},
    {"numbers": "short", "digits": 3},
    {"escapes": "minimal"},
    {"escapes": "ascii"},
]
MOST = 4  # tokens that are followed by the reference


def draw_schema(draw, depth=2):
    kind = draw.randrange(5) if depth else 0
    if kind < 2:
        return draw.choice(LEAVES)
    if kind == 2:
        found = {"type": "array", "items": draw_schema(draw, depth - 1)}
        if draw.random() < 0.3:
            found["prefixItems"] = [draw_schema(draw, depth - 1)]
        for name, value in (("minItems", draw.randint(1, 3)), ("maxItems", 3)):
            if draw.random() < 0.4:
                found[name] = value
        for name, value in (("uniqueItems", True), ("contains", {"const": 1})):
            if draw.random() < 0.2:
                found[name] = value
        return found
    keys = draw.sample(KEYS, draw.randint(0, 3))
    found = {
        "type": "object",
        "properties": {key: draw_schema(draw, depth - 1) for key in keys},
        "required": [key for key in keys if draw.random() < 0.6],
    }
    if draw.random() < 0.5:
        found["additionalProperties"] = draw.choice([False, draw_schema(draw, 0)])
    if draw.random() < 0.3:
        found["patternProperties"] = {"^a.?$": draw_schema(draw, 0)}
    if draw.random() < 0.2:
        found["minProperties"] = draw.randint(1, 2)
    if draw.random() < 0.1:
        found["maxProperties"] = draw.randint(2, 3)
    return found


KEYED = [
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "null"}},
    {"type": "object", "properties": {"ab": {}, "b": {"const": 0}}, "required": ["b"]},
    {"type": "object", "minProperties": 2},
    {"type": "object", "maxProperties": 2},
    {"type": "object", "patternProperties": {"^a": {"const": 0}}, "additionalProperties": False},
    {"type": "object", "propertyNames": {"maxLength": 1}},
    {"type": "array", "items": {"type": "object"}, "minItems": 1},
]
KEYED_TEXTS = [
    b'{"a":0,"ab":0,"b":0}',
    b'{"b":0,"a":{"a":0,"b":0},"ab":0,"aa":null}',
    b'[{"a":null,"b":null},{"b":0,"\\u0061":0}]',
    b'{"":0,"b":0,"\xc3\xa9":0,"\xc3":0,"ab":[{}]}',
]


KEY_TEXTS = (b'"":0}', b'"a":', b'{"', b'a":0,"', b'":0}', b'"a":0}', b'""', b'":null,"', b"{}]")
KEY_TOKENS = Vocabulary((*BYTES.tokens[:256], *KEY_TEXTS, None), (256 + len(KEY_TEXTS),), "keys")


def draw_text(draw, constraint):
    """Return a text of a constraint over bytes."""
    matcher, text = constraint.matcher(), bytearray()
    for _ in range(draw.randint(0, 14)):
        legal = sorted(legal_ids(matcher, 257) & set(b'{}[]:,"ab1 0\\u06null'))
        if not legal:
            break
        text.append(draw.choice(legal))
        assert matcher.accept_token(text[-1])
    tokens = matcher.shortest_completion().tokens
    return bytes(text) + bytes(tokens[:-1])


def draw_tokens(draw, texts):
    found = set()
    for text in texts:
        at = 0
        while at < len(text):
            size = draw.choice([1, 2, 3, 5, 8])
            found.add(text[at : at + size])
            at += size
    found |= {bytes([byte]) for text in texts for byte in text if draw.random() < 0.7}
    return tuple(sorted(found))


def make_keyed(draw):
    """Return a constraint whose keys may have many names, over a small vocabulary."""
    tokens = draw_tokens(draw, draw.sample(KEYED_TEXTS, 2))
    kit = make_kit(Vocabulary((*tokens, None), (len(tokens),), "small"))
    schema, layout = draw.choice(KEYED), draw.choice(LAYOUTS)
    found = kit.json_schema(schema, **layout)
    return found if draw.random() < 0.6 else kit.sequence(found, kit.choice(["]>", "}}"]))


def make_subject(draw):
    """Return a constraint, bare or between others, over a small vocabulary; or ``None``."""
    schema, layout = draw_schema(draw), draw.choice(LAYOUTS)
    is_bare = draw.random() < 0.6

    def constrain(kit):
        found = kit.json_schema(schema, **layout)
        if is_bare:
            return found
        return kit.sequence(kit.choice(["<", "ab:"]), found, kit.choice(["]>", "}}"]))

    try:
        over_bytes = constrain(make_kit(BYTES))
        texts = [draw_text(draw, over_bytes) for _ in range(2)]
    except MaskcError:
        return None
    tokens = draw_tokens(draw, texts)
    return constrain(make_kit(Vocabulary((*tokens, None), (len(tokens),), "small")))


@given(st.integers(0, 100_000))
@examples(60)
def test_budgets_of_json_texts_allow_only_what_can_be_finished(seed):
    draw = Random(seed)
    subject = make_subject(draw)
    if subject is not None:
        # Where a byte is no token, nothing may end a number to which zeros can be added for ever.
        with contextlib.suppress(LimitError):
            check_text(subject, draw, 4, MOST)


@pytest.mark.costly
@given(st.integers(0, 100_000))
@examples(40)
def test_budgets_of_keys_with_any_names_allow_only_what_can_be_finished(seed):
    draw = Random(seed)
    subject = make_keyed(draw)
    check_text(subject, draw, 9, MOST)
    count_whole(subject, draw, 4)


def test_every_text_with_any_keys_is_whole_where_all_bytes_are_tokens():
    # Only then one key stands for all others: one more character is one more token.
    kit, n_whole = make_kit(KEY_TOKENS), 0
    for seed in range(40):
        draw = Random(seed)
        n_whole += count_whole(kit.json_schema(draw.choice(KEYED), blanks="compact"), draw, 5)
    assert n_whole == 200


def test_every_json_text_under_a_budget_is_whole():
    n_whole = 0
    for seed in range(12):
        draw = Random(seed)
        subject = make_subject(draw)
        n_whole += count_whole(subject, draw, 4) if subject else 0
    assert n_whole > 20


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(40))
def test_texts_in_turn_end_in_time_whatever_is_evicted(seed):
    draw, running, n_ended = Random(seed), [], 0
    kit = make_kit(KEY_TOKENS, cache_bytes=draw.choice([0, 5_000, 20_000, 1 << 29]))
    layout, constraints = draw.choice(LAYOUTS), []
    while len(constraints) < 3:
        with contextlib.suppress(MaskcError):
            constraints.append(kit.json_schema(draw_schema(draw), **layout))
            constraints[-1].matcher().shortest_completion()
    for _ in range(150):
        if len(running) < 4:
            matcher = (one := draw.choice(constraints)).matcher()
            least = len(matcher.shortest_completion().tokens)
            running.append([one, matcher, least + draw.choice([0, 0, 1, 3, 400])])
        text = draw.choice(running)
        one, matcher, n_left = text
        found = within(matcher, one, n_left)
        legal = legal_ids(matcher, one.vocab_size)
        assert found <= legal
        assert matcher.is_exact == (found == legal)
        token = matcher.shortest_completion().tokens[0]
        assert token in found
        assert matcher.accept_token(token if draw.random() < 0.6 else draw.choice(sorted(found)))
        text[2] -= 1
        if matcher.is_terminated:
            running.remove(text)
            n_ended += 1
    assert n_ended
