"""A structural tag and tools on the command line."""

import json
from pathlib import Path

import pytest

import maskc
from tests.cli.conftest import CALL


@pytest.mark.usefixtures("project")
def test_a_tag_is_told_by_its_content(command):
    assert command("compile", "tag.json", "--tokenizer", "bytes").status == 0
    matcher = maskc.load("tag.bytes.maskc").matcher()
    assert matcher.accept_bytes(b"a <fn=f>12</fn>.")
    assert not matcher.accept_bytes(b" <fn=g")


def test_a_tag_of_the_older_form_is_a_tag(command, tmp_path):
    old = {"structures": [{"begin": "<f>", "schema": {}, "end": "</f>"}], "triggers": ["<f"]}
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert command("compile", "old.json", "--tokenizer", "bytes").status == 0


@pytest.mark.usefixtures("project")
def test_tools_are_called_as_the_family_calls_them(command):
    assert command("compile", "tools.json", "--family", "qwen_3", "-t", "bytes").status == 0
    matcher = maskc.load("tools.bytes.maskc").matcher()
    assert matcher.accept_bytes(f"{CALL} Done.".encode())
    assert matcher.is_accepting
    assert not matcher.accept_bytes(b'<tool_call>\n{"name": "x')
    assert "tools.json" in command("inspect", "tools.bytes.maskc").out


@pytest.mark.usefixtures("project")
def test_an_answer_of_mcp_is_a_list_of_tools(command):
    Path("mcp.json").write_text('{"tools": [{"name": "f", "inputSchema": {"type": "object"}}]}')
    assert command("compile", "mcp.json", "--family", "exaone", "-t", "bytes").status == 0
    matcher = maskc.load("mcp.bytes.maskc").matcher()
    assert matcher.accept_bytes(b'<tool_call>{"name": "f", "arguments": {}}')
    assert "Tools need --family" in command("compile", "mcp.json", "-t", "bytes").err


@pytest.mark.usefixtures("project")
def test_a_choice_may_be_a_tool(command):
    options = ("--family", "exaone", "--choice", "set", "--no-parallel", "-t", "bytes")
    command("compile", "tools.json", *options, "-o", "set.maskc")
    matcher = maskc.load("set.maskc").matcher()
    assert matcher.forced_bytes() == b'<tool_call>{"name": "set", "arguments": {'


@pytest.mark.usefixtures("project")
def test_generated_replies_are_legal(command):
    required = ("--family", "qwen_3", "--choice", "required", "-t", "bytes", "-o", "calls")
    command("compile", "tools.json", *required)
    outcome = command("generate", "calls", "--count", "2", "--max-tokens", "9", "--json")
    assert outcome.status == 0
    artifact = maskc.load("calls")
    for one in json.loads(outcome.out):
        matcher = artifact.matcher()
        assert matcher.accept_bytes(one["text"].encode())
        assert matcher.is_accepting
