"""Of several tokens that end the sequence, a tag takes the one that it names."""

import numpy as np
import pytest

import maskc
from maskc.kit.artifacts import compile_structural_tag
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary

A, B, CALL, RETURN = range(4)
MODEL = Vocabulary(
    (b"a", b"b", None, None), (CALL, RETURN), "small", {"<call>": CALL, "<return>": RETURN}
)


def made(form: object) -> list[maskc.Matcher]:
    """Return matchers of a request and of an artifact."""
    tag = {"type": "structural_tag", "format": form}
    contents = compile_structural_tag(tag, MODEL, limits=Limits())
    return [make_kit(MODEL).structural_tag(tag).matcher(), Artifact(contents).matcher()]


def legal(matcher: maskc.Matcher) -> set[int]:
    bitmask = maskc.allocate_bitmask(1, 4)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def tag(content: str, end: object) -> dict[str, object]:
    return {
        "type": "tag",
        "begin": "",
        "content": {"type": "const_string", "value": content},
        "end": end,
    }


@pytest.mark.parametrize("end", ["<call>", {"type": "token", "token": CALL}])
def test_the_end_of_a_tag_is_the_token_that_it_names(end: object) -> None:
    for matcher in made(tag("a", end)):
        assert matcher.accept_token(A)
        assert legal(matcher) == {CALL}
        assert matcher.is_accepting
        assert matcher.validate_tokens([RETURN]) == 0
        assert not matcher.accept_token(RETURN)
        assert matcher.accept_token(CALL)
        assert matcher.is_terminated


def test_one_of_two_ends_may_be_named() -> None:
    for matcher in made({"type": "or", "elements": [tag("a", "<call>"), tag("b", "<return>")]}):
        called, returned = matcher.fork(), matcher.fork()
        assert called.accept_tokens([A, CALL]) == 2
        assert returned.accept_tokens([B, CALL]) == 1
        assert legal(returned) == {RETURN}


def test_a_text_that_ends_by_itself_takes_any_end() -> None:
    for matcher in made({"type": "const_string", "value": "a"}):
        assert matcher.accept_token(A)
        assert legal(matcher) == {CALL, RETURN}
        assert matcher.fork().accept_token(CALL)
        assert matcher.accept_token(RETURN)


def test_where_both_are_legal_both_are_in_the_mask() -> None:
    either = [tag("a", "<call>"), tag("a", "")]
    for matcher in made({"type": "or", "elements": either}):
        assert matcher.accept_token(A)
        assert legal(matcher) == {CALL, RETURN}
        assert matcher.accept_token(RETURN)
