"""All checks, on the grammars that maskc ships."""

from maskc.frontends.bundled import find_grammar
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar


def codes(name):
    findings = lint_grammar(load_source(find_grammar(name)))
    return [(finding.code, finding.severity.value) for finding in findings]


def test_json_has_one_warning_for_its_blanks():
    assert codes("json") == [("ML007", "warning")]


def test_what_the_other_grammars_that_come_with_maskc_have_is_allowed_in_them():
    assert codes("toml") == codes("csv") == codes("graphql") == []


def test_python_has_no_errors():
    allowed = find_grammar("python").read_text().replace("allow=", "allowed=", 1)
    text = allowed.replace("// maskc: allowed=", "// allowed=", 1)
    found = {(f.code, f.severity.value) for f in lint_grammar(load_source(text))}
    assert {severity for _, severity in found} == {"warning", "note"}
    assert {code for code, _ in found} == {"ML001", "ML003", "ML006", "ML007", "ML013"}
    assert codes("python") == []
