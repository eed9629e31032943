"""Too many readings of a text are a `LimitError` in each machine, and the matcher is as it was."""

import pytest

import maskc
from maskc.errors import LimitError
from maskc.runtime import machine
from tests.compiled import EVERY_BYTE, compile_text, legal_ids
from tests.runtime.link.parts import make_boundaries

# `aa` is the beginning of one X, or a Y and another beginning.
TWO_READINGS = "start: (X | Y | Z)+\nX: /a*b/\nY: /a/\nZ: /[c-z]/\n"
AFTER, MAKES_TWO = b"a", b"a"


@pytest.fixture(scope="module")
def artifact():
    return compile_text(TWO_READINGS, EVERY_BYTE)


@pytest.fixture(scope="module")
def kit():
    from maskc.kit.file import make_kit
    from maskc.vocab import load_vocabulary

    return make_kit(load_vocabulary("bytes"))


def make_lalr(artifact, _kit):
    return artifact


def make_restricted(artifact, _kit):
    return artifact.bind(Z=["c"])


def make_captured(artifact, _kit):
    return maskc.capture(artifact, "Y")


def make_followed(artifact, _kit):
    return maskc.follow(artifact, "Y", on_complete=lambda _: {"Z": ["c"]})


def make_own_tokens(_artifact, _kit):
    plain = maskc.compile_grammar(TWO_READINGS, tokenizer="bytes")
    return maskc.canonical(plain, maskc.compile_spelling("bytes"))


def make_linked(_artifact, kit):
    # After `aa` the first part is open, and the second one may begin.
    return kit.sequence(kit.regex("aa+"), kit.json_schema({"type": "integer"}))


MACHINES = [make_lalr, make_restricted, make_captured, make_followed, make_own_tokens, make_linked]


@pytest.fixture(params=MACHINES, ids=lambda make: make.__name__.removeprefix("make_"))
def constraint(request, artifact, kit):
    return request.param(artifact, kit)


@pytest.mark.parametrize("accept", ["accept_bytes", "accept_token", "accept_tokens"])
def test_too_many_readings_raise_and_leave_the_matcher_as_it_was(constraint, accept, monkeypatch):
    matcher = constraint.matcher()
    assert matcher.accept_bytes(AFTER)
    before, legal = matcher.configuration(), legal_ids(matcher, constraint.vocab_size)
    given = {"accept_bytes": MAKES_TWO, "accept_token": MAKES_TWO[0], "accept_tokens": MAKES_TWO}
    monkeypatch.setattr(machine, "MAX_HYPOTHESES", 1)
    with pytest.raises(LimitError, match="more than 1 readings of the text so far") as caught:
        getattr(matcher, accept)(given[accept])
    assert caught.value.limit == 1
    assert matcher.configuration() == before
    assert legal_ids(matcher.fork(), constraint.vocab_size) == legal
    matcher.rollback(1)
    assert matcher.accept_bytes(AFTER)
    monkeypatch.undo()
    assert matcher.accept_bytes(MAKES_TWO)


def test_readings_that_tokens_multiply_raise(artifact, monkeypatch):
    # Of two readings each leads to one, as when their token was taken before.
    lalr = artifact.machine
    two = lalr.step(lalr.start(), b"aa")
    assert len(two) == 2
    monkeypatch.setattr(machine, "MAX_HYPOTHESES", 1)
    with pytest.raises(LimitError):
        lalr.step(two, b"")


def test_readings_of_a_token_that_is_taken_by_its_id_are_bounded(monkeypatch):
    from maskc.runtime.link.joining.pieces import TokenPiece

    boundaries = make_boundaries()
    either = [
        boundaries.as_expression(TokenPiece([6])),
        boundaries.as_expression(TokenPiece([6, 7])),
    ]
    start = boundaries.rest(boundaries.choice(either), boundaries.end).starts
    assert len(boundaries.take(start, 6)) == 2
    monkeypatch.setattr(machine, "MAX_HYPOTHESES", 1)
    with pytest.raises(LimitError):
        boundaries.take(start, 6)


def test_readings_of_a_general_grammar_are_bounded_by_steps():
    text = 'start: "a" start "a" | "b" start "b" | "a" | "b"\n'
    general = compile_text(text, EVERY_BYTE, parser="earley").contents
    matcher = maskc.Artifact(general, steps=200).matcher()
    assert matcher.accept_bytes(b"ab")
    before = matcher.configuration()
    with pytest.raises(LimitError, match="more than 200 steps"):
        matcher.accept_bytes(b"ab" * 100)
    assert matcher.configuration() == before
    assert not matcher.accept_bytes(b"c")
