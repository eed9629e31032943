import pytest

from maskc.explain import parse_token
from maskc.frontends.texts import find_grammar
from tests.compiled import EVERY_BYTE, compile_text, explain

BLOCKS = """\
// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=2
// maskc: OPEN_PAREN_types=LP CLOSE_PAREN_types=RP
start: stmt*
stmt: NAME _NL | "if" NAME _NL _INDENT stmt+ _DEDENT
NAME: /[a-z]+/
_NL: /\\n[ \\n]*/
%ignore / /
%declare _INDENT _DEDENT LP RP
"""


@pytest.fixture(scope="session")
def json_artifact():
    text = find_grammar("json").read_text()
    return compile_text(text, (*EVERY_BYTE, b'": ', b"1}", b"tru"))


@pytest.fixture(scope="session")
def blocks_artifact():
    return compile_text(BLOCKS)


@pytest.fixture
def explain_json(json_artifact):
    return lambda text, token=None: explain(
        json_artifact, text.encode(), None if token is None else parse_token(token)
    )


@pytest.fixture
def explain_blocks(blocks_artifact):
    return lambda text, token=None: explain(
        blocks_artifact, text.encode(), None if token is None else parse_token(token)
    )
