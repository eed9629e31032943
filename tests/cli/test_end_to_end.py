"""The commands of the tutorial, one after the other, for each grammar that comes with maskc."""

import json

import pytest

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
    few += ("--stretches", 5, "--mutations", 20, "--raw-positions", 100)
    verified = command("verify", artifact, *corpus, *few)
    assert (verified.status, verified.err) == (0, "")
    assert verified.out.count(": passed\n") == 6

    generated = command("generate", artifact, "--count", 2, "--max-tokens", 30)
    assert (generated.status, generated.err) == (0, "")
    assert generated.out
