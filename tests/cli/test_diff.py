import json

import pytest

import maskc


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


@pytest.mark.usefixtures("pair")
def test_artifacts_of_two_tokenizers_are_not_compared(refusal, tmp_path):
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes", vocab_size=300).save(tmp_path / "w")
    assert refusal("diff", "old", "w").endswith("compile both for one tokenizer")
