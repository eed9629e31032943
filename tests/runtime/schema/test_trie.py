from maskc.runtime.schema.tries.trie import ROOT, Trie


def test_a_path_leads_to_the_texts_that_begin_so():
    trie = Trie([b"a", b"ab", b"abc", b"b"])
    node = trie.child(trie.child(ROOT, ord("a")), ord("b"))
    assert (trie.path(node), trie.low[node], trie.high[node]) == (b"ab", 1, 3)


def test_a_byte_that_no_text_has_leads_nowhere():
    assert Trie([b"ab"]).child(ROOT, ord("b")) == -1


def test_the_empty_text_ends_in_the_root():
    trie = Trie([b"", b"a"])
    assert (trie.n_ending[ROOT], trie.n_ending[trie.child(ROOT, ord("a"))]) == (1, 1)


def test_equal_texts_end_in_one_node():
    trie = Trie([b"a", b"a"])
    assert trie.n_ending[trie.child(ROOT, ord("a"))] == 2


def test_a_leaf_has_no_children():
    trie = Trie([b"ab"])
    node = trie.child(ROOT, ord("a"))
    assert trie.has_children(node)
    assert not trie.has_children(trie.child(node, ord("b")))


def test_no_texts_make_a_root():
    assert Trie([]).levels == [0, 1]
