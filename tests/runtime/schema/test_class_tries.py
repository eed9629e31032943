import random

import numpy as np
import pytest

from maskc.jsonschema.formats import build_format
from maskc.jsonschema.patterns import build_pattern
from maskc.native import is_compiled
from maskc.runtime.cache import Budget
from maskc.runtime.schema.scans import class_tries, class_walks, scan_all
from maskc.runtime.schema.scans.residuals import matrix_of
from maskc.runtime.schema.strings import Body
from tests.runtime.schema.spelling import list_groups, step_texts, trie_below
from tests.runtime.schema.vocabularies import build_index

PATTERNS = [
    "",
    "b.*b",
    "^[^,]*$",
    "^([ab]|é)+$",
    "^\\s*[^\\s]+$",
    "^(ab|b)*c?.*$",
    "^[^\\\\]*x?$",
    "^.{0,2}$",
]
# An automaton that tells letters of one class apart.
UNFOLDED = (build_pattern("^[e-gä]+$"), matrix_of(build_pattern("^[e-gä]+$")), 1)


def list_ends(scanned):
    """Return what each token leads to, and each that closes the string, with what stands before."""
    units = scanned.units
    pairs, which = scanned.quote_pairs
    found = zip(units.closing_tokens.text_indices.tolist(), which.tolist(), strict=True)
    return list_groups(scanned), sorted((text_index, *pairs[n]) for text_index, n in found)


def turn_all(delta, _):
    return np.full(len(delta), -1, dtype=np.int64).view(np.uint64)


@pytest.mark.skipif(is_compiled(), reason="exchanges a function and a constant")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_left_alone_ends_where_all_nodes_are_followed(monkeypatch, pattern):
    dfa = build_pattern(pattern)
    found = []
    alone, all_ = class_walks.turns_of, turn_all
    for few, small, followed, turns in (
        *((1, 0, 0, alone), (1, 0, 20, alone), (1, 0, 0, all_)),
        *((1 << 30, 0, 0, alone), (1, 1 << 30, 0, alone)),
    ):
        monkeypatch.setattr(class_walks, "_FEW", few)
        monkeypatch.setattr(class_walks, "_SMALL", small)
        monkeypatch.setattr(class_walks, "_FEW_FOLLOWED", followed)
        monkeypatch.setattr(class_walks, "turns_of", turns)
        index = build_index()
        trie, delta = trie_below(index=index), matrix_of(dfa)
        scanned = [scan_all(index, trie, dfa, delta, s) for s in range(1, dfa.n_states)]
        found.append([(*list_ends(each), each.pack_ends(each.live).tolist()) for each in scanned])
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_letters_digits_and_white_space_are_one_only_where_nothing_tells_them_apart(
    monkeypatch, few
):
    monkeypatch.setattr(class_tries, "_FEW_NODES", few)
    index = build_index()
    trie = trie_below(index=index)
    for pattern in [*PATTERNS, "^[a-z]+$", "^[0-9]*é?$", "^[0-9a-f]{2}", "^\\S*$", "^[\\s0-9]+$"]:
        dfa = build_pattern(pattern)
        body = Body(dfa, escapes="any")
        scanned = scan_all(index, trie, dfa, matrix_of(dfa), dfa.start)
        inside, ended = step_texts(index, body, body.start)
        ends, quotes = list_ends(scanned)
        index_of = {token: n for n, token in enumerate(index.ids)}
        stays = {index_of[n]: (*end,) for n, end in enumerate(ends) if end.targets}
        assert stays == inside
        closing = {p for node, _ in ended for p in index.quotes_of(node)[0]}
        assert {n for n, state, _ in quotes if dfa.labels[state] >= 0} == closing


def draw_text(dfa, source):
    """Return up to 60 characters, of each class one at random, that lead to a live state."""
    lows = dict(zip(reversed(dfa.classes), reversed(dfa.starts), strict=True))
    text, state = "", dfa.start
    for _ in range(source.randrange(60)):
        row, default = dfa.rows[state], dfa.defaults[state]
        live = [low for kind, low in lows.items() if row.get(kind, default)]
        if live:
            text += chr(source.choice(live))
            state = dfa.step(state, ord(text[-1]))
    return text


@pytest.mark.parametrize("name", ["idn-hostname", "idn-email"])
def test_host_names_in_unicode_are_read_in_a_trie_of_their_own_classes(monkeypatch, name):
    monkeypatch.setattr(class_tries, "_FEW_NODES", 0)
    index, dfa = build_index(), build_format(name)
    trie, body, delta = trie_below(index=index), Body(dfa, escapes="any"), matrix_of(dfa)
    texts = ["", "a", "a@", "a@b.é", "é" * 15, "a" * 49, "a@" + "é" * 15, "a@א"]
    for text in [*texts, *(draw_text(dfa, random.Random(seed)) for seed in range(8))]:
        at, state = body.read(text.encode()), dfa.read(text)
        assert (at > 0) == (state > 0)
        if not state:
            continue
        scanned = scan_all(index, trie, dfa, delta, state)
        inside, _ = step_texts(index, body, at)
        index_of = {token: n for n, token in enumerate(index.ids)}
        ends = enumerate(list_ends(scanned)[0])
        assert {index_of[n]: (*end,) for n, end in ends if end.targets} == inside
    assert len(scanned.units.sizes) < len(scan_all(index, trie, *UNFOLDED).units.sizes)


def test_classes_and_groups_of_all_characters_have_bits_of_their_own():
    characters = np.arange(0x110000, dtype=np.int32)
    found = [class_tries._fold_characters(characters, n) for n in range(class_tries._N_FOLDS)]
    for numbers in (*found, class_tries._group(characters)):
        assert int(numbers.max()) < class_tries.N_GROUPS


def test_a_trie_of_whole_characters_is_there_when_all_else_is_evicted():
    budget, index = Budget(1 << 25), build_index()
    index.shared.join(budget)
    kinds = np.arange(len(trie_below(index=index).distinct))
    made, _ = class_tries.trie_for(index, trie_below(index=index), kinds)
    budget.clear()
    assert class_tries.trie_for(index, trie_below(index=index), kinds)[0] is made


@pytest.mark.parametrize("character", "aé€")
def test_texts_that_end_inside_a_character_become_those_that_their_bytes_begin(character):
    trie = trie_below(index=build_index())  # its root has many, and other nodes have few
    code, n_found = ord(character), 0
    for node in range(len(trie.chars)):
        ranges = [trie.ranges[trie.begun[item]] for item in trie.own_items(node)]
        text_indices = [trie.origins[item] for item in trie.own_items(node)]
        may_become = [any(low <= code <= high for low, high in some) for some in ranges]
        expected = tuple(p for p, is_one in zip(text_indices, may_become, strict=True) if is_one)
        assert trie.becoming(node, code) == expected
        n_found += len(expected) > 0
    assert n_found
