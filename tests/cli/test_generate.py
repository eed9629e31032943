"""maskc generate: texts that the grammar accepts."""

import io
import json

import pytest
from lark import Lark

import maskc
from maskc.verify import walks
from tests.cli.conftest import GRAMMAR


@pytest.fixture(scope="module")
def parser():
    return Lark(GRAMMAR, parser="lalr", start="list")


def test_the_texts_are_parsed_by_lark(command, artifact, parser):
    outcome = command("generate", artifact, "--count", 20, "--max-tokens", 10, "--json")
    assert outcome.status == 0
    texts = json.loads(outcome.out)
    assert len(texts) == 20
    for text in texts:
        assert text["problem"] is None
        parser.parse(text["text"])


def test_a_text_is_printed_as_it_is(command, artifact):
    arguments = ("generate", artifact, "--max-tokens", 10, "--seed", 3)
    (text,) = json.loads(command(*arguments, "--json").out)
    assert command(*arguments).out == text["text"].rstrip("\n") + "\n"


def test_the_same_seed_gives_the_same_texts(command, artifact):
    arguments = ("generate", artifact, "--count", 3, "--max-tokens", 10, "--seed")
    assert command(*arguments, 1) == command(*arguments, 1)
    assert command(*arguments, 1) != command(*arguments, 2)


def test_a_text_that_cannot_be_finished_is_an_error(command, artifact, monkeypatch):
    stuck = walks.GeneratedText("[a", 2, "stuck")
    monkeypatch.setattr("maskc.work.executors.result_of", lambda _: stuck)
    outcome = command("generate", artifact)
    assert (outcome.status, outcome.out) == (1, "[a\n")
    assert outcome.err == f"maskc: {artifact}: stuck\n"


def test_a_text_of_bytes_is_these_bytes(command, monkeypatch):
    # Python 3.12 and later take no name beyond ASCII for a group, which Lark gives it without A.
    grammar = '// maskc: use_bytes=true\nstart: A\nA: "\\xe9"\n'
    maskc.compile_grammar(grammar, tokenizer="bytes").save("a")
    assert json.loads(command("generate", "a", "--json").out)[0]["text"] == "é"
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written))
    command("generate", "a")
    assert written.getvalue() == b"\xe9\n"


def test_a_text_beyond_ascii_is_utf8(command, tmp_path):
    maskc.compile_grammar('start: "é€😀"\n', tokenizer="bytes").save(tmp_path / "a")
    assert command("generate", "a").out == "é€😀\n"


def test_what_no_text_holds_is_said_if_asked_for(command, artifact):
    few = command("generate", artifact, "--max-tokens", 1, "--unreached")
    assert "alternatives reached; not:\n  list: " in few.err
    many = command("generate", artifact, "--count", 12, "--unreached")
    assert many.err.endswith(" alternatives reached\n")
    assert command("generate", artifact).err == ""


def test_what_is_not_reached_is_asked_of_grammars_only(command):
    maskc.compile_json_schema({"type": "null"}, tokenizer="bytes").save("null.maskc")
    outcome = command("generate", "null.maskc", "--unreached")
    assert outcome.status == 2
    assert "--unreached goes with a grammar only" in outcome.err
