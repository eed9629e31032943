"""The automaton of chunks marks where a tokenizer's patterns cut, and nowhere else."""

from random import Random

import pytest

from tests.spellings import ALPHABET, PATTERNS, Tokenizer, chunks_of


def mark(chunks, text):
    """Return all ways in which a text can be marked: the chunks of each."""
    data = text.encode()
    found = [(chunks.start, 0, ())]
    for at, byte in enumerate(data):
        going_on = []
        for node, start, parts in found:
            after = [(node, start, parts)]
            if at:
                after += [(m, at, (*parts, data[start:at])) for m in chunks.cuts[node]]
            for marked, begun, done in after:
                following = int(chunks.next[marked, chunks.byte_class[byte]])
                if following:
                    going_on.append((following, begun, done))
        found = going_on
    ends = [(parts, start) for node, start, parts in found if chunks.may_end[node]]
    return [(*parts, data[start:]) for parts, start in ends]


@pytest.mark.parametrize(
    "patterns", [*((pattern,) for pattern in PATTERNS), PATTERNS[4:], PATTERNS[1:4]]
)
def test_each_text_is_marked_in_one_way_which_is_how_it_is_cut(patterns):
    draw, chunks = Random(str(patterns)), chunks_of(patterns)
    tokenizer = Tokenizer((), (), patterns, is_whole_written=False)
    for _ in range(150):
        text = "".join(draw.choices(ALPHABET + "é中", k=draw.randint(1, 9)))
        expected = tuple(part.encode() for part in tokenizer.cut(text))
        assert mark(chunks, text) == [expected]
