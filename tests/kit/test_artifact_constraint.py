"""An artifact of a kit, narrowed for one request, alone and between other constraints."""

import pytest

import maskc
from maskc.errors import HoleError, UnknownSymbolError
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

GRAMMAR = 'start: "see " TABLE ("," TABLE)*\nTABLE: /[a-z]+/\n'


@pytest.fixture(scope="module")
def kit():
    return make_kit(load_vocabulary("bytes"))


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


def legal_after(constraint, text):
    matcher = constraint.matcher()
    assert matcher.accept_bytes(text)
    return matcher.legal_tokens().tolist()


@pytest.mark.parametrize("text", [b"", b"see ", b"see u", b"see users", b"see users,o"])
def test_its_masks_are_those_of_the_artifact_that_is_narrowed_alike(kit, artifact, text):
    words = ["users", "orders"]
    bound = kit.artifact(artifact).bind(TABLE=words)
    assert legal_after(bound, text) == legal_after(artifact.bind(TABLE=words), text)
    assert legal_after(kit.artifact(artifact), text) == legal_after(artifact, text)


def test_requests_do_not_see_each_others_words(kit, artifact):
    query = kit.artifact(artifact)
    one, two = query.bind(TABLE=["users"]), query.bind(TABLE=["orders"])
    assert one.matcher().accept_bytes(b"see users")
    assert not two.matcher().accept_bytes(b"see u")
    assert query.matcher().accept_bytes(b"see anything")


def test_between_others_it_ends_where_they_begin(kit, artifact):
    query = kit.artifact(artifact).bind(TABLE=["ab", "abc"])
    whole = kit.sequence(kit.choice(["<"]), query, kit.choice([">"]))
    assert legal_after(whole, b"<see ab") == sorted(b"c,>")
    matcher = whole.matcher()
    assert matcher.accept_bytes(b"<see ab,abc>")
    assert matcher.is_accepting
    matcher.rollback(1)
    assert not matcher.is_accepting


def test_what_cannot_be_narrowed_is_refused(kit, artifact):
    query = kit.artifact(artifact)
    with pytest.raises(HoleError):
        query.bind(TABLE=[])
    with pytest.raises(UnknownSymbolError):
        query.bind(TABEL=["a"])
