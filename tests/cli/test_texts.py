"""Texts that are generated; standard input; the page of play."""

import io
import json
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest
from lark import Lark

import maskc
from maskc.cli import options as module
from maskc.verify import generation
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


def test_a_name_a_grammar_and_a_schema_do_instead_of_an_artifact(command, refusal, tmp_path):
    (tmp_path / "list.lark").write_text(GRAMMAR)
    (tmp_path / "one.schema.json").write_text('{"const": 1}')
    (tmp_path / "one").write_text("1")
    json.loads(command("generate", "json").out)
    Lark(GRAMMAR, parser="lalr", start="list").parse(command("generate", "list.lark").out.strip())
    assert command("generate", "one.schema.json").out.strip() == "1"
    sources = ("json", "one.schema.json", "list.lark")
    assert [command("check", source, "one").status for source in sources] == [0, 0, 1]
    assert refusal("generate", "jso").endswith("did you mean json, which comes with maskc?")
    assert refusal("generate", "json.maskc").endswith("give the path of an artifact")
    assert "--resource is for JSON Schemas only" in refusal(
        "check", "json", "one", "--resource", "a.json=one"
    )


def test_the_same_seed_gives_the_same_texts(command, artifact):
    arguments = ("generate", artifact, "--count", 3, "--max-tokens", 10, "--seed")
    assert command(*arguments, 1) == command(*arguments, 1)
    assert command(*arguments, 1) != command(*arguments, 2)


def test_a_text_that_cannot_be_finished_is_an_error(command, artifact, monkeypatch):
    stuck = generation.GeneratedText("[a", 2, "stuck")
    monkeypatch.setattr("maskc.verify.generation.result_of", lambda _: stuck)
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


@pytest.mark.parametrize("end", ["", "\\n"])
def test_a_text_beyond_ascii_is_utf8_with_one_line_break(command, tmp_path, end):
    maskc.compile_grammar(f'start: "é€😀{end}"\n', tokenizer="bytes").save(tmp_path / "a")
    assert command("generate", "a").out == "é€😀\n"


def test_what_no_text_holds_is_said_if_asked_for(command, artifact):
    few = command("generate", artifact, "--max-tokens", 1, "--unreached")
    assert "alternatives reached; not:\n  list: " in few.err
    many = command("generate", artifact, "--count", 12, "--unreached")
    assert many.err.endswith(" alternatives reached\n")
    assert command("generate", artifact).err == ""


def run(given, artifact):
    command = [sys.executable, "-m", "maskc", "explain", artifact, "--text", "-"]
    done = subprocess.run(command, stdin=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_cannot_be_read_is_no_input(artifact, tmp_path):
    with open(tmp_path / "written", "wb") as only_written:
        status, out, err = run(only_written, artifact)
    assert (status, out) == (2, b"")
    assert err == b"maskc: -: Bad file descriptor; give the text through it\n"


def test_it_is_read_to_its_last_byte_whatever_that_is(command, artifact, stdin):
    stdin(b"[a\n")
    assert command("explain", artifact, "--text", "-").out.startswith("after '[a\\n'")
    stdin(b"[\xff")
    assert command("explain", artifact, "--text", "-").out.startswith("after b'[\\xff'")


def test_more_than_a_text_may_have_is_refused(refusal, artifact, stdin, monkeypatch):
    monkeypatch.setattr(module, "_MAX_TEXT_BYTES", 10)
    stdin(b"[" + b"a" * 10)
    said = refusal("explain", artifact, "--text", "-")
    assert said == "-: is larger than 10 bytes; give a smaller text"


def test_play_says_where_the_page_is_and_ends_at_ctrl_c(artifact):
    command = [sys.executable, "-m", "maskc", "play", str(artifact), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        line = run.stdout.readline()
        assert line.startswith("http://127.0.0.1:")
        with urlopen(line.split()[0]) as page:
            assert b"<textarea" in page.read()
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=30)
    assert (run.returncode, error) == (130, "maskc: interrupted\n")
