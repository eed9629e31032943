"""maskc compile --choices: one line of a file."""

import json

import pytest

import maskc


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
    assert maskc.load(tmp_path / "choices.bytes.maskc").matcher().legal_tokens().tolist() == [
        97,
        98,
    ]


def test_a_file_without_texts_is_refused(refusal, tmp_path):
    (tmp_path / "e.txt").write_bytes(b"\n\n")
    assert "has no line with a text" in refusal("compile", "--choices", "e.txt", "-t", "bytes")
    (tmp_path / "l.txt").write_bytes(b"a\nb\xff\n")
    assert "l.txt:2: is not UTF-8" in refusal("compile", "--choices", "l.txt", "-t", "bytes")
    assert "cannot be read" in refusal("compile", "--choices", "no.txt", "-t", "bytes")


def test_the_same_lines_in_another_order_are_the_same_artifact(command, tmp_path):
    (tmp_path / "n.txt").write_text("b\na\na\n")
    command("compile", "--choices", "n.txt", "-t", "bytes", "-o", "one")
    (tmp_path / "n.txt").write_text("a\nb\n")
    command("compile", "--choices", "n.txt", "-t", "bytes", "-o", "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_list_is_a_choice_in_python_too():
    matcher = maskc.compile_grammar(["yes", "no"], tokenizer="bytes").matcher()
    assert matcher.legal_tokens().tolist() == sorted(map(ord, "yn"))
    with pytest.raises(TypeError, match="has no start"):
        maskc.compile_grammar(["yes", "no"], tokenizer="bytes", start="yes")
    with pytest.raises(TypeError, match="texts, not int"):
        maskc.compile_grammar(["yes", 1], tokenizer="bytes")
    with pytest.raises(maskc.MaskcError, match="no word to choose"):
        maskc.compile_grammar([], tokenizer="bytes")
