"""A byte that settles the end of a chunk does so whatever text follows."""

from random import Random

import pytest

from maskc.runtime.spelling.cuts import LetterCuts, find_cuts
from tests.spellings import ALPHABET, PATTERNS, Tokenizer, chunks_of


@pytest.mark.parametrize(
    "patterns", [*((pattern,) for pattern in PATTERNS), PATTERNS[4:], PATTERNS[1:4]]
)
def test_where_a_byte_settles_the_end_each_text_is_cut(patterns):
    draw, chunks = Random(str(patterns)), chunks_of(patterns)
    cuts, tokenizer = find_cuts(chunks), Tokenizer((), (), patterns, is_alone_written=False)
    n_settled = 0
    for _ in range(300):
        text = "".join(draw.choices(ALPHABET + "é中", k=draw.randint(1, 8)))
        parts = tokenizer.cut(text)
        # The node before each character, with the marks that are right for this text.
        node, ends = chunks.start, {sum(map(len, parts[:n])) for n in range(1, len(parts))}
        for at, character in enumerate(text):
            first = character.encode()[0]
            if at and cuts[node, first]:
                n_settled += 1
                assert at in ends, (text, at)
            # A guess that is wrong is followed where the right one leads to an end.
            node = follow(chunks, node, text[at:], ends, at)
    # The last of these patterns never cuts.
    assert n_settled > 0 or r"[\s\S]+" in patterns


def follow(chunks, node, rest, ends, at):
    """Return the node after the first character of a rest, of the guess that reads all of it."""
    starts = chunks.marks[node] if at in ends else (node,)
    found = [after for start in starts if (after := read(chunks, start, rest[0])) is not None]
    return next(n for n in found if reaches_end(chunks, n, rest[1:], ends, at + 1))


def reaches_end(chunks, node, rest, ends, at):
    if not rest:
        return bool(chunks.may_end[node])
    starts = chunks.marks[node] if at in ends else (node,)
    found = [after for start in starts if (after := read(chunks, start, rest[0])) is not None]
    return any(reaches_end(chunks, n, rest[1:], ends, at + 1) for n in found)


def read(chunks, node, character):
    for byte in character.encode():
        node = int(chunks.next[node, chunks.byte_class[byte]])
    return node or None


def test_letters_are_tried_with_blanks_first():
    cuts = find_cuts(chunks_of((PATTERNS[0],)))
    groups = [bytes([byte]) for byte in range(256)]
    letters = LetterCuts(cuts, groups)
    assert sorted(letters.order[:2].tolist()) == [10, 32]
    assert (letters.by_letter == cuts).all()
