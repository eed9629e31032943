"""What the tests of a grammar ask: its parser, its artifact, and random texts of its productions.

A module names its grammar ``GRAMMAR`` and its texts ``CORPUS``; ``LEXEMES`` says how terminals that
are no strings may be written, or ``list_lexemes`` does with the parser at hand.
"""

import pytest
from lark import Lark

from maskc import Artifact
from tests.grammars.derive import Deriver
from tests.grammars.walks import build_parser, compile_for


@pytest.fixture(scope="module")
def parser(request) -> Lark:
    return build_parser(request.module.GRAMMAR)


@pytest.fixture(scope="module")
def artifact(request) -> Artifact:
    return compile_for(request.module.GRAMMAR, request.module.CORPUS.values())


@pytest.fixture(scope="module")
def deriver(request, parser) -> Deriver:
    module = request.module
    lexemes = module.list_lexemes(parser) if hasattr(module, "list_lexemes") else module.LEXEMES
    return Deriver(parser, lexemes)
