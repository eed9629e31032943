"""The grammars that maskc ships, and ML008."""

from maskc.cli.compile import find_grammar
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar
from maskc.vocab.vocabulary import Vocabulary


def codes(name):
    findings = lint_grammar(load_source(find_grammar(name)))
    return [(finding.code, finding.severity.value) for finding in findings]


def test_json_has_one_warning_for_its_blanks():
    assert codes("json") == [("ML007", "warning")]


def test_python_has_no_errors():
    found = codes("python")
    assert {severity for _, severity in found} == {"warning", "note"}
    assert {code for code, _ in found} == {"ML001", "ML003", "ML006", "ML007"}


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
