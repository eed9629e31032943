"""Raw strings: as they are written up to a delimiter, and the bytes of their characters."""

import json
import random
import re
from itertools import product

import numpy as np
import pytest

from maskc.errors import UnsatisfiableError
from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import START, Words, walk
from maskc.runtime.link.joining import PieceBoundaries, counting
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.runtime.link.text.raw_text import RawBody, RawString, RawText
from maskc.runtime.schema.plan import JsonLayout, Plan
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index

LONGEST = 9
PERIODS = "^((a{97})*|(b{89})*|(c{83})*)$"  # lengths repeat after 716,539


def make(schema, *forbidden):
    frozen = build_plan({"type": "string", **schema}, resources={}, layout=JsonLayout(),
                      assert_formats=True)  # fmt: skip
    plan = Plan(frozen, JsonLayout(), Budget(1 << 20))
    number, words = plan.position(plan.root).strings[0], tuple(b.encode() for b in forbidden)
    return RawString(plan, number, words, RawBody(plan.strings[number].body.dfa, words))


def read(text, data):
    state = text.name_of(START)
    for byte in data:
        state = text.read(state, byte)
        if state is None:
            return None
    return state


def takes(body, text):
    automaton = RawText(body, LONGEST)
    state = read(automaton, text.encode())
    return state is not None and automaton.is_accepting(state)


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        ({"pattern": "^[a-z]+$"}, "oslo", True),
        ({"pattern": "^[a-z]+$"}, "Oslo", False),
        ({"pattern": "^é"}, "éa", True),
        ({"minLength": 2, "maxLength": 3}, "€😀", True),
        ({"minLength": 2, "maxLength": 3}, "€", False),
        ({"minLength": 2, "maxLength": 3}, "abcd", False),
        ({"maxLength": 9}, 'a"\\\n', True),
        ({"maxLength": 9}, "a</p>b", False),
        ({"maxLength": 9}, "a</p", True),
        ({"enum": ["x</p>", "y"]}, "y", True),
        ({"enum": ["x</p>", "y"]}, "x</p>", False),
        ({"maxLength": 20_000, "pattern": r"^\S(.*\S)?$"}, "a b", True),
        ({"maxLength": 20_000, "pattern": r"^\S(.*\S)?$"}, "a b ", False),
        ({"minLength": 20_000, "pattern": "^(ab)*$"}, "ab" * 10_000, True),
        ({"minLength": 20_000, "pattern": "^(ab)*$"}, "ab" * 9_999, False),
        ({"minLength": 20_000, "pattern": PERIODS}, "a" * 97 * 207, True),
        ({"minLength": 20_000, "pattern": PERIODS}, "a" * 97 * 206, False),
    ],
)
def test_a_string_is_read_without_quotes_and_without_its_delimiter(schema, text, expected):
    assert takes(make(schema, "</p>"), text) is expected


def test_a_text_that_ends_in_the_middle_of_a_character_is_none():
    automaton = RawText(make({"maxLength": 2}, "<"), LONGEST)
    state = read(automaton, b"\xc3")
    assert not automaton.is_accepting(state)
    assert automaton.is_accepting(automaton.read(state, 0xA9))
    assert automaton.read(state, 0x41) is None


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": json.loads('"</p>"')}, True),
        ({"pattern": "^(</p>)+$"}, True),
        ({"minLength": 20_001, "maxLength": 20_001, "pattern": "^(</p>x|ab)*$"}, True),
        ({"maxLength": 1}, False),
    ],
)
def test_it_is_known_whether_there_is_such_a_string(schema, expected):
    assert make(schema, "</p>").is_empty is expected


@pytest.mark.parametrize("pattern", ["", r"^\S(.*\S)?$", "^[a-z]+(-[a-z]+)*$"])
def test_counts_far_from_the_bounds_are_one(pattern):
    automaton = RawText(
        make({"minLength": 3_000, "maxLength": 20_000, "pattern": pattern}), LONGEST
    )
    capped = {automaton.cap(read(automaton, b"a" * n)) for n in (30, 2_000, 2_980)}
    assert len(capped) == 1
    capped = {automaton.cap(read(automaton, b"a" * n)) for n in (3_000, 5_000, 19_900)}
    assert len(capped) == 1
    assert automaton.cap(read(automaton, b"a" * 19_999)) not in capped


@pytest.mark.parametrize(
    ("pattern", "low", "high"),
    [("^(aaa)*$", 1, 5), ("^[ab]*$", 3, 3), ("^a(.*b)?$", 3, 3), ("^(aaa)*$", 6, 6)],
)
def test_capped_counts_read_a_token_as_the_counts_do(pattern, low, high):
    texts = ["".join(t) for n in range(low, high + 1) for t in product("ab", repeat=n)]
    texts = {text for text in texts if re.search(pattern.replace("$", r"\Z"), text)}
    prefixes = {text[:n] for text in texts for n in range(len(text) + 1)}
    automaton = RawText(make({"minLength": low, "maxLength": high, "pattern": pattern}), 2)
    for begun in prefixes:
        capped = automaton.cap(read(automaton, begun.encode()))
        for token in ("", "a", "b", "aa", "ab", "ba", "bb"):
            state = capped
            for byte in token.encode():
                state = None if state is None else automaton.read(state, byte)
            assert (state is not None) is (begun + token in prefixes)
            is_accepted = state is not None and automaton.is_accepting(state)
            assert is_accepted is (begun + token in texts)


ALPHABET = ("a", "b", "<", "é", "è")  # what tokens begin with may become è
TOKENS = [b"".join(t) for n in (1, 2, 3) for t in product((b"a", b"b", b"<", b"\xc3", b"\xa9"),
                                                          repeat=n)]  # fmt: skip
TEXTS = ["".join(t) for n in range(7) for t in product(ALPHABET, repeat=n)]
PATTERNS = ("", "^[ab]*$", "^(ab)*$", "^a", "b$", "^[^é]*é?$", "^a(.*b)?$", "é", "^(a|bb|é<)*$")
DELIMITERS = ("<b", "<", "<éa", "<a<")


@pytest.fixture(scope="module")
def boundaries():
    return PieceBoundaries(build_index(TOKENS), Budget(1 << 24))


@pytest.mark.parametrize("few", [None, 0, 100])
@pytest.mark.parametrize("seed", seeds(40))
def test_masks_are_those_of_all_texts(seed, few, boundaries, monkeypatch):
    """Also where loops are read at once, with few tokens or all of them left out together."""
    if few is not None:
        monkeypatch.setattr(walk, "_MANY_TEXTS", 0)
        monkeypatch.setattr(walk, "_MANY_BYTES", 1)
        monkeypatch.setattr(counting, "_FEW", few)
    draw = random.Random(seed)
    following = draw.choice([["b"], ["a", "bb"]])
    low, delimiter = draw.choice((0, 0, 1, 2, 4)), draw.choice(DELIMITERS)
    pattern = draw.choice(PATTERNS)
    schema = {"minLength": low, "maxLength": min(low + draw.randint(0, 5), 6), "pattern": pattern}
    texts = {
        (text + delimiter + after).encode()
        for text in TEXTS
        for after in following
        if low <= len(text) <= schema["maxLength"]
        and delimiter not in text
        and re.search(pattern.replace("$", r"\Z"), text)
    }
    try:
        body = make(schema, delimiter)
    except UnsatisfiableError:
        assert not texts
        return
    assert body.is_empty is not any(texts)
    if body.is_empty:
        return
    prefixes = {text[:n] for text in texts for n in range(len(text) + 1)}
    words = boundaries.regular(Words([delimiter.encode()]))
    after = boundaries.regular(Words([each.encode() for each in following]))
    piece = CountingPiece(lambda: RawText(body, 3), boundaries.scanner)
    rest = boundaries.end
    for part in (after, words, piece):
        rest = boundaries.rest(boundaries.as_expression(part), rest)
    here, prefix = rest.starts, b""
    for _ in range(12):
        legal = {TOKENS[t] for link in here for t in tokens_of(boundaries, link)}
        assert legal == {token for token in TOKENS if prefix + token in prefixes}, prefix
        if not legal:
            break
        token = draw.choice(sorted(legal))
        here, prefix = boundaries.step(here, token), prefix + token


def draw_texts(draw, body, texts, boundaries, tokens):
    """Walk through a raw string and a `<`, comparing masks with those of all texts."""
    prefixes = {text[:n] for text in texts for n in range(len(text) + 1)}
    piece = CountingPiece(lambda: RawText(body, 3), boundaries.scanner)
    rest = boundaries.rest(
        boundaries.as_expression(boundaries.regular(Words([b"<"]))), boundaries.end
    )
    here, prefix = boundaries.rest(boundaries.as_expression(piece), rest).starts, b""
    while prefix not in texts:
        legal = {tokens[t] for link in here for t in tokens_of(boundaries, link)}
        assert legal == {token for token in tokens if prefix + token in prefixes}, prefix
        token = draw.choice(sorted(legal))
        here, prefix = boundaries.step(here, token), prefix + token


NEW_LINE, ESCAPED = "\n", "\\n"
# Quoted: in the second pattern `n` begins a character, in the first it ends one.
ALIKE = [(("^(aa)*$", b""), ("^a(aa)*$", b"")), ((r"^\n*$", b'"'), (r"^(n\\)*n?$", b""))]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("alike", ALIKE)
def test_loops_with_the_same_bytes_are_told_apart_by_ends_and_characters(alike, order, monkeypatch):
    monkeypatch.setattr(walk, "_MANY_TEXTS", 0)
    monkeypatch.setattr(walk, "_MANY_BYTES", 1)
    monkeypatch.setattr(counting, "_FEW", 0)
    tokens = [bytes(t) for n in (1, 2, 3) for t in product(b"an\\<", repeat=n)]
    boundaries = PieceBoundaries(build_index(tokens), Budget(1 << 24))
    for pattern, quote in alike[::order] * 2:
        string = make({"pattern": pattern, "maxLength": 5}, "<")
        dfa = string.plan.strings[string.number].body.dfa
        body = RawString(string.plan, string.number, (b"<",), RawBody(dfa, (b"<",), quote), quote)
        found = ["".join(t) for n in range(6) for t in product("an\\\n", repeat=n)]
        texts = {
            f"{text.replace(NEW_LINE, ESCAPED) if quote else text}<".encode()
            for text in found
            if re.search(pattern.replace("$", r"\Z"), text)
        }
        for seed in range(20):
            draw_texts(random.Random(seed), body, texts, boundaries, tokens)


def tokens_of(boundaries, link):
    words = boundaries.scanner.words(link.piece.legal(link.inner, link.rest))
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[: len(TOKENS)]
    return np.flatnonzero(bits).tolist()


EDGES = "az\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"


def spell(characters, quote=b""):
    """Return all ways to write one of some characters; all that is begun must lead to one."""
    texts = sorted(characters)
    body = RawBody(build_texts(texts, [1] * len(texts)), (), quote)
    found, pending = set(), [(b"", body.start)]
    while pending:
        written, state = pending.pop()
        moves = body.moves(state)
        assert moves, written
        for after, bytes_ in moves:
            for byte in bytes_:
                longer = written + bytes([byte])
                if body.may_end(after):
                    found.add(longer)
                else:
                    pending.append((longer, after))
    return found


@pytest.mark.parametrize(
    "characters", [*EDGES, EDGES, "a\u0800", "\u07ff\ud7ff", "\ue000\U0010ffff"]
)
def test_bytes_lead_to_the_characters_of_the_strings_and_to_no_others(characters):
    assert spell(characters) == {character.encode() for character in characters}


@pytest.mark.parametrize(
    ("quote", "written"),
    [(b'"', {b"a", b'\\"', b"'", b"\\'"}), (b"'", {b"a", b'"', b'\\"', b"\\'"})],
)
def test_a_quote_is_escaped_in_such_quotes(quote, written):
    assert spell("a\"'", quote) == written
    assert spell("\\\n\r\t", quote) == {b"\\\\", b"\\n", b"\\r", b"\\t", b"\t"}


def test_no_byte_begins_a_surrogate():
    above = CharDfa([0, 0xD800], [0, 1], [DEAD] * 3, [{}, {1: 2}, {}], [NO_LABEL, NO_LABEL, 0], 1)
    body = RawBody(above, ())
    begun = {byte for _, bytes_ in body.moves(body.start) for byte in bytes_}
    assert begun == {0xEE, 0xEF, *range(0xF0, 0xF5)}
