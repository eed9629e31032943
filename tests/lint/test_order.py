"""All checks, on the grammars that maskc ships."""

from maskc.frontends.bundled import find_grammar
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar


def codes(name):
    findings = lint_grammar(load_source(find_grammar(name)))
    return [(finding.code, finding.severity.value) for finding in findings]


def test_json_without_its_bound_has_one_warning_for_its_blanks():
    text = find_grammar("json_unbounded").read_text().replace("allow=", "allowed=")
    text = text.replace("// maskc: allowed=", "// allowed=")
    findings = lint_grammar(load_source(text))
    assert [(f.code, f.severity.value) for f in findings] == [("ML007", "warning")]


def test_what_the_grammars_that_come_with_maskc_have_is_allowed_in_them():
    for name in ("json", "json_unbounded", "toml", "csv", "graphql"):
        assert codes(name) == []


def test_python_has_no_errors():
    allowed = find_grammar("python").read_text().replace("allow=", "allowed=", 1)
    text = allowed.replace("// maskc: allowed=", "// allowed=", 1)
    found = {(f.code, f.severity.value) for f in lint_grammar(load_source(text))}
    assert {severity for _, severity in found} == {"warning", "note"}
    assert {code for code, _ in found} == {"ML001", "ML003", "ML006", "ML007", "ML013"}
    assert codes("python") == []


def test_progress_says_what_is_looked_for():
    said = []
    lint_grammar(load_source('start: "a"\n'), progress=lambda *step: said.append(step))
    assert said[0] == ("collisions", 0.0)
    assert [fraction for _, fraction in said] == sorted({fraction for _, fraction in said})
