import numpy as np
import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans import residuals, scan_all
from maskc.runtime.schema.scans.class_tries import number_keys
from maskc.runtime.schema.scans.residuals import matrix_of, never_dies
from maskc.runtime.schema.strings import Body
from tests.runtime.schema.spelling import list_groups, step_texts, trie_below
from tests.runtime.schema.vocabularies import TEXTS, build_index

INDEX = build_index()
TRIE = trie_below(index=INDEX)
PATTERNS = [
    "^[a-z]*$",
    "^\\S+$",
    "^[^,]*$",
    "^([ab]|é)+$",
    "^\\d{1,3}$",
    "^(ab|b)*c?.*$",
    "^x-[0-9a-f]+$",
]


BEGINNINGS = [b"\\u00e", b"\\u003", b"\\u00", b"\\ud83d\\ude0", b"\xc3", b"\xe2\x82", b"\xf0\x9f"]
ENDINGS = [
    b"1b\xc3\xa9",
    b"11a",
    b"1\xc3",
    b"00ab",
    b"1\\u00",
    b"e1,",
    b"\xa9a",
    b"\x98\x80b",
    b'1"',
    b"\xa9",
]
PAIRS = build_index(sorted(bytes([a, b]) for a in range(97, 123) for b in range(97, 123)))
WITH_ENDINGS = build_index(sorted({*TEXTS, *ENDINGS}))


def scan(dfa, state, trie=TRIE, index=INDEX):
    return scan_all(index, trie, dfa, matrix_of(dfa), state)


def list_closing(scanned, dfa):
    """Return the tokens that close a string, by text index, ascending."""
    tokens = (closing_tokens for _, closing_tokens in scanned.closed_by(dfa.labels))
    return sorted(n for some in tokens for n in some.text_indices.tolist())


def visit(body):
    """Step a body until it has seen every state of its automaton."""
    open_ = [body.start]
    for at in open_:
        after = {body.step(at, byte) for byte in range(256)} - {0}
        open_ += sorted(after.difference(open_))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_vocabulary_is_scanned_from_every_state_as_it_is_stepped(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, escapes="any")
    visit(body)
    for state in range(1, dfa.n_states):
        scanned = scan(dfa, state)
        inside, ended = step_texts(INDEX, body, body.characters.index(state))
        row = scanned.pack_ends(scanned.live)
        assert np.array_equal(row, INDEX.pack([INDEX.ids[n] for n in inside]))
        closing = [p for node, _ in ended for p in INDEX.quotes_of(node)[0]]
        assert list_closing(scanned, dfa) == sorted(closing)


@pytest.mark.parametrize(("pattern", "are_few"), [("^ab$", True), ("^[^b]*$", False)])
def test_tokens_are_listed_where_few_lead_to_anything(pattern, are_few):
    dfa, index = build_pattern(pattern), PAIRS
    scanned = scan(dfa, dfa.start, trie_below(index=index), index)
    for end, _ in scanned.ends():
        kept = scanned.choose([end])
        found = scanned.tokens_of(kept)
        assert (found is not None) == are_few
        if found is not None:
            assert np.array_equal(index.pack(found), scanned.pack_ends(kept))
            assert len(found)


@pytest.mark.parametrize("before", BEGINNINGS)
@pytest.mark.parametrize("pattern", ["^[ê㐀-鿿😁a-z,1-9€]*$", "^.b?é*$", "^[^é]*$"])
def test_a_vocabulary_is_scanned_inside_a_character_as_it_is_stepped(pattern, before):
    dfa, index = build_pattern(pattern), WITH_ENDINGS
    body = Body(dfa, escapes="any")
    at = body.read(before)
    inside, ended = step_texts(index, body, at)
    trie = trie_below(index=index, before=before)
    scanned = scan(dfa, dfa.start, trie, index)
    expected = index.pack([index.ids[n] for n in inside])
    assert np.array_equal(scanned.pack_ends(scanned.live), expected)
    closing = [p for node, _ in ended for p in index.quotes_of(node)[0]]
    assert list_closing(scanned, dfa) == sorted(closing)


def test_the_first_character_after_another_beginning_is_another_one():
    dfa, index = build_pattern("^[^é]*$"), build_index([b"1", b"1a", b"9", b"9a"])
    trie = trie_below(index=index, before=b"\\u00e")
    scanned = scan(dfa, dfa.start, trie, index)
    assert np.array_equal(scanned.pack_ends(scanned.live), index.pack([0, 1]))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_an_automaton_does_not_tell_apart_makes_no_difference(monkeypatch, pattern):
    dfa = build_pattern(pattern)
    merged = list_groups(scan(dfa, dfa.start))
    monkeypatch.setattr(residuals, "_MOST_CELLS", 0)
    assert merged == list_groups(scan(dfa, dfa.start))


def test_a_beginning_of_a_character_can_become_several_ranges():
    # After a backslash come the short escapes, and ``u`` with anything.
    dfa = build_pattern('^[\\"]*$')
    groups = list_groups(scan(dfa, dfa.start))
    assert bool(groups[INDEX.ids[INDEX.texts.index(b"\\")]].targets)
    assert not groups[INDEX.ids[INDEX.texts.index("é".encode()[:1])]].targets


@pytest.mark.parametrize("keys", [[], [3, 1, 3], [5_000_000, 1, 5_000_000]])
def test_keys_are_numbered_in_their_order(keys):
    distinct, which = number_keys(np.array(keys, dtype=np.int64))
    assert distinct.tolist() == sorted(set(keys))
    assert distinct[which].tolist() == keys


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [("ab", True), ("a|b+$", True), ("^[^,]*$", False), ("", True), ("^(?!ab)", False)],
)
def test_an_automaton_that_may_begin_anywhere_never_dies(pattern, wanted):
    dfa = build_pattern(pattern)
    assert never_dies(dfa, dfa.start) is wanted


@pytest.mark.parametrize(
    "before", [b"", b"\\", b"\\u000", b"\\u00e", b"\\u0", b"\xc3", b"\xe2\x82"]
)
@pytest.mark.parametrize("texts", [[b"x"], [b'"'], [b"\xff"], [b'1"'], [b"\xa9"], [b"a", b'\xa9"']])
def test_a_vocabulary_of_one_or_two_texts_is_scanned_as_it_is_stepped(texts, before):
    index, dfa = build_index(texts), build_pattern("^[^a]*$")
    body = Body(dfa, escapes="any")
    inside, _ = step_texts(index, body, body.read(before))
    scanned = scan(dfa, dfa.start, trie_below(index=index, before=before), index)
    expected = index.pack([index.ids[n] for n in inside])
    assert np.array_equal(scanned.pack_ends(scanned.live), expected)
