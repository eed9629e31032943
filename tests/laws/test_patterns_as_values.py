"""Masks inside strings of the format regex are the tokens that the machine reads.

Which texts are patterns is asked of Node's own reader, where there is one.
"""

import json
import random
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import maskc
from maskc.formats.ecma import Patterns
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples

PIECES = [
    *("a", "b", "k", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<a>", "(?<b1>", "(?<"),
    *("\\k<a>", "\\k<", "[", "[^", "]", "-", "\\d", "\\", "\\b", "\\B", "{", "}", "{2}", "{2,}"),
    *("{3,2}", "{2,3", "*", "+", "?", "|", "^", "$", ".", "1", "2", "0", "\\1", "\\2", "\\0"),
    *("\\x4", "41", "\\u00", "\\u{1f", "600}", "\\ud83d", "\\ude00", "\\udbff", "\\p{L", "\\p{Lu}"),
    *(
        "u}",
        "\\P{sc=Greek}",
        "\\c",
        "A",
        "z",
        "Z",
        "é",
        "😀",
        "\\-",
        "\\/",
        "/",
        "<",
        ">",
        ",",
        "=",
    ),
    *(
        "!",
        ":",
        "\\t",
        "\\w",
        "𐐀",
        "0041",
        "\\u{",
        "\n",
        "_",
        "$",
        "[\\d-",
        "[a-",
        "[é-",
        '"',
        "\t",
    ),
]
IN_CLASS = ["a", "-", "\\d", "\\ud83d", "\\ude00", "\\u{d83d}", "\\0", "1", "\\x4", "\\cA", "é"]
IN_CLASS += ["😀", "^", "\\b", "\\uffff", "\\uE000", "\\t", "]", "[", "\\"]


def tokens_of(seed):
    """Return all bytes and tokens of up to four pieces as JSON writes them, some of them cut."""
    rng = random.Random(seed)
    found = {bytes([byte]) for byte in range(256)}
    while len(found) < 1_200:
        text = "".join(rng.choices(rng.choice([PIECES, IN_CLASS]), k=rng.randint(1, 4)))
        raw = json.dumps(text, ensure_ascii=rng.random() < 0.2)[1:-1].encode()
        raw += rng.choice([b"", b"", b"", b'"', b'",'])
        cut = rng.choice([0, 0, 0, 1, 2])
        found.add(raw[cut : cut + rng.choice([3, 5, 40])] or raw)
    return sorted(found)


TOKENS = tokens_of(0)
VOCABULARY = build_vocabulary("small", TokenizerTokens((*TOKENS, None), (len(TOKENS),)))
SCHEMAS = [
    {"type": "string", "format": "regex"},
    {"type": "string", "format": "regex", "minLength": 1},
    {"items": {"format": "regex", "type": "string"}, "uniqueItems": True, "type": "array"},
]
ARTIFACTS = [maskc.Artifact(compile_schema(schema, VOCABULARY)) for schema in SCHEMAS]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.lists(st.sampled_from(IN_CLASS), max_size=6).map(lambda parts: ["[", *parts]),
).map("".join)


def check(artifact, prefix):
    matcher = artifact.matcher()
    for byte in prefix:
        if not matcher.accept_bytes(bytes([byte])):
            break
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: len(TOKENS)]
    wanted = [matcher.fork().accept_bytes(token) for token in TOKENS]
    wrong = [t for t, bit, w in zip(TOKENS, legal.tolist(), wanted, strict=True) if bit != w]
    assert not wrong, (prefix, wrong[:5])
    assert any(wanted) or matcher.is_accepting


@examples(30)
@given(st.integers(0, 2), TEXTS, st.integers(0, 3), st.booleans())
@example(0, "(?<a>b)(?<", 0, False)
@example(0, "[z-\\u{", 0, False)
@example(0, "a\\3(", 0, False)
@example(1, "", 0, False)
@example(0, "((?=a)((", 0, False)
def test_masks_are_the_tokens_that_the_machine_reads(which, text, n_cut, is_escaped):
    raw = json.dumps(text, ensure_ascii=is_escaped)[:-1].encode()
    if which == 2:
        raw = b"[" + raw + b'",' + raw
    check(ARTIFACTS[which], raw[: len(raw) - n_cut])


def read(text):
    reader = Patterns()
    state = reader.start()
    for character in text:
        state = reader.step(state, character) if state else None
    return state


def is_pattern(text):
    state = read(text)
    return state is not None and Patterns().may_end(state)


def finish(text):
    """Return a pattern that begins with a text, found by trying characters."""
    reader, level = Patterns(), [(read(text), text)]
    for _ in range(30):
        for state, made in level:
            is_number = state.text[:1] == "\\" and state.text[1:].isdigit()
            if state.state[0] == "out" and (not state.text or is_number):
                made += "a" if state.text else ""
                made += ")" * len(state.groups) + "()" * (state.most - state.n_groups)
                return made + "".join(f"(?<{name}>)" for name in state.wanted - state.names)
        after = {}
        for state, made in level:
            for sign in ":=a>},])0Ddf4Luc{\\<x9\U0010ffff1=Gekrl":
                found = reader.step(state, sign)
                if found is not None:
                    after.setdefault((found.state, found.text), (found, made + sign))
        level = list(after.values())
    raise AssertionError(text)


NODE = shutil.which("node")
SCRIPT = r"""
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const fits = text => { try { new RegExp(text, "u"); return true } catch (error) { return false } };
console.log(JSON.stringify(texts.map(fits)));
"""


def ask_node(texts):
    ran = subprocess.run(
        [NODE, "-e", SCRIPT], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


@pytest.mark.skipif(NODE is None, reason="node is not there")
@examples(5)
@given(st.lists(TEXTS, min_size=100, max_size=400))
def test_a_pattern_is_what_node_takes(texts):
    texts += [text + "]" for text in texts]
    assert [is_pattern(text) for text in texts] == ask_node(texts)


@examples(30)
@given(TEXTS)
@example("(?<Z\\udb")
def test_whatever_begins_a_pattern_can_be_finished(text):
    while read(text) is None:
        text = text[:-1]
    if read(text).most < 100:
        assert is_pattern(finish(text))
