"""What the laws of a grammar ask for: a test for each text, its parser, and its artifact."""

import pytest
from lark import Lark

from maskc import Artifact
from tests.grammars.derive import Deriver
from tests.grammars.laws import GrammarLaws
from tests.grammars.walks import build_parser, compile_for, read_corpus

TABLES = ("accepted", "refused", "left_out")


def pytest_generate_tests(metafunc) -> None:
    laws = metafunc.cls
    if laws is None or not issubclass(laws, GrammarLaws):
        return
    if "corpus" in metafunc.fixturenames:
        texts = read_corpus(laws.name)
        metafunc.parametrize("corpus", texts.values(), ids=texts)
    for table in TABLES:
        if table in metafunc.fixturenames:
            metafunc.parametrize(table, getattr(laws, table))


@pytest.fixture(scope="class")
def parser(request) -> Lark:
    return build_parser(request.cls.name)


@pytest.fixture(scope="class")
def artifact(request) -> Artifact:
    return compile_for(request.cls.name, read_corpus(request.cls.name).values())


@pytest.fixture(scope="class")
def deriver(request, parser) -> Deriver:
    return Deriver(parser, request.cls().list_lexemes(parser))
