"""All checks, on the grammars that maskc ships."""

from maskc.frontends.bundled import find_grammar
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar


def codes(name):
    findings = lint_grammar(load_source(find_grammar(name)))
    return [(finding.code, finding.severity.value) for finding in findings]


def test_json_has_one_warning_for_its_blanks():
    assert codes("json") == [("ML007", "warning")]


def test_python_has_no_errors():
    found = codes("python")
    assert {severity for _, severity in found} == {"warning", "note"}
    assert {code for code, _ in found} == {"ML001", "ML003", "ML006", "ML007"}
