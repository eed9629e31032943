import pytest

from maskc.verify.model import Document, Unit
from maskc.verify.plan import run_unit

LIST = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n'


@pytest.fixture
def walk(subject_of):
    """Return a function that walks a file of an artifact that Lark may read by another grammar."""

    def call(text, judged=LIST):
        return run_unit(subject_of(LIST, judged), Unit("corpus", 0, "", 1, Document("a.txt", text)))

    return call


@pytest.mark.parametrize("text", ["[a,b]", "[a b]"])
def test_a_text_on_which_both_sides_agree_is_no_failure(walk, text):
    assert walk(text).failures == []


@pytest.mark.parametrize(
    ("text", "judged", "what", "offset"),
    [
        ("[a b]", 'start: "[a b]"', "a token is illegal in a text that Lark parses", 2),
        ("[a", 'start: "[a"', "the end is illegal after a text that Lark parses", 2),
        ("[a]", 'start: "[]"', "a text that Lark refuses is accepted", 3),
    ],
)
def test_a_difference_is_named_with_its_place(walk, text, judged, what, offset):
    (failure,) = walk(text, judged).failures
    assert (failure["what"], failure["offset"]) == (what, offset)


def test_a_text_that_lark_refuses_is_kept_with_the_reason(walk):
    found = walk("[a b]")
    (refused,) = found.refused
    assert (refused["file"], refused["line"], refused["column"]) == ("a.txt", 1, 3)
    assert found.documents == []


def test_a_text_that_lark_parses_is_handed_on_with_its_tokens(walk):
    documents = walk("[a]").documents
    assert [(document.name, document.n_tokens) for document in documents] == [("a.txt", 3)]


def test_a_text_that_is_accepted_wrongly_is_handed_on_too(walk):
    """In what is made of it, later experiments find more."""
    assert [document.text for document in walk("[a]", 'start: "[]"').documents] == ["[a]"]
