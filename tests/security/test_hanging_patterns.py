"""A pattern that `re` tries in too many ways ends a process, not the user's patience.

``(?:a?){40}a{40}`` is 40 to 80 times an a. On 42, `re` tries very many choices of two among the
first 40, in one call of C; on fewer than 40 it sees at once that they are too few.
"""

import pytest

import maskc
from maskc.cli.main import run

GRAMMAR = "start: A\nA: /(?:a?){40}a{40}/\n"
NONE = ("--positions=0", "--stretches=0", "--mutations=0", "--raw-positions=0")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    path = tmp_path_factory.mktemp("hanging") / "a.maskc"
    maskc.compile_grammar(GRAMMAR, tokenizer="bytes").save(path)
    return path


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a" * 42)
    return path


def refuse(capfd, *arguments):
    assert run([*map(str, arguments), "--part-limit=0.5"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("jobs", [1, 2])
def test_verify_names_the_text(capfd, artifact, text, jobs):
    corpus = ("--corpus", text, "--texts=0", *NONE, "--jobs", jobs)
    told = refuse(capfd, "verify", artifact, *corpus)
    assert told.startswith(f"maskc: {text}: experiment corpus: more than 0.5 seconds for one part")
    assert "allow more with --part-limit SECONDS" in told


def test_generate_names_the_text(capfd, artifact):
    options = ("--max-tokens=39", "--count=10", "--part-limit=0.5")
    assert run([*map(str, ("generate", artifact, *options))]) == 2
    out, err = capfd.readouterr()
    # Those before it are whole.
    n_texts = out.count("\n")
    assert n_texts < 10
    assert all(40 <= len(line) <= 80 for line in out.splitlines())
    assert err.startswith(f"maskc: {artifact}: text {n_texts + 1}: more than 0.5 seconds for one")
    assert err.count("\n") == 1


@pytest.mark.costly
@pytest.mark.parametrize(
    "command",
    [("explain", "--text", "a" * 39), ("bench",), ("lint",)],
    ids=lambda command: command[0],
)
def test_commands_that_give_no_text_to_lark_are_not_held_up(capfd, artifact, tmp_path, command):
    (tmp_path / "a.lark").write_text(f"{GRAMMAR}// B is a collision\nB: /a{{1,80}}/\n%ignore B\n")
    (tmp_path / "whole.txt").write_text("a" * 40)
    more = {"bench": ("--corpus", tmp_path / "whole.txt")}.get(command[0], ())
    subject = tmp_path / "a.lark" if command[0] == "lint" else artifact
    assert run([*map(str, (command[0], subject, *command[1:], *more))]) in (0, 1)
    assert capfd.readouterr().err.count("\n") <= 1
