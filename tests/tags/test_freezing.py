"""An artifact of a tag has the masks of the language that the tag stands for."""

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc.artifact.container import decode, encode
from maskc.artifact.model import Contents
from maskc.errors import LimitError, SchemaError
from maskc.kit.artifacts import compile_structural_tag, compile_tools
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, check_contents
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.tags.drawing import END, SPECIALS, TOKENS, draw_format
from tests.tags.oracle import Oracle, nullable

SMALL = Vocabulary(TOKENS, (END,), "small", SPECIALS)
PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 9},
        "n": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {}},
        "deep": {"$ref": "#/$defs/node"},
    },
    "required": ["city"],
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}},
    {"type": "function", "function": {"name": "get_time"}},
]


def through_a_file(contents: Contents) -> Artifact:
    """Return what is loaded of an artifact that was written."""
    header, arrays = decode(encode(contents.header, contents.arrays), "written")
    return Artifact(check_contents(Contents(header, arrays), "written"))


def tag_artifact(form: object) -> Artifact:
    tag = {"type": "structural_tag", "format": form}
    return through_a_file(compile_structural_tag(tag, SMALL, limits=Limits()))


def legal(matcher: maskc.Matcher, vocab_size: int) -> set[int]:
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[:vocab_size]
    return set(np.flatnonzero(bits).tolist())


@pytest.mark.parametrize("seed", range(102, 122))
def test_masks_are_those_of_the_language(seed: int) -> None:
    draw = random.Random(seed)
    oracle = Oracle(TOKENS[:-1], SPECIALS)
    tag = draw_format(draw, 3)
    here = oracle.read(tag)
    if not oracle.is_live(here):
        return
    artifact = tag_artifact(tag)
    matcher, path = artifact.matcher(), []
    for _ in range(12):
        expected = oracle.legal(here) | ({END} if nullable(here) else set())
        assert legal(matcher, artifact.vocab_size) == expected, (path, json.dumps(tag))
        choices = sorted(expected - {END})
        if not choices:
            break
        token = draw.choice(choices)
        assert matcher.accept_token(token)
        path.append(token)
        here = oracle.after(here, token)


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder", "cohere", "kimi_k3", "glm_4_7"])
def test_masks_of_tools_are_those_of_a_request(family: str) -> None:
    """Arguments that lead back to themselves, strings with bounds, and values of any kind."""
    vocabulary = load_vocabulary("bytes")
    artifact = through_a_file(
        compile_tools(TOOLS, vocabulary, family=family, choice="required", limits=Limits())
    )
    asked = make_kit(vocabulary).tools(TOOLS, family=family, choice="required")
    for seed in range(3):
        draw, frozen, live = random.Random(seed), artifact.matcher(), asked.matcher()
        for _ in range(100):
            expected = legal(live, 257)
            assert legal(frozen, 257) == expected
            choices = sorted(expected - {256})
            if not choices:
                break
            printable = [c for c in choices if 33 <= c < 127] or choices
            token = draw.choice(printable)
            assert live.accept_token(token)
            assert frozen.accept_token(token)


def test_a_grammar_and_a_pattern_are_in_the_file() -> None:
    form = {
        "type": "sequence",
        "elements": [
            {"type": "regex", "pattern": "a{2,3}"},
            {"type": "grammar", "grammar": 'root ::= "1" root "]" | "!"'},
        ],
    }
    matcher = tag_artifact(form).matcher()
    assert matcher.accept_bytes(b"aa11!]")
    assert not matcher.is_accepting
    assert matcher.accept_bytes(b"]")
    assert matcher.is_accepting


def test_the_same_tag_makes_the_same_bytes() -> None:
    tools = [compile_tools(TOOLS, SMALL, family="qwen_3", limits=Limits()) for _ in range(2)]
    first, second = (encode(contents.header, contents.arrays) for contents in tools)
    assert first == second


def test_tools_as_text_are_the_same_artifact() -> None:
    tools = [
        compile_tools(given, SMALL, family="exaone", limits=Limits())
        for given in (TOOLS, json.dumps(TOOLS))
    ]
    first, second = (encode(contents.header, contents.arrays) for contents in tools)
    assert first == second


def test_a_schema_that_is_left_for_the_call_is_compiled_and_refused() -> None:
    """At a request a plain schema is known to compile; others were refused with it."""
    bad = {"type": "object", "properties": {"a": {"pattern": "("}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": bad}}
    with pytest.raises(SchemaError, match="/tools/0/function/parameters"):
        compile_tools([tool], SMALL, family="qwen_3", limits=Limits())


def test_a_pattern_with_too_many_states_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskc.tags.freezing.MOST_STATES", 20)
    form = {"type": "regex", "pattern": "(a|b)*a(a|b){6}"}
    with pytest.raises(LimitError, match="states in an automaton of the artifact"):
        tag_artifact(form)


def test_a_kit_links_an_artifact_of_a_tag() -> None:
    contents = compile_tools(TOOLS, SMALL, family="exaone", choice="required", limits=Limits())
    kit = make_kit(SMALL)
    whole = kit.sequence(kit.artifact(through_a_file(contents)), kit.choice(["!"]))
    assert whole.matcher().forced_bytes() == b'<tool_call>{"name": "get_'


PROGRAM = """
import sys
for name in ("lark", "jsonschema", "referencing", "regex", "click", "rich"):
    sys.modules[name] = None
import maskc
matcher = maskc.load(sys.argv[1]).matcher()
assert matcher.accept_bytes(b'<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}')
packages = {name.split(".")[1] for name in sys.modules if name.startswith("maskc.")}
print(*sorted(packages & {"automata", "frontends", "jsonschema", "kit", "tags", "vocab"}))
"""


def test_what_loads_an_artifact_of_tools_needs_no_compiler(tmp_path: Path) -> None:
    contents = compile_tools(TOOLS, load_vocabulary("bytes"), family="exaone", limits=Limits())
    Artifact(contents).save(tmp_path / "tools.maskc")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "tools.maskc")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
