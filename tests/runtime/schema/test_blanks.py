import random

import numpy as np
import pytest

from maskc.kit.file import make_kit
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.schema.plan.blanks import Blanks, at_most
from tests.runtime.schema.vocabularies import TEXTS, VOCABULARY


def follow(choice, text, depth=1):
    blanks, gap = Blanks(choice), 0
    for byte in text:
        after = blanks.step(gap, byte, depth)
        if after is None:
            return None
        gap = after
    return blanks.may_go_on(gap)


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("compact", b"", True),
        ("compact", b" ", None),
        ("bounded", b" " * 8 + b"\r\n" + b" " * 8, True),
        ("bounded", b" " * 9, None),
        ("bounded", b"\r", False),
        ("any", b"\r" * 20, True),
        ("at most 9", b" \t\n" * 3, True),
        ("at most 9", b" " * 10, None),
        ("at most 9", b"\r", None),
        ("at most 3 on a line", b" \t ", True),
        ("at most 3 on a line", b" " * 4, None),
        ("at most 3 on a line", b" \n", None),
        ("at most 3 on a line", b"\r", None),
    ],
)
def test_a_gap_is_read_as_its_layout_says(choice, text, expected):
    assert follow(choice, text) is expected


@pytest.mark.parametrize(
    "choice", ["", "at most", "at most 0", "at most -1", "at most 12345678901", "compact on a line"]
)
def test_another_choice_is_refused(choice):
    with pytest.raises(ValueError, match="blanks is not one of compact, bounded, any"):
        Blanks(choice)


def test_no_blanks_are_the_compact_layout():
    assert (at_most(0), at_most(3)) == ("compact inside", "at most 3 inside")
    assert at_most(None) == "bounded inside"


def test_a_layout_of_one_line_has_the_usual_number_of_blanks():
    assert at_most(None, on_line=True) == "at most 8 on a line inside"
    assert at_most(2, on_line=True) == "at most 2 on a line inside"
    assert at_most(0, on_line=True) == "compact inside"


def test_inside_of_a_text_blanks_are_those_of_the_layout():
    assert follow("bounded inside", b"  \n ", depth=1) is True
    assert follow("bounded inside", b" ", depth=0) is None
    assert follow("at most 2 inside", b" ", depth=0) is None
    assert (Blanks("any inside").choice, Blanks("any").is_inside) == ("any", False)


SCHEMAS = (
    {},
    {"type": "integer"},
    {"type": "string"},
    {"items": {"items": {"type": "boolean"}}},
    {"properties": {"a": {"items": {"type": "integer"}}, "ab": {}}, "required": ["a"]},
    {"enum": [None, "a", 12]},
)


@pytest.fixture(scope="module")
def kit():
    return make_kit(VOCABULARY)


@pytest.mark.parametrize(
    "blanks", ["bounded", "any", "at most 1", "at most 9", "at most 2 on a line"]
)
@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_without_blanks_around_it_a_text_is_one_that_begins_and_ends_with_none(kit, schema, blanks):
    draw = random.Random(f"{schema} {blanks}")
    usual = kit.json_schema(schema, blanks=blanks)
    inside = kit.json_schema(schema, blanks=f"{blanks} inside")
    bitmask = allocate_bitmask(1, kit.vocab_size)
    for _ in range(6):
        here, there = usual.matcher(), inside.matcher()
        for _ in range(14):
            there.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: len(TEXTS)]
            legal = set(np.flatnonzero(bits).tolist())
            assert legal == {n for n, text in enumerate(TEXTS) if there.fork().accept_bytes(text)}
            assert all(here.fork().accept_bytes(TEXTS[n]) for n in legal)
            assert there.is_accepting <= here.is_accepting
            signs = [n for n in legal if TEXTS[n].strip()]
            if not signs:
                break
            token = draw.choice(signs if draw.random() < 0.7 else sorted(legal))
            assert here.accept_bytes(TEXTS[token])
            assert there.accept_bytes(TEXTS[token])
        else:
            continue
        # All signs are read: only the usual layout has more to come.
        assert there.is_accepting
        assert not legal
        assert here.fork().accept_bytes(b" ")
    assert not inside.matcher().accept_bytes(b" ")
    assert usual.matcher().accept_bytes(b" ")


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_a_text_on_a_line_is_one_with_as_many_blanks_and_no_line_break(kit, schema):
    draw = random.Random(str(schema))
    usual = kit.json_schema(schema, blanks="at most 3 inside")
    on_line = kit.json_schema(schema, blanks="at most 3 on a line inside")
    bitmask = allocate_bitmask(2, kit.vocab_size)
    for _ in range(12):
        here, there = usual.matcher(), on_line.matcher()
        for _ in range(14):
            here.fill_bitmask(bitmask, 0)
            there.fill_bitmask(bitmask, 1)
            bits = np.unpackbits(bitmask.view(np.uint8), axis=1, bitorder="little")
            broken, legal = (set(np.flatnonzero(row[: len(TEXTS)]).tolist()) for row in bits)
            assert legal == {n for n in broken if b"\n" not in TEXTS[n]}
            assert here.is_accepting == there.is_accepting
            if not legal:
                break
            token = draw.choice(sorted(legal))
            assert here.accept_bytes(TEXTS[token])
            assert there.accept_bytes(TEXTS[token])
