"""A few texts that spell characters in several ways."""

from maskc.runtime.schema.scans.spelled import spell
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.vocabularies import build_index

TEXTS = sorted(
    [b"a", b"ab", b'ab"', b'a"', b"b", b"\\u0061", b"\\u00", b"\xc3", b'"', b'ab",', b"b\\"]
)
INDEX: TokenIndex = build_index(TEXTS)
TRIE = INDEX.tokens
FREE = Body(CharDfa([0], [0], [0, 1], [{}, {}], [-1, 0], 1), minimal=False)


def spell_below(nodes=(ROOT,), *, index=INDEX):
    return spell(index, index.tokens, nodes, FREE, minimal=False)
