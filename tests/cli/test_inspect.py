"""maskc inspect: what an artifact says about itself."""

import json

import maskc


def test_inspect_prints_what_the_artifact_was_made_from(command, artifact):
    outcome = command("inspect", artifact)
    assert outcome.status == 0
    assert outcome.err == ""
    header = maskc.load(artifact).header
    for fact in (
        "start",
        "contextual",
        header["grammar"]["sha256"],
        "bytes",
        header["tokenizer"]["fingerprint"],
        "257 ids: 256 with text, 1 special or padding",
        "scanner states",
        "Sections",
    ):
        assert fact in outcome.out


def test_inspect_prints_the_whole_header_and_every_section_as_json(command, artifact):
    found = json.loads(command("inspect", artifact, "--json").out)
    loaded = maskc.load(artifact)
    assert found["header"] == loaded.header
    assert found["n_bytes"] == artifact.stat().st_size
    assert {name: section["nbytes"] for name, section in found["sections"].items()} == {
        name: array.nbytes for name, array in loaded.contents.arrays.items()
    }


def test_markup_in_a_name_is_printed_as_it_is(command, grammar, tmp_path):
    grammar.rename(tmp_path / "[bold]x[red].lark")
    command("compile", "[bold]x[red].lark", "--tokenizer", "bytes", "-o", "a")
    assert "[bold]x[red].lark" in command("inspect", "a").out


def test_inspect_accepts_the_tokenizer_it_was_compiled_for(command, artifact):
    assert command("inspect", artifact, "--tokenizer", "bytes").status == 0


def test_padding_is_no_difference_between_tokenizers(command, grammar):
    command("compile", grammar, "--tokenizer", "bytes", "--vocab-size", "300", "-o", "a")
    assert command("inspect", "a", "--tokenizer", "bytes").status == 0


def test_another_tokenizer_is_refused(refusal, artifact, tokenizer_file):
    sentence = refusal("inspect", artifact, "--tokenizer", tokenizer_file)
    assert sentence.startswith(f"{artifact}: compiled for tokenizer bytes (")
    assert "tokenizer.json (" in sentence
    assert sentence.endswith("compile the grammar again for this tokenizer")


def test_an_unknown_tokenizer_is_refused(refusal, artifact):
    assert refusal("inspect", artifact, "--tokenizer", "x").startswith("tokenizer x: ")
