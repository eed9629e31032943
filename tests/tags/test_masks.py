"""Masks of a tag, in a request and in an artifact, are those of the language it stands for."""

import functools
import json
import random
import subprocess
import sys

import pytest

from maskc.artifact.container import decode, encode
from maskc.artifact.model import Contents
from maskc.errors import LimitError, SchemaError
from maskc.kit.artifacts import compile_structural_tag, compile_tools
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.runtime.loading import check_contents
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.examples import seeds
from tests.tags.conftest import legal, tag_of, takes
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


def through_a_file(contents):
    """Return what is loaded of an artifact that was written."""
    header, arrays = decode(encode(contents.header, contents.arrays), "written")
    return Artifact(check_contents(Contents(header, arrays), "written"))


def tag_artifact(form):
    return through_a_file(compile_structural_tag(tag_of(form), SMALL, limits=Limits()))


def requested(form):
    return make_kit(SMALL).structural_tag(tag_of(form))


@pytest.mark.parametrize(
    ("make", "seed"),
    [
        *((requested, seed) for seed in seeds(40)),
        *((tag_artifact, seed) for seed in range(102, 122)),
    ],
)
def test_masks_are_those_of_the_language(make, seed):
    draw = random.Random(seed)
    oracle = Oracle(TOKENS[:-1], SPECIALS)
    form = draw_format(draw, 3)
    language = oracle.read(form)
    if not oracle.is_live(language):
        return
    made = make(form)
    for _ in range(2):
        matcher, here, path = made.matcher(), language, []
        for _ in range(12):
            expected = oracle.legal(here) | ({END} if nullable(here) else set())
            assert legal(matcher, made.vocab_size) == expected, (path, json.dumps(form))
            assert matcher.is_accepting == nullable(here)
            choices = sorted(expected - {END})
            if not choices:
                break
            token = draw.choice(choices)
            assert matcher.accept_token(token)
            path.append(token)
            here = oracle.after(here, token)


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder", "cohere", "kimi_k3", "glm_4_7"])
def test_masks_of_tools_are_those_of_a_request(family):
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


def test_a_grammar_and_a_pattern_are_in_the_file():
    pattern = {"type": "regex", "pattern": "a{2,3}"}
    grammar = {"type": "grammar", "grammar": 'root ::= "1" root "]" | "!"'}
    artifact = tag_artifact({"type": "sequence", "elements": [pattern, grammar]})
    assert takes(artifact, "aa11!]]")
    assert not takes(artifact, "aa11!]")


def test_equal_tools_make_the_same_bytes_as_a_text_too():
    made = [
        compile_tools(tools, SMALL, family="qwen_3", limits=Limits())
        for tools in (TOOLS, TOOLS, json.dumps(TOOLS))
    ]
    assert len({encode(contents.header, contents.arrays) for contents in made}) == 1


def test_a_schema_that_is_left_for_the_call_is_compiled_and_refused():
    """At a request a plain schema is known to compile; others were refused with it."""
    bad = {"type": "object", "properties": {"a": {"pattern": "("}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": bad}}
    with pytest.raises(SchemaError, match="/tools/0/function/parameters"):
        compile_tools([tool], SMALL, family="qwen_3", limits=Limits())


def test_a_pattern_with_too_many_states_is_refused(monkeypatch):
    monkeypatch.setattr("maskc.tags.freezing.MOST_STATES", 20)
    form = {"type": "regex", "pattern": "(a|b)*a(a|b){6}"}
    with pytest.raises(LimitError, match="states in an automaton of the artifact"):
        tag_artifact(form)


def test_a_kit_links_an_artifact_of_a_tag():
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
print(*sorted(packages & {"regular", "frontends", "jsonschema", "kit", "tags", "vocab"}))
"""


def test_what_loads_an_artifact_of_tools_needs_no_compiler(tmp_path):
    contents = compile_tools(TOOLS, load_vocabulary("bytes"), family="exaone", limits=Limits())
    Artifact(contents).save(tmp_path / "tools.maskc")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "tools.maskc")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


# Of several tokens that end the sequence, a tag takes the one that it names.
A, B, CALL, RETURN = range(4)
MODEL = Vocabulary(
    (b"a", b"b", None, None), (CALL, RETURN), "small", {"<call>": CALL, "<return>": RETURN}
)


def made(form):
    """Return matchers of a request and of an artifact."""
    contents = compile_structural_tag(tag_of(form), MODEL, limits=Limits())
    return [make_kit(MODEL).structural_tag(tag_of(form)).matcher(), Artifact(contents).matcher()]


def tag(content, end):
    return {
        "type": "tag",
        "begin": "",
        "content": {"type": "const_string", "value": content},
        "end": end,
    }


@pytest.mark.parametrize("end", ["<call>", {"type": "token", "token": CALL}])
def test_the_end_of_a_tag_is_the_token_that_it_names(end):
    for matcher in made(tag("a", end)):
        assert matcher.accept_token(A)
        assert legal(matcher, 4) == {CALL}
        assert matcher.is_accepting
        assert matcher.validate_tokens([RETURN]) == 0
        assert not matcher.accept_token(RETURN)
        assert matcher.accept_token(CALL)
        assert matcher.is_terminated


def test_one_of_two_ends_may_be_named():
    for matcher in made({"type": "or", "elements": [tag("a", "<call>"), tag("b", "<return>")]}):
        called, returned = matcher.fork(), matcher.fork()
        assert called.accept_tokens([A, CALL]) == 2
        assert returned.accept_tokens([B, CALL]) == 1
        assert legal(returned, 4) == {RETURN}


def test_a_text_that_ends_by_itself_takes_any_end():
    for matcher in made({"type": "const_string", "value": "a"}):
        assert matcher.accept_token(A)
        assert legal(matcher, 4) == {CALL, RETURN}
        assert matcher.fork().accept_token(CALL)
        assert matcher.accept_token(RETURN)


def test_where_both_are_legal_both_are_in_the_mask():
    either = [tag("a", "<call>"), tag("a", "")]
    for matcher in made({"type": "or", "elements": either}):
        assert matcher.accept_token(A)
        assert legal(matcher, 4) == {CALL, RETURN}
        assert matcher.accept_token(RETURN)


_TEXTS = (b"a", b"[", b"]", b"[a", b"a]", b"\xc3", b"\xa9", b"\xe2\x82", b"\xac", b"\xa9]")
_END = len(_TEXTS)


@functools.cache
def _matches(tokens, most_tokens, most_characters):
    """Whether tokens are ``[``, free text within its limits, and ``]``."""
    text = b"".join(_TEXTS[token] for token in tokens)
    starts = [sum(len(_TEXTS[t]) for t in tokens[:n]) for n in range(len(tokens))]
    if not text.startswith(b"[") or not text.endswith(b"]") or len(text) < 2:
        return False
    inner = text[1:-1]
    try:
        n_characters = len(inner.decode())
    except UnicodeDecodeError:
        return False
    n_tokens = sum(1 <= start < len(text) - 1 for start in starts)
    if not most_tokens and inner:
        return False
    return b"]" not in inner and n_tokens <= most_tokens and n_characters <= most_characters


@functools.cache
def _is_prefix(tokens, most_tokens, most_characters, n_more=3):
    if _matches(tokens, most_tokens, most_characters):
        return True
    text = b"".join(_TEXTS[token] for token in tokens)
    n_characters = len(text[1:].decode(errors="ignore"))
    if text[:1] not in (b"", b"[") or b"]" in text or n_characters > most_characters:
        return False
    if not n_more:
        return False
    return any(
        _is_prefix((*tokens, token), most_tokens, most_characters, n_more - 1)
        for token in range(len(_TEXTS))
    )


@pytest.mark.parametrize("limits", [(0, 9), (1, 9), (2, 9), (3, 9), (9, 1), (9, 2), (2, 2), (9, 0)])
def test_masks_keep_within_the_limits(limits):
    kit = make_kit(Vocabulary((*_TEXTS, None), (_END,), "small"))
    inner = {"type": "any_text", "max_tokens": limits[0], "max_chars": limits[1]}
    tag = {"type": "tag", "begin": "[", "content": inner, "end": "]"}
    constraint = kit.structural_tag(tag_of(tag))
    draw = random.Random(sum(limits))
    for _ in range(3):
        matcher, tokens = constraint.matcher(), ()
        for _ in range(6):
            found = legal(matcher, _END + 1)
            expected = {t for t in range(_END) if _is_prefix((*tokens, t), *limits)}
            assert found - {_END} == expected, tokens
            assert (_END in found) == _matches(tokens, *limits)
            if not expected:
                break
            token = draw.choice(sorted(expected))
            assert matcher.accept_token(token)
            tokens = (*tokens, token)


@pytest.mark.parametrize("max_tokens", [1, 2, 3])
def test_a_token_that_begins_a_text_after_json_counts(max_tokens):
    # The array has ended, and what follows it was asked as if the token had begun in the array.
    texts = (b"[", b"]", b"\xc3", b"\xa9", b"]\xc3", b" \xc3", b"\xe2", b"\x82\xac", b"a")
    kit = make_kit(Vocabulary((*texts, None), (len(texts),), "small"))
    array = {"type": "json_schema", "json_schema": {"maxItems": 0, "type": "array"}}
    text = {"type": "any_text", "max_tokens": max_tokens}
    matcher = kit.structural_tag(tag_of({"type": "sequence", "elements": [array, text]})).matcher()
    for token in (0, 1):
        assert matcher.accept_token(token)
        found = legal(matcher, len(texts) + 1)
        assert found == {t for t in range(len(texts) + 1) if matcher.fork().accept_token(t)}
    assert (2 in found) == (max_tokens > 1)
