from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, child_of, spell
from tests.runtime.schema.spelling import FREE, INDEX, TEXTS, TRIE, spell_below

SPELLED = spell_below()


def own(node, kind):
    low = SPELLED.low[node]
    items = range(low, low + SPELLED.n_ending[node])
    return {SPELLED.places[item] for item in items if SPELLED.kinds[item] == kind}


def test_an_escaped_character_is_the_character():
    node = child_of(SPELLED, 0, ord("a"))
    assert {TEXTS[place] for place in own(node, BETWEEN)} == {b"a", b"\\u0061"}


def test_a_quote_is_one_item_whatever_comes_after_it():
    node = child_of(SPELLED, child_of(SPELLED, 0, ord("a")), ord("b"))
    assert own(node, CLOSES) == {TRIE.child(TRIE.child(TRIE.child(0, 0x61), 0x62), 0x22)}


def test_what_can_become_a_character_is_found_by_it():
    assert {TEXTS[place] for place in SPELLED.becoming(0, ord("a"))} == {b"\\u00"}
    assert {TEXTS[place] for place in SPELLED.becoming(0, 0xE9)} == {b"\\u00", b"\xc3"}


def test_texts_below_a_quote_are_read_from_it():
    spelled = spell(INDEX, TRIE, (TRIE.child(0, ord("a")),), FREE, minimal=False)
    assert child_of(spelled, 0, ord("b")) > 0
    assert child_of(spelled, 0, ord("a")) == -1
