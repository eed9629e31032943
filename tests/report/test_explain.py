import pytest

from maskc.explain.questions import explain, parse_token
from maskc.report.explain import print_explanation, to_dict
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n')


def printed(capsys, explanation):
    print_explanation(explanation)
    return capsys.readouterr().out


def test_what_may_come_next_is_printed(artifact, capsys):
    out = printed(capsys, explain(artifact, b"[a"))
    assert out.startswith("after ")
    assert "the text may end here: no" in out


def test_a_text_that_is_illegal_says_so(artifact, capsys):
    assert "  illegal at line 1, column 2\n    [,\n     ^\n" in printed(
        capsys, explain(artifact, b"[,")
    )


def test_bytes_that_are_no_text_are_escaped_in_json(artifact):
    report = to_dict(explain(artifact, b"[", parse_token(r"b'\xc3'")))
    assert report["token"]["token"] == "\\xc3"
