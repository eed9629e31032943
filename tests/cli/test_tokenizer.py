import json

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.cli.operands import check_fingerprint, check_tokenizer
from maskc.errors import ArtifactError, VocabularyMismatchError


def test_the_tokenizer_that_it_was_compiled_for_is_accepted_and_no_other(artifact, tokenizer_file):
    check_tokenizer("a", maskc.load(artifact), "bytes")
    # Padding makes no other tokenizer.
    wide = maskc.compile_grammar('start: "a"', tokenizer="bytes", vocab_size=300)
    check_tokenizer("a", wide, "bytes")
    with pytest.raises(VocabularyMismatchError, match="compiled for tokenizer bytes"):
        check_tokenizer("a", maskc.load(artifact), str(tokenizer_file))


def test_a_header_that_claims_other_tokens_is_refused(artifact):
    loaded = maskc.load(artifact)
    check_fingerprint("a", loaded)
    header = json.loads(json.dumps(loaded.header))
    header["tokenizer"]["fingerprint"] = "0" * 64
    artifact.write_bytes(encode(header, loaded.contents.arrays))
    with pytest.raises(ArtifactError, match="its header claims the token fingerprint 000"):
        check_fingerprint("a", maskc.load(artifact))


def compile_for(command, grammar, tokenizer, *options):
    outcome = command("compile", grammar, "--tokenizer", tokenizer, "-o", "a.maskc", *options)
    assert (outcome.status, outcome.err) == (0, "")
    return maskc.load("a.maskc")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), {b"ab"}),
        (("--added-tokens", "text"), {b"ab", b"[b]", b"<b>"}),
        (("--added-tokens", "atoms"), set()),
        (("--text-token", "[b]", "--atom-token", "5"), {b"[b]"}),
    ],
)
def test_added_tokens_are_text_or_atoms_as_the_options_say(
    command, grammar, added_file, options, text
):
    artifact = compile_for(command, grammar, added_file, *options)
    assert {artifact.token_bytes(token) for token in (5, 6, 7)} - {None} == text
    # The same file is its tokenizer, whatever the choice was.
    check_tokenizer("a", artifact, str(added_file))


def test_an_artifact_of_before_is_for_the_same_tokenizer(command, grammar, added_file):
    """Every added token was an atom, and its header says nothing of them."""
    artifact = compile_for(command, grammar, added_file, "--added-tokens", "atoms")
    header = json.loads(json.dumps(artifact.header))
    del header["tokenizer"]["added_tokens"]
    with open("b.maskc", "wb") as file:
        file.write(encode(header, artifact.contents.arrays))
    check_tokenizer("b", maskc.load("b.maskc"), str(added_file))
    assert "added tokens" not in command("inspect", "b.maskc").out


def test_inspect_says_which_added_tokens_are_text(command, grammar, added_file):
    compile_for(command, grammar, added_file)
    assert "1 write text (5), 2 are atoms (6 … 7)" in command("inspect", "a.maskc").out
    said = json.loads(command("inspect", "a.maskc", "--json").out)
    assert said["header"]["tokenizer"]["added_tokens"] == {"text": [[5, 5]], "atoms": [[6, 7]]}


def test_inspect_says_it_of_schemas_and_tags_too(command, added_file, tmp_path):
    (tmp_path / "s.schema.json").write_text('{"const": [1]}')
    (tmp_path / "t.json").write_text(
        json.dumps({"type": "structural_tag", "format": {"type": "token", "token": "<b>"}})
    )
    for source in ("s.schema.json", "t.json"):
        compile_for(command, source, added_file)
        assert "2 are atoms (6 … 7)" in command("inspect", "a.maskc").out


def test_a_kit_takes_the_same_options(command, added_file):
    outcome = command("kit", "-t", added_file, "-o", "a.kit", "--text-token", "<b>")
    assert "2 write text (5, 7), 1 are atoms (6)" in outcome.out
    kit = maskc.load_kit("a.kit")
    assert (kit.tokens.find("<b>"), kit.tokens.find("[b]")) == (7, 6)
    assert dict(kit.tokens.special_ids) == {"</s>": 4, "[b]": 6}


@pytest.mark.parametrize("forged", [[], {"text": []}, {"text": [], "atoms": [[1]]}, 3])
def test_a_header_with_broken_ranges_is_refused(command, grammar, added_file, forged):
    artifact = compile_for(command, grammar, added_file)
    header = json.loads(json.dumps(artifact.header))
    header["tokenizer"]["added_tokens"] = forged
    with open("b.maskc", "wb") as file:
        file.write(encode(header, artifact.contents.arrays))
    with pytest.raises(ArtifactError, match=r"tokenizer\.added_tokens"):
        maskc.load("b.maskc")


def test_a_normalizer_that_changes_texts_is_said_once(command, grammar, added_file):
    contents = json.loads(added_file.read_text()) | {"normalizer": {"type": "NFKC"}}
    added_file.write_text(json.dumps(contents))
    outcome = command("compile", grammar, "--tokenizer", added_file)
    assert outcome.status == 0
    assert outcome.err.startswith("note: tokenizer tokenizer.json: its normalizer (NFKC) changes")
    assert outcome.err.count("\n") == 1
