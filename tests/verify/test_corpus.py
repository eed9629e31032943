import pytest

from maskc.verify.corpus import walk_document, walk_file
from maskc.verify.model import Document, Experiment, Unit
from tests.compiled import compile_text

LIST = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n'


@pytest.fixture(scope="module")
def words():
    return compile_text(LIST)


def walk(artifact, text, *, parsed):
    found = Experiment("corpus", "files that Lark parses")
    walk_document(artifact, Document("a.txt", text), text.encode(), found, parsed=parsed)
    return found


def test_a_text_that_both_sides_take_is_no_failure(words):
    assert walk(words, "[a,b]", parsed=True).failures == []


def test_a_text_that_both_sides_refuse_is_no_failure(words):
    assert walk(words, "[a b]", parsed=False).failures == []


@pytest.mark.parametrize(
    ("text", "parsed", "what", "offset"),
    [
        ("[a b]", True, "a token is illegal in a text that Lark parses", 2),
        ("[a", True, "the end is illegal after a text that Lark parses", 2),
        ("[a]", False, "a text that Lark refuses is accepted", 3),
    ],
)
def test_a_difference_is_named_with_its_place(words, text, parsed, what, offset):
    (failure,) = walk(words, text, parsed=parsed).failures
    assert (failure["what"], failure["offset"]) == (what, offset)


def test_a_text_that_lark_refuses_is_kept_with_the_reason(subject_of):
    subject, found = subject_of(LIST), Experiment("corpus", "files that Lark parses")
    walk_file(subject, Unit("corpus", 0, "", 1, Document("a.txt", "[a b]")), found)
    (refused,) = found.refused
    assert (refused["file"], refused["line"], refused["column"]) == ("a.txt", 1, 3)
    assert found.documents == []


def test_a_text_that_lark_parses_is_handed_on_with_its_tokens(subject_of):
    subject, found = subject_of(LIST), Experiment("corpus", "files that Lark parses")
    walk_file(subject, Unit("corpus", 0, "", 1, Document("a.txt", "[a]")), found)
    assert [(document.name, document.n_tokens) for document in found.documents] == [("a.txt", 3)]
