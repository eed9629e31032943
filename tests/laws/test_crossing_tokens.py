"""Law: tokens that cross from one part of a text into the next are legal iff their bytes are.

Many constraints share a kit, as the requests of a server do, so what one of them left in the caches
must hold for the others. The judge is a kit whose tokens are single bytes: it is never asked for a
mask, and reads the tokens byte by byte.
"""

from random import Random

import pytest

from maskc.errors import MaskcError
from maskc.kit.file import make_kit
from maskc.tags.families import list_families
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids
from tests.examples import seeds
from tests.laws.test_budgets_of_json import BYTES, LAYOUTS, draw_schema, draw_text, draw_tokens

LITERALS = ["<a>", "</a>", "]", "f(", ")", "x=", "=", "go]", "f]", "{", '"', ",", "1", "\n"]
PATTERNS = ["[ab]{1,3}", "(a|b=)*x", "[0-9]{2,4}", "[^<]{0,5}", "a{0,3}b{2,}", "(?:<a>)?x?"]
BEGINNINGS = [b"", b"=", b"]", b">", b'",', b'"]', b"a", b"\n", b"}", b"1"]
ENDS = [
    b'{"',
    b'{"a',
    b'{"a":1',
    b'{ "b',
    b'{"":"',
    b"[1",
    b'[{"a',
    b'"a',
    b"12",
    b"{}",
    b"{",
    b"-1",
]
TEXTS = [b"2.5", b"10", b"e1", b"null", b'":"', b'"}', b"}]", b'",', b"true", b"</", b"a>", b"0"]
SINGLES = b'"{}[]:,ab0129x<>= \\-.etnulrsf'
TOKENS = sorted({a + b for a in BEGINNINGS for b in ENDS} | {*TEXTS})


def draw_part(draw, depth):
    """Return what makes a constraint with a kit."""
    kind = draw.random() if depth else draw.random() / 2
    if kind < 0.2:
        schema, layout = draw_schema(draw, draw.randint(0, 2)), draw.choice(LAYOUTS)
        return lambda kit: kit.json_schema(schema, **layout)
    if kind < 0.35:
        words = ["".join(draw.choices(LITERALS, k=draw.randint(1, 3))) for _ in range(2)]
        return lambda kit: kit.choice(words)
    if kind < 0.5:
        pattern = draw.choice(PATTERNS)
        return lambda kit: kit.regex(pattern)
    parts = [draw_part(draw, depth - 1) for _ in range(draw.randint(2, 3))]
    if kind < 0.8:
        return lambda kit: kit.sequence(*[part(kit) for part in parts])
    if kind < 0.92:
        return lambda kit: kit.one_of(*[part(kit) for part in parts])
    low = draw.randint(0, 2)
    high = draw.choice([None, low + 2])
    return lambda kit: kit.repeat(parts[0](kit), low, high)


def check_walk(draw, constraint, judge, tokens, text=b""):
    """Walk along a text, or at random, and check every mask; return how many there were."""
    matcher, read, n_masks = constraint.matcher(), judge.matcher(), 0
    for _ in range(16):
        legal = legal_ids(matcher, len(tokens) + 1)
        n_masks += 1
        for number, token in enumerate(tokens):
            assert read.fork().accept_bytes(token) == (number in legal), token
        assert read.is_accepting == (len(tokens) in legal)
        going_on = sorted(legal - {len(tokens)})
        if not going_on:
            break
        along = [number for number in going_on if text.startswith(tokens[number])]
        taken = draw.choice(along or going_on)
        text = text.removeprefix(tokens[taken]) if along else b""
        assert matcher.accept_token(taken)
        assert read.accept_bytes(tokens[taken])
    return n_masks


def make_kit_of(tokens):
    return make_kit(Vocabulary((*tokens, None), (len(tokens),), "small"))


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(50))
def test_parts_of_many_requests_are_joined_exactly(seed):
    draw, n_masks = Random(seed), 0
    tokens = tuple(sorted({*draw.sample(TOKENS, 60), *(bytes([byte]) for byte in SINGLES)}))
    kit, bytewise = make_kit_of(tokens), make_kit(BYTES)
    for _ in range(12):
        make = draw_part(draw, 2)
        try:
            constraint, judge = make(kit), make(bytewise)
        except MaskcError:
            continue
        n_masks += sum(check_walk(draw, constraint, judge, tokens) for _ in range(2))
    assert n_masks > 20


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(100))
def test_calls_of_tools_are_joined_exactly(seed):
    draw, tools = Random(seed), []
    for name in draw.sample(["f", "go", "f_x", "get"], 2):
        schema = draw_schema(draw, 1)
        object_ = {
            "type": "object",
            "properties": {"a": schema},
            "required": draw.choice([["a"], []]),
        }
        if draw.random() < 0.6:
            object_["additionalProperties"] = False
        tools.append({"type": "function", "function": {"name": name, "parameters": object_}})
    family, choice = draw.choice(list_families()), draw.choice(["auto", "required"])
    try:
        judge = make_kit(BYTES).tools(tools, family=family, choice=choice)
        texts = [draw_text(draw, judge) for _ in range(3)]
        tokens = draw_tokens(draw, texts)
        constraint = make_kit_of(tokens).tools(tools, family=family, choice=choice)
    except MaskcError:
        return
    for text in texts:
        assert check_walk(draw, constraint, judge, tokens, text)


A = {"type": "object"}
CLOSED = {"type": "object", "properties": {"city": {}}, "additionalProperties": False}


@pytest.mark.parametrize("schemas", [(A, CLOSED), (CLOSED, A)])
def test_a_token_that_opens_a_key_is_asked_of_each_schema(schemas):
    # Found by the laws above: what one schema allowed was taken for what the other one does.
    tokens = (*(bytes([byte]) for byte in range(256)), b']{"x')
    kit = make_kit_of(tokens)
    for name, schema in zip("fg", schemas, strict=True):
        part = kit.sequence(kit.choice([f"{name}]"]), kit.json_schema(schema))
        matcher = part.matcher()
        assert matcher.accept_bytes(name.encode())
        assert (256 in legal_ids(matcher, 258)) == (schema is A)


def test_a_number_may_end_where_digits_of_the_next_part_follow():
    # Found by the laws above: after 2, the token 10 is the end of 21 and a first 0.
    tokens = (*(bytes([byte]) for byte in range(256)), b"10")
    kit = make_kit_of(tokens)
    integer = kit.json_schema({"type": "integer", "minimum": 10, "maximum": 31})
    matcher = kit.sequence(integer, kit.regex("[0-9]{2}")).matcher()
    assert matcher.accept_bytes(b"2")
    assert 256 in legal_ids(matcher, 258)
