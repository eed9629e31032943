"""maskc compile reads JSON Schemas and lists of choices; a kit; a spelling."""

import json

import pytest

import maskc

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def schema(tmp_path):
    (tmp_path / "order.schema.json").write_text(json.dumps(SCHEMA))


@pytest.mark.usefixtures("schema")
def test_a_file_named_schema_json_is_compiled_as_a_json_schema(command):
    outcome = command("compile", "order.schema.json", "-t", "bytes", "--blanks", "compact")
    assert outcome.status == 0
    assert "order.bytes.maskc" in outcome.out
    matcher = maskc.load("order.bytes.maskc").matcher()
    assert matcher.accept_bytes(b'{"n":1}')
    assert matcher.is_accepting
    assert "blanks compact" in command("inspect", "order.bytes.maskc").out
    # The keyword that forbids a token.
    assert "/type" in command("explain", "order.bytes.maskc", "--text", "", "--token", "[").out


def test_a_schema_is_read_from_standard_input(command, stdin):
    stdin(b'{"type": "null"}')
    assert command("compile", "--json-schema", "-", "-t", "bytes", "-o", "n.maskc").status == 0
    matcher = maskc.load("n.maskc").matcher()
    assert matcher.accept_bytes(b"null")
    assert matcher.is_accepting


def test_a_resource_is_named_by_its_id_or_by_the_caller(command, tmp_path):
    for name, text in (
        ("main.json", '{"anyOf": [{"$ref": "https://a.b/c"}, {"$ref": "https://a.b/d"}]}'),
        ("c.json", '{"$id": "https://a.b/c", "type": "null"}'),
        ("d.json", '{"type": "boolean"}'),
    ):
        (tmp_path / name).write_text(text)
    resources = ("--resource", "c.json", "--resource", "https://a.b/d=d.json")
    assert command("compile", "--json-schema", "main.json", "-t", "bytes", *resources).status == 0
    assert maskc.load("main.bytes.maskc").matcher().accept_bytes(b"true")
    # It is inspected without them.
    outcome = command("inspect", "main.bytes.maskc", "--text", "x")
    assert (outcome.status, outcome.err) == (0, "")
    assert "JSON Schema" in outcome.out


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.txt"
    path.write_bytes("yes\r\nno\n\nna\u0085ïve\n<|eot|>\n".encode())
    return path


def test_each_line_is_a_text_and_nothing_else_is(command, names, tmp_path):
    assert command("compile", "--choices", names, "-t", "bytes").status == 0
    artifact = maskc.load(tmp_path / "names.bytes.maskc")
    for text, is_one in (("yes", True), ("na\u0085ïve", True), ("<|eot|>", True), ("ye", False)):
        matcher = artifact.matcher()
        assert matcher.accept_text(text)
        assert matcher.is_accepting == is_one
    assert not artifact.matcher().accept_text("yesno")
    assert not artifact.matcher().accept_text("\n")


def test_other_commands_read_it(command, names, tmp_path):
    command("compile", "--choices", names, "-t", "bytes")
    (tmp_path / "good.txt").write_text("no")
    (tmp_path / "bad.txt").write_text("now\n")
    name = "names.bytes.maskc"
    assert command("check", name, "good.txt").status == 0
    assert "bad.txt:1:3" in command("check", name, "bad.txt").out
    assert command("generate", name, "--count", "3").status == 0
    assert "choices" in command("inspect", name).out
    verified = command("verify", name, "--corpus", "good.txt", "--json")
    assert (verified.status, json.loads(verified.out)["ok"]) == (0, True)


def test_lines_come_from_standard_input(command, tmp_path, stdin):
    stdin(b"a\nb")
    assert command("compile", "--choices", "-", "-t", "bytes").status == 0
    matcher = maskc.load(tmp_path / "choices.bytes.maskc").matcher()
    assert matcher.legal_tokens().tolist() == [97, 98]


def test_the_same_lines_in_another_order_are_the_same_artifact(command, tmp_path):
    (tmp_path / "n.txt").write_text("b\na\na\n")
    command("compile", "--choices", "n.txt", "-t", "bytes", "-o", "one")
    (tmp_path / "n.txt").write_text("a\nb\n")
    command("compile", "--choices", "n.txt", "-t", "bytes", "-o", "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_list_is_a_choice_in_python_too():
    matcher = maskc.compile_grammar(["yes", "no"], tokenizer="bytes").matcher()
    assert matcher.legal_tokens().tolist() == sorted(map(ord, "yn"))
    assert maskc.compile_grammar([1, 2.5], tokenizer="bytes").matcher().accept_bytes(b"2.5")
    with pytest.raises(TypeError, match="has no start"):
        maskc.compile_grammar(["yes", "no"], tokenizer="bytes", start="yes")
    with pytest.raises(TypeError, match="a choice must be a str, not None"):
        maskc.compile_grammar(["yes", None], tokenizer="bytes")
    with pytest.raises(maskc.MaskcError, match="there is no choice"):
        maskc.compile_grammar([], tokenizer="bytes")


def test_a_kit_is_written_and_loaded(command, tmp_path):
    outcome = command("kit", "--tokenizer", "bytes")
    assert (outcome.status, outcome.err) == (0, "")
    assert "72bcec8943ef" in outcome.out
    assert maskc.load_kit("bytes.kit").regex("a+").matcher().accept_bytes(b"aa")
    said = json.loads(command("kit", "-t", "bytes", "-o", "b.kit", "--json").out)
    assert said["n_bytes"] == (tmp_path / "b.kit").stat().st_size
    assert said["vocab_size"] == 257


def test_a_spelling_is_written_and_loaded(command, tmp_path):
    outcome = command("spelling", "--tokenizer", "bytes")
    assert (outcome.status, outcome.err) == (0, "")
    assert "bytes.spelling" in outcome.out
    artifact = maskc.compile_grammar('start: "a" "b"', tokenizer="bytes")
    matcher = maskc.canonical(artifact, "bytes.spelling").matcher()
    assert matcher.accept_tokens(b"ab") == 2
    assert matcher.is_accepting
    said = json.loads(command("spelling", "-t", "bytes", "-o", "b.spelling", "--json").out)
    assert said["n_bytes"] == (tmp_path / "b.spelling").stat().st_size
    assert (said["vocab_size"], said["n_written"], said["n_merges"]) == (257, 256, 0)
