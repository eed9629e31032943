"""What a kit keeps of requests counts as much as it takes, so that all of it has one budget."""

import gc
import random
import tracemalloc
from contextlib import contextmanager

import pytest

import maskc
from maskc.errors import LimitError
from maskc.kit import compiling
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def draw_word(draw):
    return "".join(draw.choices(LETTERS, k=9))


def draw_grammar(draw):
    rules = "".join(f'r{i}: r{i + 1} ("{draw_word(draw)}" r{i + 1})*\n' for i in range(15))
    return f'start: r0\n{rules}r15: NAME | "(" start ")"\nNAME: /[a-z]+/\n'


def draw_schema(draw):
    values = [{"type": "string", "maxLength": 9}, {"enum": ["a", "b"]}, {"type": "integer"}]
    return {"properties": {draw_word(draw): draw.choice(values) for _ in range(60)}}


REQUESTS = {
    "choice": lambda kit, draw: kit.choice([draw_word(draw) for _ in range(3_000)]),
    "schema": lambda kit, draw: kit.json_schema(draw_schema(draw)),
    "pattern": lambda kit, draw: kit.regex("|".join(draw_word(draw) for _ in range(100))),
    "counted": lambda kit, draw: kit.regex(
        "|".join(f"{draw_word(draw)}[a-z]{{1,{draw.randint(50, 900)}}};" for _ in range(30))
    ),
    "grammar": lambda kit, draw: kit.lark(draw_grammar(draw)),
}


@contextmanager
def measured(kit):
    """Hold what the kit charges for what is done against what is allocated for it."""
    budget = kit._maker._budget
    gc.freeze()  # the collector need not walk again what other tests have left
    charged = budget.n_bytes
    tracemalloc.start()
    yield
    gc.collect()
    allocated = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    charged = budget.n_bytes - charged
    assert charged < 3 * allocated
    assert allocated < 3 * charged


@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_kept_of_a_request_is_charged_about_as_it_is_allocated(kit, name):
    make = REQUESTS[name]
    make(kit, random.Random(0))  # what all of its kind share
    with measured(kit):
        kept = make(kit, random.Random(1))
    assert kept is not None


GROWING = {
    "looks ahead": (r"(?=.*[0-9])(?=.*b)[a-z0-9 ]{8,64}", "ab1 ,x"),
    "tells ways apart": (r"(?:a|b)*a(?:a|b){12}(?!c)", "ab"),
    "counts": (r"(?:[ab]{1,60}a[ab]{9}){1,50}", "ab"),
}


@pytest.mark.parametrize("name", GROWING)
def test_states_that_texts_need_are_charged_about_as_they_are_allocated(kit, name):
    pattern, letters = GROWING[name]
    constraint, draw = kit.regex(pattern), random.Random(5)
    piece = constraint.expression.piece
    held = piece.held_bytes
    with measured(kit):
        for _ in range(8):
            matcher = constraint.matcher()
            for letter in draw.choices(letters, k=50):
                matcher.accept_bytes(letter.encode())
                matcher.fill_bitmask(maskc.allocate_bitmask(1, kit.vocab_size), 0)
        matcher = None
    assert piece.held_bytes - held > 10_000


def test_a_pattern_that_is_found_again_is_charged_with_the_states_that_it_has_by_now():
    kit = make_kit(load_vocabulary("bytes"))
    pattern, budget = r"(?:a|b)*a(?:a|b){12}(?!c)", kit._maker._budget
    constraint = kit.regex(pattern)
    constraint.matcher().accept_bytes(b"abba" * 20)
    held = constraint.expression.piece.held_bytes
    budget.charge(budget._share + 1 - budget._charged)  # the next generation, which is empty
    assert kit.regex(pattern).expression.piece is constraint.expression.piece
    assert budget._charged >= held


def test_a_pattern_whose_states_take_too_much_memory_is_refused(kit, monkeypatch):
    monkeypatch.setattr(compiling, "MAX_MEGABYTES", 0.1)
    matcher = kit.regex("(?:a|b)*a(?:a|b){14}(?!d)").matcher()
    with pytest.raises(LimitError, match=r"more than 0\.1 MB of states of a pattern"):
        matcher.accept_bytes(b"abba" * 200)


def test_grammars_that_requests_bring_share_the_budget_and_the_masks_of_the_kit(kit):
    constraint = kit.lark(draw_grammar(random.Random(2)))
    matcher, before = constraint.matcher(), kit.statistics()["masks"]
    matcher.fill_bitmask(maskc.allocate_bitmask(1, kit.vocab_size), 0)
    assert kit.statistics()["masks"] > before
    assert constraint.expression.piece.machine.pool is kit._maker.pool


def test_what_nobody_asks_for_any_more_is_let_go():
    kit = make_kit(load_vocabulary("bytes"), cache_bytes=1_000_000)
    draw = random.Random(7)
    words = [draw_word(draw) for _ in range(2_000)]
    for number in range(20):
        kit.choice([*words, str(number)])
    made = kit.statistics()["pieces_made"]
    kit.choice([*words, "19"])
    assert kit.statistics()["pieces_made"] == made
    kit.choice([*words, "0"])
    assert kit.statistics()["pieces_made"] == made + 1
