import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema import string_rows
from maskc.runtime.schema.scans.searching import search
from maskc.runtime.schema.string_rows import FreeRows
from tests.runtime.schema.spelling import trie_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
TRIE = trie_below(index=INDEX)
FREE = FreeRows(INDEX, TRIE)


def row_of(pattern):
    dfa = build_pattern(pattern)
    words, closing_tokens = FREE.of(search(TRIE, dfa, dfa.start))
    texts = [INDEX.texts[i] for i, t in enumerate(INDEX.ids) if words[t // 32] >> t % 32 & 1]
    return texts, sorted(INDEX.texts[n] for n in closing_tokens.text_indices)


@pytest.mark.parametrize("pattern", ["^(?!ab)", "^(?!n)", "^[^,]", "^x"])
def test_rows_are_the_same_if_bits_are_changed_or_written_anew(pattern, monkeypatch):
    changed = row_of(pattern)
    monkeypatch.setattr(string_rows, "_MOST_CHANGED", -1)
    assert row_of(pattern) == changed
