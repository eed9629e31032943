"""``maskc build``, with the processes that it has for itself."""

import json

import pytest

CONFIG = """\
[tokenizers]
bytes = "bytes"

[grammars]
list = "list.lark"
"""


@pytest.fixture(autouse=True)
def _project(grammar):
    (grammar.parent / "maskc.toml").write_text(CONFIG)


def test_a_build_makes_what_is_out_of_date_and_check_says_so(command):
    first = command("build", "--check")
    assert (first.status, first.err) == (1, "")
    assert first.out == "list.bytes.maskc: it does not exist\n1 out of date, 0 up to date\n"
    made = command("build")
    assert (made.status, made.err) == (0, "")
    assert made.out.startswith("1/1 list.bytes.maskc\nlist.bytes.maskc: ")
    assert made.out.endswith("artifacts: 1 built, 0 up to date, 0 failed\n")
    assert command("build", "--check").status == 0
    assert json.loads(command("build", "--json").out)["current"] == ["list.bytes.maskc"]


def test_a_grammar_that_cannot_be_read_is_one_sentence(command, grammar):
    grammar.write_text("start: )\n")
    outcome = command("build", "--jobs", 1)
    assert outcome.status == 2
    assert outcome.err.startswith("maskc: list.bytes.maskc: list.lark: line ")
    assert outcome.err.count("\n") == 1


def test_an_executor_that_cannot_be_imported_is_one_sentence(command):
    outcome = command("build", "--executor", "no_such:thing")
    assert outcome.status == 2
    assert outcome.err.startswith("maskc: executor no_such:thing: cannot be imported")
