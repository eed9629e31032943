"""What reads texts: check, explain, bench, diff, generate, play; standard input."""

import io
import json
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest
from lark import Lark

import maskc
from maskc.cli import input as module
from maskc.verify import walks
from tests.cli.conftest import GRAMMAR


def test_files_that_are_right_and_wrong(command, artifact, tmp_path):
    (tmp_path / "right").write_text("[a, b]\n")
    (tmp_path / "wrong").write_text("[a,\n")
    outcome = command("check", artifact, "right", "wrong")
    assert outcome.status == 1
    assert outcome.out.startswith("wrong:1:4: ")
    assert "expected: WORD\n" in outcome.out
    assert outcome.out.count("\n") == 1
    assert outcome.err == "1 of 2 files are right\n"
    assert command("check", artifact, "right").status == 0


def test_quiet_leaves_the_exit_status(command, artifact, tmp_path):
    (tmp_path / "wrong").write_text("[a,\n")
    outcome = command("check", artifact, "wrong", "--quiet")
    assert (outcome.status, outcome.out, outcome.err) == (1, "", "")


def test_json_has_a_result_for_each_file(command, artifact, tmp_path):
    (tmp_path / "right").write_text("[]")
    (tmp_path / "wrong").write_text("[a b]")
    outcome = command("check", artifact, "right", "wrong", "--json")
    right, wrong = json.loads(outcome.out)
    assert right == {"file": "right", "is_right": True}
    assert (wrong["line"], wrong["column"], wrong["expected"]) == (1, 4, ["COMMA", "RSQB"])
    assert outcome.status == 1


def test_a_schema_says_which_keyword_forbids(command, tmp_path):
    (tmp_path / "s.json").write_text('{"type": "object", "required": ["a"]}')
    command("compile", "--json-schema", "s.json", "--tokenizer", "bytes", "-o", "s.maskc")
    (tmp_path / "wrong").write_text('{"b": 1}')
    outcome = command("check", "s.maskc", "wrong")
    assert outcome.status == 1
    assert outcome.out.startswith("wrong:1:8: ")
    assert "/required" in outcome.out


def test_a_text_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[ab")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == "after '[ab'"
    assert "  open lexeme: 'ab'\n  it may become: WORD\n" in outcome.out
    assert "  if it ends here as WORD, next: COMMA, RSQB\n" in outcome.out
    assert "  reading: list -> LSQB . WORD (list…) RSQB\n" in outcome.out
    groups = outcome.out.split("legal tokens: 29 of 256\n")[1].splitlines()
    assert [line.split() for line in groups] == [
        ["WORD", "26", *(f"'{c}'" for c in "abcdefgh"), "and", "18", "more"],
        ["COMMA", "1", "','"],
        ["RSQB", "1", "']'"],
        ["ignored", "only", "1", "'", "'"],
    ]


def test_a_token_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[ab", "--token", "[")
    assert outcome.status == 0
    assert "token 91 '[': illegal\n" in outcome.out
    assert "no terminal that may come begins with '['\n" in outcome.out
    assert "    the parser takes: COMMA, RSQB\n" in outcome.out


def test_an_illegal_text_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[a!b")
    assert outcome.status == 0
    assert "after '[a' every reading dies of the byte '!' (offset 2)\n" in outcome.out


def test_json_has_all_of_an_explanation(command, artifact):
    outcome = command("explain", artifact, "--text", "[a", "--token", "93", "--json")
    found = json.loads(outcome.out)
    assert found["text"] == "[a"
    assert found["readings"][0]["may_become"] == ["WORD"]
    assert found["token"]["token"] == "]"
    assert found["token"]["is_legal"] is True
    assert found["death"] is None


def test_bytes_that_are_no_text_are_shown_escaped(command, artifact):
    outcome = command("explain", artifact, "--text", "[", "--token", r"b'\xff'", "--json")
    assert json.loads(outcome.out)["token"]["token"] == r"\xff"


def test_a_text_can_come_through_standard_input(command, artifact, stdin):
    stdin(b"[ab")
    outcome = command("explain", artifact, "--text", "-")
    assert (outcome.status, outcome.out.splitlines()[0]) == (0, "after '[ab'")


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text("[ab, cd]")
    (folder / "two.txt").write_text("[ab, !]")
    (folder / "three.txt").write_bytes(b"\xff\xfe")
    return folder


def test_an_artifact_is_timed_on_the_users_texts(command, artifact, corpus):
    outcome = command("bench", artifact, "--corpus", corpus)
    assert (outcome.status, outcome.err) == (0, "")
    assert "copy one row" in outcome.out
    assert "two.txt" in outcome.out


def test_json_has_passes_floors_and_the_slowest_fills(command, artifact, corpus):
    found = json.loads(command("bench", artifact, "--corpus", corpus, "--json").out)
    assert (found["documents"], found["skipped"], found["refused"]) == (2, 1, 1)
    assert found["tokens"] == len("[ab, cd]") + len("[ab, ")
    assert set(found["passes"]) == {"first", "cold", "warm"}
    assert found["passes"]["warm"]["fill"]["p50"] > 0
    assert 0 < len(found["slowest"]) <= 10


@pytest.fixture
def pair(tmp_path):
    """Two versions of a grammar, saved."""
    for name, text in (("old", '"a" "b"'), ("new", '"a" ("b" | "c")')):
        maskc.compile_grammar(f"start: {text}\n", tokenizer="bytes").save(tmp_path / name)


@pytest.mark.usefixtures("pair")
def test_a_difference_is_told_with_its_text_and_its_tokens(command):
    outcome = command("diff", "old", "new")
    assert (outcome.status, outcome.err) == (1, "")
    assert outcome.out == (
        "after 'a' (1 configuration)\n"
        "  only new: 'c'\n"
        "  a text of one of them: 'ac'\n"
        "1 kind of difference in 3 configurations\n"
    )


@pytest.mark.usefixtures("pair")
def test_the_same_artifact_has_the_same_tables(command):
    outcome = command("diff", "old", "old")
    assert (outcome.status, outcome.out) == (0, "the same tables: no mask differs\n")


@pytest.mark.usefixtures("pair")
def test_json_has_it_for_a_program(command, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("ab")
    found = json.loads(command("diff", "new", "old", "--json", "--corpus", "texts").out)
    (difference,) = found["differences"]
    assert difference["only_first"] == {"count": 1, "tokens": ["c"]}
    assert (difference["before"], difference["example"]) == ("a", "ac")


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
