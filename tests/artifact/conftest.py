import pytest

from tests.compiled import compile_text

GRAMMAR = 'start: "(" start ")" | NAME\nNAME: /[a-z]+/\n'


@pytest.fixture(scope="session")
def contents():
    """The contents of a small artifact, with parser queries; a test changes a copy."""
    return compile_text(GRAMMAR, (b"(", b")", b"a", b"))"), "raw").contents
