"""Formats of a user's own that a pattern describes, in artifacts, kits, requests and verify."""

import json

import pytest

import maskc
from maskc.errors import ArtifactError, SchemaError
from maskc.formats import registered
from maskc.integrations.compile_pool import OtherProcess
from maskc.kit.file import make_kit
from maskc.verify.json_judge import Judge
from maskc.vocab import load_vocabulary

E164 = r"\+[1-9][0-9]{1,14}"


@pytest.fixture(autouse=True)
def _e164():
    maskc.register_format("e164", pattern=E164)


def takes(made, value):
    matcher = made.matcher()
    return matcher.accept_bytes(json.dumps(value).encode()) and matcher.is_accepting


def compile_(schema):
    return maskc.compile_json_schema(schema, tokenizer="bytes")


def test_strings_of_the_format_are_those_that_the_pattern_matches_as_a_whole():
    made = compile_({"format": "e164"})
    values = ["+49123456", "+4", "x+4912", "+49 1", "+0123", 7]
    assert [takes(made, value) for value in values] == [1, 0, 0, 0, 0, 1]


def test_masks_are_those_of_the_pattern():
    by_name = compile_({"type": "string", "format": "e164"}).matcher()
    by_pattern = compile_({"type": "string", "pattern": f"^(?:{E164})$"}).matcher()
    for byte in b'"+4912345678901234"':
        assert by_name.legal_tokens().tolist() == by_pattern.legal_tokens().tolist()
        assert by_name.accept_bytes(bytes([byte])) == by_pattern.accept_bytes(bytes([byte]))
    assert by_name.is_accepting == by_pattern.is_accepting


def test_it_goes_with_lengths_negation_and_keys():
    short = compile_({"format": "e164", "maxLength": 4})
    assert [takes(short, v) for v in ("+491", "+4912")] == [1, 0]
    other = compile_({"not": {"format": "e164"}})
    assert [takes(other, v) for v in ("+491", "+", 7)] == [0, 1, 0]
    keys = compile_({"propertyNames": {"format": "e164"}})
    assert [takes(keys, v) for v in ({"+491": 1}, {"a": 1})] == [1, 0]


def test_a_pattern_of_alternatives_is_whole_too():
    maskc.register_format("ab", pattern="a|b")
    made = compile_({"format": "ab"})
    assert [takes(made, v) for v in ("a", "b", "ab", "xb")] == [1, 1, 0, 0]


def test_annotations_stay_annotations():
    made = maskc.compile_json_schema({"format": "e164"}, tokenizer="bytes", formats="annotate")
    assert takes(made, "x")


def test_an_artifact_needs_no_registration_where_it_is_loaded(tmp_path, monkeypatch):
    compile_({"format": "e164"}).save(tmp_path / "a.maskc")
    monkeypatch.setattr("maskc.formats._registered", {})
    made = maskc.load(tmp_path / "a.maskc")
    assert made.header["registered_formats"] == {"e164": E164}
    assert [takes(made, v) for v in ("+491", "x")] == [1, 0]
    judge = Judge(made)
    assert judge.is_complete
    assert [judge.judge(v) for v in ("+491", "+", 7)] == [True, False, True]


def test_a_header_that_names_formats_otherwise_is_refused(tmp_path):
    made = compile_({"format": "e164"})
    made.header["registered_formats"] = {"e164": 7}
    made.save(tmp_path / "a.maskc")
    with pytest.raises(ArtifactError, match="registered formats"):
        maskc.load(tmp_path / "a.maskc")


def test_a_judge_of_ones_own_is_asked_by_verify():
    maskc.register_format("ab", pattern="[ab]+", judge=lambda text: text == "a")
    judge = Judge(compile_({"items": {"format": "ab"}}))
    assert judge.is_complete
    assert [judge.judge(v) for v in (["a"], ["b"], [7])] == [True, False, True]


def test_a_kit_compiles_anew_once_a_format_is_registered():
    kit = make_kit(load_vocabulary("bytes"))
    schema = {"format": "even"}
    assert takes(kit.json_schema(schema), "1")
    maskc.register_format("even", pattern="[0-9]*[02468]")
    assert [takes(kit.json_schema(schema), v) for v in ("1", "12")] == [0, 1]


def test_other_processes_compile_with_the_formats_of_the_one_that_asks():
    vocabulary = load_vocabulary("bytes")
    compiler = OtherProcess(vocabulary)
    try:
        compiler._here.plan = None  # nothing is compiled here
        made = make_kit(vocabulary, compiler=compiler).json_schema({"format": "e164"})
        assert [takes(made, v) for v in ("+491", "x")] == [1, 0]
    finally:
        compiler.close()


def test_what_is_too_large_beside_it_is_said_with_the_place():
    maskc.register_format("far", pattern="[ab]*a[ab]{12}")
    schema = {"properties": {"x": {"format": "far", "pattern": "a[ab]{12}b[ab]{3}$"}}}
    with pytest.raises(SchemaError, match="schema at /properties/x: "):
        compile_(schema)


def test_registered_formats_are_those_of_the_process():
    assert registered() == {"e164": E164}
