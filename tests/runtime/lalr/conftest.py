"""Two machines: nested brackets, and blocks by indentation."""

import pytest

from tests.compiled import compile_text

BRACKETS = 'start: "(" start ")" | "[" start ("," start)* "]" | NAME\nNAME: /[a-z]+/\n%ignore " "\n'
BLOCKS = """
start: line+
line: "x" _NL | "b" ":" _NL _INDENT line+ _DEDENT | LP "x" RP _NL
LP: "("
RP: ")"
_NL: /(\\n[ \\t]*)+/
%declare _INDENT _DEDENT
"""


@pytest.fixture(scope="session")
def brackets_artifact():
    return compile_text(BRACKETS)


@pytest.fixture(scope="session")
def brackets(brackets_artifact):
    return brackets_artifact.machine


@pytest.fixture(scope="session")
def terminals(brackets_artifact):
    """Name → terminal."""
    return {name: t for t, name in enumerate(brackets_artifact.header["terminals"])}


@pytest.fixture(scope="session")
def blocks_artifact():
    return compile_text(BLOCKS, postlex="tests.indenters:TwoColumns")


@pytest.fixture(scope="session")
def blocks(blocks_artifact):
    return blocks_artifact.machine


@pytest.fixture
def reach():
    """Return the only hypothesis after a text."""

    def reach(machine, text):
        (hypothesis,) = machine.step(machine.start(), text)
        return hypothesis

    return reach
