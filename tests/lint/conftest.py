import pytest

from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar


@pytest.fixture
def lint():
    """Return a function: grammar text, code → the findings of that code."""

    def call(text, code, vocabulary=None):
        findings = lint_grammar(load_source(text), vocabulary)
        return [finding for finding in findings if finding.code == code]

    return call
