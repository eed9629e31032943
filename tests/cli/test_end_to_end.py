"""The commands of the tutorial, one after the other, for grammars of both parsers."""

import json

import pytest

from tests.general_grammars import FOLDER

TEXTS = {
    "json": ('{"a": [1, true, "é"]}', "[1, 2", "[1 2]"),
    "python": ("if x:\n    f(1,\n  2)\n\ny = 'é'\n", "if x:\n    y", "x = = 1\n"),
}


@pytest.mark.parametrize("grammar", sorted(TEXTS))
def test_a_grammar_is_compiled_inspected_verified_and_generated_from(command, tmp_path, grammar):
    artifact = f"{grammar}.bytes.maskc"
    compiled = command("compile", grammar, "--tokenizer", "bytes")
    assert (compiled.status, compiled.err) == (0, "")
    assert artifact in compiled.out

    inspected = command("inspect", artifact, "--json")
    assert json.loads(inspected.out)["header"]["grammar"]["name"] == f"{grammar}.lark"

    for number, text in enumerate(TEXTS[grammar]):
        (tmp_path / f"{number}.txt").write_text(text)
    corpus = [argument for n in range(3) for argument in ("--corpus", f"{n}.txt")]
    few = ("--texts", 3, "--max-tokens", 40, "--positions", 10, "--allow-refused")
    few += ("--segments", 5, "--mutations", 20, "--raw-positions", 100)
    verified = command("verify", artifact, *corpus, *few)
    assert (verified.status, verified.err) == (0, "")
    assert verified.out.count(": passed\n") == 6

    generated = command("generate", artifact, "--count", 2, "--max-tokens", 30)
    assert (generated.status, generated.err) == (0, "")
    assert generated.out


EXPRESSIONS = FOLDER / "expressions.lark"


def test_a_general_grammar_is_compiled_inspected_verified_and_generated_from(command, tmp_path):
    compiled = command("compile", EXPRESSIONS, "--tokenizer", "bytes", "-o", "e.maskc")
    assert (compiled.status, compiled.err) == (0, "")

    inspected = command("inspect", "e.maskc")
    assert inspected.status == 0
    assert "earley" in inspected.out
    header = json.loads(command("inspect", "e.maskc", "--json").out)["header"]
    assert header["grammar"]["parser"] == "earley"
    assert command("inspect", "e.maskc", "--html", "e.html").status == 0

    (tmp_path / "right.txt").write_text("a + (b * -c)")
    (tmp_path / "wrong.txt").write_text("a + )")
    corpus = ("--corpus", "right.txt", "--corpus", "wrong.txt")
    few = ("--texts", 3, "--max-tokens", 20, "--positions", 10, "--mutations", 5, "--jobs", 1)
    few += ("--allow-refused",)
    verified = command("verify", "e.maskc", *corpus, *few)
    assert (verified.status, verified.err) == (0, "")
    assert "failed" not in verified.out

    generated = command("generate", "e.maskc", "--count", 2, "--max-tokens", 20)
    assert (generated.status, generated.err) == (0, "")


def test_a_lexer_chosen_by_default_is_named(command):
    plain = ("compile", EXPRESSIONS, "--tokenizer", "bytes")
    assert "lexer=dynamic, Lark's default for parser=earley" in command(*plain).out
    assert "Lark's default" not in command(*plain, "--lexer", "dynamic").out
    assert "Lark's default" not in command("compile", "json", "--tokenizer", "bytes").out


def test_the_same_grammar_makes_the_same_bytes(command, tmp_path):
    for name in ("one", "two"):
        command("compile", EXPRESSIONS, "--tokenizer", "bytes", "-o", f"{name}.maskc")
    one, two = ((tmp_path / f"{name}.maskc").read_bytes() for name in ("one", "two"))
    assert one == two
