"""ML007, in grammars that are read by general parsers."""

import pytest

from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar


def findings(path):
    return [f for f in lint_grammar(load_source(path)) if f.code == "ML007"]


def test_blanks_without_a_bound_are_found_in_gbnf(tmp_path):
    path = tmp_path / "g.gbnf"
    path.write_text('root ::= "a" ws "b"\nws ::= [ \\t\\n]*\n')
    (finding,) = findings(path)
    assert "takes any number of blanks" in finding.fact


@pytest.mark.parametrize("blanks", ["[ \\t]{0,3}", "[ -~]*", "[^x]*"])
def test_bounded_blanks_and_texts_are_none(tmp_path, blanks):
    path = tmp_path / "g.gbnf"
    path.write_text(f'root ::= "a" ws "b"\nws ::= {blanks}\n')
    assert findings(path) == []


def test_what_is_ignored_may_come_again_and_again():
    (finding,) = findings('// maskc: parser=earley\nstart: "a"+\n%ignore " "\n')
    assert "is ignored as often as it comes" in finding.fact
