"""Formats that a reader of a user's own reads, good ones and others."""

import json

import numpy as np
import pytest

import maskc
from maskc.errors import ArtifactError, FormatError, LimitError, SchemaError
from maskc.integrations.session import Session
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.file import make_kit
from maskc.runtime.step_budget import one_mask
from maskc.verify.json_judge import Judge
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary

PIECES = r"""
0 1 7 12 é éa () (( ) )( a " ", "] [" \u00 e9 \ )" (() )) (é ,"( 49 ()",
"""


class Balanced:
    """Brackets and é in balance, up to five deep: no automaton counts them without a bound."""

    def start(self):
        return 0

    def step(self, depth, character):
        after = depth + {"(": 1, ")": -1, "é": 0}.get(character, 9)
        return after if 0 <= after <= 5 else None

    def may_end(self, depth):
        return depth == 0


class Ranged(Balanced):
    """The same, which says what may follow."""

    def characters(self, _):
        return [("(", ")"), ("é", "é")]


class Few:
    """Three strings: a, é and és."""

    def start(self):
        return ""

    def step(self, text, character):
        after = text + character
        return after if any(word.startswith(after) for word in ("a", "é", "és")) else None

    def may_end(self, text):
        return text in ("a", "é", "és")

    def characters(self, _):
        return (("a", "z"), ("à", "ü"))


def tokens_of():
    pieces = (', "', *PIECES.split())
    return sorted({bytes([byte]) for byte in range(256)} | {piece.encode() for piece in pieces})


TOKENS = tokens_of()
VOCABULARY = build_vocabulary("small", TokenizerTokens((*TOKENS, None), (len(TOKENS),)))


def open_(schema):
    return maskc.Artifact(compile_schema(schema, VOCABULARY))


def takes(artifact, value):
    matcher = artifact.matcher()
    text = json.dumps(value, ensure_ascii=False).encode()
    return matcher.accept_bytes(text) and matcher.is_accepting


def check(artifact, prefix):
    """Check that the mask after a prefix is the tokens that the machine reads byte by byte."""
    matcher = artifact.matcher()
    for byte in prefix:
        assert matcher.accept_bytes(bytes([byte])), prefix
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: len(TOKENS)]
    wanted = []
    for token in TOKENS:
        fork = matcher.fork()
        wanted.append(all(fork.accept_bytes(bytes([byte])) for byte in token))
    wrong = [t for t, bit, w in zip(TOKENS, legal.tolist(), wanted, strict=True) if bit != w]
    assert not wrong, (prefix, wrong)


@pytest.mark.parametrize("reader", [Balanced(), Ranged()])
def test_strings_are_those_that_the_reader_reads(reader):
    maskc.register_format("balanced", reader=reader)
    made = open_({"format": "balanced"})
    values = ["", "()", "(é)", "(()", ")", "a", "((((()))))", "(" * 6, 7]
    assert [takes(made, value) for value in values] == [1, 1, 1, 0, 0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    "prefix", ['"', '"(', '"(é', '"((((', '"(((((', '"()', '"\\u00', '"(\\u0028', '"(\\']
)
def test_masks_are_the_tokens_that_the_reader_reads(prefix):
    maskc.register_format("balanced", reader=Ranged())
    made = open_({"type": "string", "format": "balanced"})
    check(made, prefix.encode())


REGEXES = r"""" "é "( "(?< "(?<é "[ "[é "[^é- "\\ "\\k< "[\\ud83d "a{"""


@pytest.mark.parametrize("prefix", [*map(str.encode, REGEXES.split()), b'"\xc3', b'"[\xc3'])
def test_masks_of_patterns_are_exact_where_many_characters_are_uniform(prefix):
    """The mask asks about one of them, and a byte alone about what it can become."""
    check(open_({"type": "string", "format": "regex"}), prefix)


@pytest.mark.parametrize("prefix", ["[", '["', '["(', '["()","', '["()", "(', '["(é)","(', "[]"])
def test_masks_of_lists_whose_items_differ_are_exact(prefix):
    maskc.register_format("balanced", reader=Ranged())
    items = {"type": "string", "format": "balanced"}
    check(open_({"type": "array", "items": items, "uniqueItems": True}), prefix.encode())


def test_strings_are_used_up():
    maskc.register_format("few", reader=Few())
    made = open_({"items": {"format": "few"}, "uniqueItems": True, "type": "array"})
    assert takes(made, ["é", "a", "és"])
    assert not takes(made, ["é", "é"])
    for prefix in ('["é","', '["a", "é', '["és","é', '["és","a","é'):
        check(made, prefix.encode())
    full = made.matcher()
    assert full.accept_bytes('["é","a","és"'.encode())
    assert not full.fork().accept_bytes(b',"')


def test_listed_values_are_told_apart():
    maskc.register_format("few", reader=Few())
    made = open_({"format": "few", "enum": ["a", "b", "é", 7]})
    assert [takes(made, value) for value in ("a", "b", "é", 7)] == [1, 0, 1, 1]


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "é"},
        {"maxLength": 9},
        {"minLength": 2},
        {"not": {"format": "few"}},
        {"propertyNames": {"format": "few"}},
        {"allOf": [{"format": "regex"}]},
    ],
)
def test_what_stands_beside_it_is_refused_by_name(schema):
    maskc.register_format("few", reader=Few())
    with pytest.raises(SchemaError, match="format is few beside a pattern or a length"):
        open_({"format": "few", **schema})


def test_what_goes_with_it():
    maskc.register_format("few", reader=Few())
    some = open_({"format": "few", "minLength": 1})
    assert [takes(some, value) for value in ("a", "")] == [1, 0]
    short = open_({"format": "few", "pattern": "^[ab]$"})
    assert [takes(short, value) for value in ("a", "b", "é")] == [1, 0, 0]


def test_an_artifact_is_refused_where_its_format_is_not_registered(tmp_path, monkeypatch):
    maskc.register_format("few", reader=Few(), judge=lambda text: text in ("a", "é"))
    path = tmp_path / "a.maskc"
    open_({"items": {"format": "few"}}).save(path)
    made = maskc.load(path)
    assert takes(made, ["és"])
    assert made.header["registered_formats"] == {"few": None}
    judge = Judge(made)
    assert judge.is_complete
    assert [judge.judge([value]) for value in ("a", "és", 7)] == [True, False, True]
    monkeypatch.setattr("maskc.formats._registered", {})
    with pytest.raises(ArtifactError) as raised:
        maskc.load(path)
    assert str(raised.value) == (
        f"{path}: needs the format few, which is not registered in this process; "
        "call maskc.register_format with its name and its reader before"
    )


def test_a_tag_is_refused_where_its_format_is_not_registered(tmp_path, monkeypatch):
    maskc.register_format("few", reader=Few())
    tag = {"type": "json_schema", "json_schema": {"format": "few", "type": "string"}}
    made = maskc.compile_structural_tag(
        {"type": "structural_tag", "format": tag}, tokenizer="bytes"
    )
    made.save(tmp_path / "a.maskc")
    assert takes(maskc.load(tmp_path / "a.maskc"), "é")
    monkeypatch.setattr("maskc.formats._registered", {})
    with pytest.raises(ArtifactError, match="needs the format few, which is not registered"):
        maskc.load(tmp_path / "a.maskc")


def test_kits_take_it_and_budgets_end_it():
    maskc.register_format("balanced", reader=Ranged())
    made = make_kit(load_vocabulary("bytes")).json_schema({"format": "balanced", "type": "string"})
    assert [takes(made, value) for value in ("()", "(")] == [1, 0]
    matcher = made.matcher()
    assert matcher.accept_bytes(b'"((')
    bitmask = maskc.allocate_bitmask(1, made.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=4)
    assert matcher.shortest_completion().tokens == [*b'))"', 256]


def test_a_judge_is_wanted_where_a_reader_reads():
    maskc.register_format("few", reader=Few())
    judge = Judge(open_({"format": "few"}))
    assert not judge.is_complete
    assert judge.judge("b")


class Other:
    def start(self):
        return 0

    def step(self, *_):
        return 0

    def may_end(self, _):
        return True


def other(**methods):
    return type("Reader", (Other,), {name: staticmethod(m) for name, m in methods.items()})()


class Same:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise KeyError


def fail(*_):
    raise KeyError("secret")


FAILING = [
    (other(step=fail), "its reader raises KeyError"),
    (other(step=lambda *_: []), "its reader returns a state that cannot be hashed"),
    (other(step=lambda *_: ({},)), "its reader returns a state that cannot be hashed"),
    (other(step=lambda _: 0), "its reader raises TypeError"),
]
IN_MASKS = [
    (other(may_end=fail), "its reader raises KeyError"),
    (other(characters=fail), "its reader raises KeyError"),
    (other(characters=lambda _: 7), "its reader raises TypeError"),
    (other(characters=lambda _: [("ab", "c")]), "its reader raises TypeError"),
    (other(step=lambda *_: Same()), "its reader raises KeyError"),
]


@pytest.mark.parametrize(("reader", "problem"), [*FAILING, *IN_MASKS])
def test_a_reader_that_fails_in_a_mask_is_named(reader, problem):
    maskc.register_format("x", reader=reader)
    made = open_({"type": "array", "items": {"format": "x", "type": "string"}})
    matcher = made.matcher()
    assert matcher.accept_bytes(b'["')
    bitmask = maskc.allocate_bitmask(1, made.vocab_size)
    for _ in range(2):
        with pytest.raises(FormatError, match=f"format x: {problem}"):
            matcher.fill_bitmask(bitmask, 0)


@pytest.mark.parametrize(("reader", "problem"), FAILING)
def test_a_matcher_stays_as_it_was_where_a_reader_fails(reader, problem):
    maskc.register_format("x", reader=reader)
    made = open_({"type": "array", "items": {"format": "x", "type": "string"}})
    matcher = made.matcher()
    assert matcher.accept_bytes(b"[")
    for _ in range(2):
        with pytest.raises(FormatError, match=f"format x: {problem}"):
            matcher.accept_bytes(b'"ab"')
    assert matcher.accept_bytes(b"]")
    assert matcher.is_accepting


def test_a_server_ends_a_request_whose_reader_fails():
    maskc.register_format("x", reader=other(step=fail))
    session = Session(open_({"type": "string", "format": "x"}))
    assert session.accept(TOKENS.index(b'"'))
    assert not session.accept(TOKENS.index(b"a"))
    bitmask = maskc.allocate_bitmask(1, len(TOKENS) + 1)
    session.fill(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [len(TOKENS)]


@pytest.mark.parametrize(
    ("reader", "problem"),
    [
        (other(start=fail), "its reader raises KeyError"),
        (other(start=lambda: None), "its reader starts with None"),
        (other(start=list), "its reader returns a state that cannot be hashed"),
    ],
)
def test_a_reader_without_a_start_is_refused_before_anything_is_read(reader, problem):
    maskc.register_format("x", reader=reader)
    with pytest.raises(FormatError, match=f"format x: {problem}"):
        open_({"format": "x"}).matcher()


@pytest.mark.parametrize("method", ["start", "step", "may_end"])
def test_a_reader_without_a_method_is_refused(method):
    with pytest.raises(FormatError, match=f"format x: has a reader without {method}"):
        maskc.register_format("x", reader=other(**{method: None}))


def test_a_class_is_no_reader():
    with pytest.raises(FormatError, match="format x: has a class as its reader"):
        maskc.register_format("x", reader=Balanced)


def test_states_without_end_are_a_limit_and_the_matcher_stays():
    maskc.register_format("x", reader=other(step=lambda state, _: state + 1))
    made = open_({"type": "string", "format": "x"})
    matcher = made.matcher()
    assert matcher.accept_bytes(b'"a')
    with one_mask(100), pytest.raises(LimitError, match="more than 100 steps"):
        matcher.mask_id()
    assert matcher.accept_bytes(b'b"')
    assert matcher.is_accepting


def test_what_is_cached_of_states_without_end_is_bounded():
    maskc.register_format("x", reader=other(step=lambda state, character: (state, character)))
    contents = compile_schema({"type": "string", "format": "x"}, VOCABULARY)
    made = maskc.Artifact(contents, cache_bytes=0)
    matcher = made.matcher()
    assert matcher.accept_bytes(b'"')
    for _ in range(20):
        matcher.mask_id()
        assert matcher.accept_bytes(b"a")
    assert made.remembered_bytes < 1 << 20


def test_formats_of_the_standard_need_no_registration():
    assert takes(open_({"format": "regex"}), "(a)")


def test_without_the_package_idna_a_format_is_refused_by_name(monkeypatch, tmp_path):
    made = open_({"format": "idn-hostname-exact"})
    made.save(tmp_path / "a.maskc")
    monkeypatch.setitem(__import__("sys").modules, "maskc.formats.hosts", None)
    remedy = "install the extra idna: pip install 'maskc\\[idna\\]'"
    schema = {"properties": {"a": {"format": "idn-email-exact"}}}
    with pytest.raises(
        SchemaError, match=f"/properties/a: format is idn-email-exact, which.*{remedy}"
    ):
        open_(schema)
    with pytest.raises(
        ArtifactError, match=f"needs the format idn-hostname-exact, which.*{remedy}"
    ):
        maskc.load(tmp_path / "a.maskc")
