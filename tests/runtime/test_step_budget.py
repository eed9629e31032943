"""What is looked at for one mask is counted, and ends in a sentence.

Every mask and every text that is accepted is counted in steps, in each machine of a request.
"""

import threading

import pytest

import maskc
from maskc.errors import LimitError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.step_budget import (
    AT_ONCE,
    charge_steps,
    charge_vector_steps,
    count_taken,
    one_mask,
)
from maskc.vocab import load_vocabulary
from tests.compiled import EVERY_BYTE, compile_text, legal_ids


def test_as_many_steps_as_are_allowed_are_taken() -> None:
    with one_mask(3):
        charge_steps(3)


def test_one_step_more_is_refused_with_the_limit() -> None:
    said = "more than 3 steps to find one mask; let fewer"
    with pytest.raises(LimitError, match=said) as caught, one_mask(3):
        charge_steps(4)
    assert caught.value.limit == 3


def test_outside_of_a_mask_nothing_is_counted() -> None:
    with one_mask(1):
        pass
    charge_steps(10**9)


def test_without_a_limit_nothing_is_counted() -> None:
    with one_mask(None):
        charge_steps(10**9)


def test_a_mask_inside_of_another_takes_its_steps() -> None:
    with one_mask(3):
        with one_mask(100):
            charge_steps(2)
        with pytest.raises(LimitError):
            charge_steps(2)


def test_after_a_refusal_the_next_mask_has_all_steps() -> None:
    with pytest.raises(LimitError), one_mask(1):
        charge_steps(2)
    with one_mask(2):
        charge_steps(2)


def test_what_numpy_looks_at_is_counted_in_part() -> None:
    with one_mask(3):
        charge_vector_steps(2 * AT_ONCE)
    with pytest.raises(LimitError), one_mask(2):
        charge_vector_steps(2 * AT_ONCE)


def test_threads_count_for_themselves() -> None:
    refused: list[LimitError] = []

    def other() -> None:
        try:
            charge_steps(10**9)
        except LimitError as error:
            refused.append(error)

    with one_mask(1):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert not refused


def test_what_was_taken_for_masks_is_added_up() -> None:
    before = count_taken()
    for n in (2, 3):
        with one_mask(10):
            charge_steps(n)
    charge_steps(7)
    assert count_taken() - before == 5


N_STEPS = 200
BYTES = load_vocabulary("bytes")
WORDS = 'start: (NAME ";")*\nNAME: /[a-z]+/\n'
NAMES = [f"{a}{b}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnop"]


def make_schema(steps):
    return maskc.Artifact(compile_schema({"items": {"type": "string"}}, BYTES), steps=steps)


def make_restricted(steps):
    contents = compile_text(WORDS, EVERY_BYTE).contents
    return maskc.Artifact(contents, steps=steps).bind(NAME=NAMES)


def make_followed(steps):
    artifact = maskc.Artifact(compile_text(WORDS, EVERY_BYTE).contents, steps=steps)
    return maskc.follow(artifact, "NAME", on_complete=lambda _: {"NAME": NAMES})


def make_general(steps):
    contents = compile_text('start: "a"* | start start\n', EVERY_BYTE, parser="earley").contents
    return maskc.Artifact(contents, steps=steps)


TEXTS = {
    make_schema: b'["a"' + b',"c"' * 100,
    make_restricted: b"ab;" * 100,
    make_followed: b"ab;" * 100,
    make_general: b"a" * 300,
}


@pytest.mark.parametrize("make", TEXTS, ids=lambda make: make.__name__)
def test_a_text_that_takes_too_many_steps_leaves_the_matcher_as_it_was(make):
    matcher = make(N_STEPS).matcher()
    before = matcher.configuration()
    with pytest.raises(LimitError, match=f"more than {N_STEPS} steps") as caught:
        matcher.accept_bytes(TEXTS[make])
    assert (caught.value.limit, matcher.configuration()) == (N_STEPS, before)
    assert matcher.accept_bytes(TEXTS[make][:1])
    matcher.rollback(1)
    assert make(10**9).matcher().accept_bytes(TEXTS[make])


NESTED = 'start: "[" start? "]"\n'


@pytest.mark.parametrize(
    "make",
    [
        lambda: compile_text(NESTED, EVERY_BYTE),
        lambda: compile_text(NESTED, EVERY_BYTE, parser="earley"),
        lambda: maskc.Artifact(compile_schema({}, BYTES)),
    ],
    ids=["lalr", "general", "schema"],
)
def test_to_tell_all_that_the_future_of_a_deep_text_depends_on_takes_steps(make):
    matcher = make().matcher()
    assert all(matcher.accept_bytes(b"[" * 10) for _ in range(200))
    with pytest.raises(LimitError), one_mask(10):
        matcher.configuration()
    with one_mask(10**6):
        assert matcher.configuration() == matcher.fork().configuration()


MASKS = {
    "a key among names": ({"properties": {name: {} for name in NAMES}}, b'{"'),
    "a key of a class": ({"patternProperties": {"^[a-p]{2}$": {}}}, b'{"'),
    "a string by a pattern": ({"pattern": "^([a-p]{2})+[0-9]{3}$"}, b'"ab'),
    "a string that a reader reads": ({"format": "idn-email-exact"}, b'"a@'),
    "an item that must differ": ({"uniqueItems": True, "items": {"type": "integer"}}, b"[1,2,"),
}


@pytest.mark.parametrize(("schema", "text"), MASKS.values(), ids=MASKS)
def test_a_mask_of_a_schema_that_takes_too_many_steps_leaves_the_matcher_as_it_was(schema, text):
    contents = compile_schema(schema, BYTES)
    free, few = maskc.Artifact(contents), maskc.Artifact(contents, steps=10)
    matcher = few.matcher()
    for byte in text:
        assert matcher.accept_bytes(bytes([byte]))
    before = matcher.configuration()
    with pytest.raises(LimitError, match="more than 10 steps to find one mask; use simpler"):
        legal_ids(matcher, few.vocab_size)
    assert matcher.configuration() == before
    asked, taken = free.matcher(), count_taken()
    assert asked.accept_bytes(text)
    assert legal_ids(asked, free.vocab_size)
    assert count_taken() - taken > 10
