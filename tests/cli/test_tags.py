"""A structural tag and tools on the command line."""

import json

import pytest

import maskc

TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<fn="],
        "tags": [
            {
                "type": "tag",
                "begin": "<fn=f>",
                "end": "</fn>",
                "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
            }
        ],
    },
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": CITY}} for name in ("get", "set")
]
CALL = '<tool_call>\n{"name": "get", "arguments": {"city": "Oslo"}}\n</tool_call>'


@pytest.fixture
def files(tmp_path):
    (tmp_path / "tag.json").write_text(json.dumps(TAG))
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / "good.txt").write_text(f"So: {CALL} Done.")
    return tmp_path


@pytest.fixture
def compiled_tools(command, files):
    outcome = command("compile", "tools.json", "--family", "qwen_3", "--tokenizer", "bytes")
    assert outcome.status == 0
    return files / "tools.bytes.maskc"


@pytest.mark.usefixtures("files")
def test_a_tag_is_told_by_its_content(command):
    assert command("compile", "tag.json", "--tokenizer", "bytes").status == 0
    matcher = maskc.load("tag.bytes.maskc").matcher()
    assert matcher.accept_bytes(b"a <fn=f>12</fn>.")
    assert not matcher.accept_bytes(b" <fn=g")


@pytest.mark.usefixtures("files")
def test_a_tag_of_the_older_form_is_a_tag(command, tmp_path):
    old = {
        "structures": [{"begin": "<f>", "schema": {}, "end": "</f>"}],
        "triggers": ["<f"],
    }
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert command("compile", "old.json", "--tokenizer", "bytes").status == 0


def test_tools_are_called_as_the_family_calls_them(compiled_tools):
    matcher = maskc.load(compiled_tools).matcher()
    assert matcher.accept_bytes(f"{CALL} Done.".encode())
    assert matcher.is_accepting
    assert not matcher.accept_bytes(b'<tool_call>\n{"name": "x')


@pytest.mark.usefixtures("files")
def test_a_choice_may_be_a_tool(command):
    command(
        *("compile", "tools.json", "--family", "exaone", "--choice", "set", "--no-parallel"),
        *("--tokenizer", "bytes", "-o", "set.maskc"),
    )
    matcher = maskc.load("set.maskc").matcher()
    assert matcher.forced_bytes() == b'<tool_call>{"name": "set", "arguments": {'


def test_inspect_says_what_it_was_made_from(command, compiled_tools):
    out = command("inspect", compiled_tools).out
    assert "family qwen_3" in out
    assert "tools.json" in out
    found = json.loads(command("inspect", compiled_tools, "--json").out)
    assert found["tag"]["type"] == "structural_tag"
    assert found["header"]["link"]["settings"]["family"] == "qwen_3"


def test_replies_are_verified(command, compiled_tools):
    outcome = command("verify", compiled_tools, "--corpus", "replies", "--texts", "2")
    assert "The artifact keeps its promise." in outcome.out
    assert outcome.status == 0


def test_a_reply_that_is_refused_is_named(command, compiled_tools, files):
    (files / "replies" / "bad.txt").write_text(CALL.replace("get", "put"))
    arguments = ("verify", compiled_tools, "--corpus", "replies", "--texts", "0")
    outcome = command(*arguments)
    assert outcome.status == 1
    assert "bad.txt:2:11: unexpected 'put" in outcome.out
    assert "refused by the tag" in " ".join(outcome.out.split())
    assert command(*arguments, "--allow-refused").status == 0


def test_generated_replies_are_legal(command, files):
    command(
        *("compile", "tools.json", "--family", "qwen_3", "--choice", "required"),
        *("--tokenizer", "bytes"),
    )
    outcome = command(
        "generate", "tools.bytes.maskc", "--count", "2", "--max-tokens", "9", "--json"
    )
    assert outcome.status == 0
    artifact = maskc.load(files / "tools.bytes.maskc")
    for one in json.loads(outcome.out):
        matcher = artifact.matcher()
        assert matcher.accept_bytes(one["text"].encode())
        assert matcher.is_accepting


def test_explain_says_what_must_come(command, compiled_tools):
    outcome = command("explain", compiled_tools, "--text", "a <tool_call>", "--token", "x")
    assert "what must come next: '\\n{" in outcome.out
    assert "illegal" in outcome.out
    died = json.loads(command("explain", compiled_tools, "--text", "<tool_call>x", "--json").out)
    assert died["death"]["offset"] == 11


def test_replies_are_timed(command, compiled_tools):
    outcome = command("bench", compiled_tools, "--corpus", "replies", "--json")
    assert outcome.status == 0
    assert json.loads(outcome.out)["documents"] == 1
