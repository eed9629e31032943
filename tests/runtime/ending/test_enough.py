"""With how many tokens left is no legal token of a JSON text one too many?"""

from random import Random

import numpy as np
import pytest

from maskc import allocate_bitmask
from maskc.errors import TokensLeftError
from maskc.kit.file import make_kit
from maskc.runtime.ending.places import settling
from maskc.runtime.ending.places.places import TooMuchError
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids

_PIECES = (
    b'{"',
    b'":',
    b'":[',
    b"[[",
    b'{"a":{"',
    b'"}]',
    b"}]}",
    b'","',
    b'"a":1,"',
    b"]]",
    b"12",
)
_TOKENS = (*(bytes([byte]) for byte in range(256)), *_PIECES, None)
_SCHEMAS = {
    "free": {"type": "object"},
    "any": {},
    "required": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 4},
            "size": {"type": "integer", "minimum": 1_000, "maximum": 90_000},
            "tags": {"type": "array", "items": {"enum": ["new", "used"]}, "minItems": 2},
            "part": {"$ref": "#"},
        },
        "required": ["name", "size"],
    },
    "closed": {
        "type": "object",
        "properties": {"id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3,5}$"}, "x": {}},
        "required": ["id"],
        "additionalProperties": False,
    },
    "counted": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "number"}},
        "minProperties": 2,
    },
    "tuple": {
        "type": "array",
        "prefixItems": [{"const": "first"}, {"type": "object", "required": ["deep"]}],
        "minItems": 3,
    },
}


def make_constraint(schema):
    kit = make_kit(Vocabulary(_TOKENS, (len(_TOKENS) - 1,), "bytes and more"))
    return kit.json_schema(schema)


def draw_matcher(constraint, draw, n_tokens):
    """Return a matcher after some tokens, of which signs are drawn more often."""
    matcher = constraint.matcher()
    for _ in range(n_tokens):
        legal = sorted(legal_ids(matcher, constraint.vocab_size) - constraint.ends)
        signs = [t for t in legal if t >= 256 or chr(t) in '{}[]",:0e.']
        if not legal:
            break
        assert matcher.accept_token(draw.choice(signs if signs and draw.random() < 0.8 else legal))
    return matcher


def known_to_suffice(constraint, matcher):
    """Return how many tokens are known to finish a text."""
    endings = constraint.endings
    place = endings._places.find(matcher._hypotheses)
    endings._settling.begin(place)
    return place.n_tokens


@pytest.mark.parametrize("name", _SCHEMAS)
def test_after_every_legal_token_so_many_tokens_finish_the_text(name):
    constraint, draw = make_constraint(_SCHEMAS[name]), Random(name)
    places = constraint.endings._places
    for _ in range(4):
        matcher = draw_matcher(constraint, draw, draw.randint(0, 14))
        enough = places.enough(places.find(matcher._hypotheses))
        assert enough < 2_000
        for token in sorted(legal_ids(matcher, constraint.vocab_size) - constraint.ends):
            after = matcher.fork()
            assert after.accept_token(token)
            assert known_to_suffice(constraint, after) < enough


def refuse(*_):
    raise TooMuchError


def within(matcher, constraint, tokens_left):
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


@pytest.mark.parametrize("name", ["free", "required"])
def test_where_too_many_places_are_reached_masks_may_lack_tokens_and_have_none_too_many(
    name, monkeypatch
):
    constraint, draw = make_constraint(_SCHEMAS[name]), Random(name)
    n_lacking = 0
    for _ in range(4):
        matcher = draw_matcher(constraint, draw, draw.randint(0, 9))
        least = known_to_suffice(constraint, matcher)
        for tokens_left in (least, least + 1, least + 4, least + 9):
            with monkeypatch.context() as patch:
                patch.setattr(settling, "find_reach", refuse)
                found = within(matcher, constraint, tokens_left)
            n_lacking += not matcher.is_exact
            assert found
            for token in sorted(found - constraint.ends):
                after = matcher.fork()
                assert after.accept_token(token)
                assert known_to_suffice(constraint, after) < tokens_left
    assert n_lacking > 0


@pytest.mark.parametrize("name", ["free"])
def test_every_text_of_keys_that_may_be_any_ends_in_time(name):
    constraint, draw = make_constraint(_SCHEMAS[name]), Random(name)
    least = len(constraint.matcher().shortest_completion().tokens)
    for budget in (least, least + 3, least + 12, 150):
        matcher = constraint.matcher()
        for left in range(budget, 0, -1):
            matcher.accept_token(draw.choice(sorted(within(matcher, constraint, left))))
            if matcher.is_terminated:
                break
        assert matcher.is_terminated


@pytest.mark.parametrize(
    "schema",
    [
        {"propertyNames": {"pattern": "^a*$"}, "additionalProperties": {"type": "null"}},
        {"patternProperties": {"^a*$": {"type": "null"}}, "additionalProperties": False},
    ],
)
def test_keys_of_a_pattern_get_longer_the_more_of_them_were_there(schema):
    constraint = make_constraint({"type": "object", **schema})
    matcher = constraint.matcher()
    keys = ('"%s":null' % ("a" * n) for n in range(61))
    assert matcher.accept_bytes(("{" + ",".join(keys)).encode())
    assert ord(",") not in within(matcher, constraint, 40)


def test_too_small_a_budget_is_refused():
    constraint = make_constraint(_SCHEMAS["required"])
    with pytest.raises(TokensLeftError):
        within(constraint.matcher(), constraint, 5)
