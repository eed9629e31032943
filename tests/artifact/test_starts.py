"""An artifact with several start symbols, and forged ones."""

import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import Contents
from maskc.artifact.starts import bundle_starts, find_start, read_start, starts_of
from maskc.errors import ArtifactError, GrammarError

GRAMMAR = 'one: "a"\ntwo: "b"\nthree: "c"\n'
STARTS = ("one", "two", "three")


@pytest.fixture(scope="module")
def parts():
    return [maskc.compile_grammar(GRAMMAR, tokenizer="bytes", start=s).contents for s in STARTS]


def test_one_start_symbol_alone_is_bundled_as_it_is(parts):
    assert bundle_starts(parts[:1]) is parts[0]
    assert starts_of(parts[0].header) == ("one",)


def test_what_was_bundled_is_read_again(parts):
    bundled = bundle_starts(parts)
    assert starts_of(bundled.header) == STARTS
    for number in (1, 2):
        part = read_start(bundled, number)
        assert part.header == parts[number].header
        assert set(part.arrays) == set(parts[number].arrays)
        assert all(np.array_equal(part.arrays[k], a) for k, a in parts[number].arrays.items())


def test_a_start_symbol_is_found_by_its_name(parts):
    header = bundle_starts(parts).header
    assert [find_start(header, start) for start in STARTS] == [0, 1, 2]
    with pytest.raises(ArtifactError, match="'four'; use one of one, two, three"):
        find_start(header, "four")
    with pytest.raises(ArtifactError, match="leave the start symbol out"):
        find_start({"grammar": {"name": "x", "parser": "schema"}}, "a")


def forge(tmp_path, header, arrays):
    path = tmp_path / "a.maskc"
    path.write_bytes(encode(header, arrays))
    with pytest.raises(ArtifactError) as caught:
        maskc.load(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("starts", "reason"),
    [
        (["one", "two"], "the header's starts do not fit its arrays"),
        (["one", "two", "two"], "or one is there twice"),
        (["two", "one", "three"], "the header's first start is not its grammar's"),
        (["one", "three", "two"], "start symbol 1 of the artifact is another one"),
        (["one", 2, 3], r"the header's starts[1] is not a text"),
        ("one", "the header's starts is not a list"),
    ],
)
def test_a_header_that_names_others_is_refused(parts, tmp_path, starts, reason):
    bundled = bundle_starts(parts)
    assert reason in forge(tmp_path, {**bundled.header, "starts": starts}, bundled.arrays)


def test_parts_that_are_no_grammars_of_the_same_tokens_are_refused(parts, tmp_path):
    schema = maskc.compile_json_schema(True, tokenizer="bytes").contents
    other = maskc.compile_grammar(GRAMMAR, tokenizer="bytes", start="two", vocab_size=300).contents
    header = {**schema.header, "grammar": {**schema.header["grammar"], "start": "two"}}
    for part, reason in (
        (Contents(header, schema.arrays), "start symbol 1 of the artifact is no grammar"),
        (bundle_starts([parts[1], parts[2]]), "start symbol 1 of the artifact is no grammar"),
        (other, "start symbol 1 of the artifact: is damaged"),
    ):
        bundled = bundle_starts([parts[0], part])
        assert reason in forge(tmp_path, bundled.header, bundled.arrays)


def test_damaged_bytes_of_a_part_are_refused(parts, tmp_path):
    bundled = bundle_starts(parts)
    data = bundled.arrays["starts_bytes"].copy()
    data[100] ^= 1
    said = forge(tmp_path, bundled.header, {**bundled.arrays, "starts_bytes": data})
    assert "start symbol 1 of the artifact" in said


def test_a_start_symbol_twice_is_refused():
    with pytest.raises(GrammarError, match="one: it is a start symbol twice"):
        maskc.compile_grammar(GRAMMAR, tokenizer="bytes", start=["one", "two", "one"])


def test_an_artifact_leaves_the_vocabulary_of_all_to_a_kit(parts, tmp_path):
    from maskc.kit.file import make_kit, save_kit
    from maskc.vocab import load_vocabulary

    save_kit(make_kit(load_vocabulary("bytes")), tmp_path / "bytes.kit")
    made = maskc.Artifact(bundle_starts(parts))
    made.save(tmp_path / "a.maskc", kit=tmp_path / "bytes.kit")
    loaded = maskc.load(tmp_path / "a.maskc")
    assert loaded.matcher(start="three").accept_bytes(b"c")
