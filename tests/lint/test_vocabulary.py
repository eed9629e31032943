"""ML008: tokens that no mask holds."""

from maskc.vocab.vocabulary import Vocabulary


def test_a_token_that_no_mask_holds_is_useless(lint):
    tokens = (b"a", b"b", b"ab", b"ba", b"\x01", None)
    vocabulary = Vocabulary(tokens=tokens, eos_ids=(5,), name="test")
    (finding,) = lint('start: "a" "b"\n', "ML008", vocabulary)
    assert finding.fact == "2 of 5 tokens are legal nowhere"
    assert finding.witness == r"'\x01' 'ba'"
    assert finding.place.kind == "vocabulary"


def test_a_vocabulary_that_is_all_used_has_no_finding(lint):
    vocabulary = Vocabulary(tokens=(b"a", b"b", None), eos_ids=(2,), name="test")
    assert lint('start: "a" "b"\n', "ML008", vocabulary) == []
