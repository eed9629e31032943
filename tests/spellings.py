"""Small tokenizers that cut and merge, drawn at random, and what they write: by hand."""

import re
from itertools import pairwise
from random import Random
from typing import NamedTuple

from maskc.regular.charset import class_set
from maskc.runtime.spelling import Spelling
from maskc.runtime.spelling.tables import Chunks
from maskc.spelling import assemble
from maskc.spelling.chunks import Rules, build_chunks, rules_of_ranks
from maskc.vocab.vocabulary import Vocabulary

ALPHABET = "abc \n"
# Of stages that cut as usual ones do, look ahead, leave gaps, or do not cut at all.
PATTERNS = (
    r"[ab]+|c+|\s+(?!\S)|\s+",
    r"a+(?!b)|[abc]+?|\s",
    r"[^\s]{1,3}|\s+",
    r"[\s\S]+",
    r" ?[ab]+|\s*\n|\s+(?!\S)|\s+",
    r"b+(?=c)|[ac]|\s*c+",
)
_CHUNKS: dict[tuple[str, ...], Chunks] = {}


def ask(item, *, folds):
    """Return the characters of a class, as Python's `re` has it."""
    return class_set(item, re.IGNORECASE if folds else 0)


def chunks_of(patterns):
    """Return the automaton of some stages; making one takes a tenth of a second."""
    if patterns not in _CHUNKS:
        _CHUNKS[patterns] = build_chunks(patterns, ask, has_gaps=True)
    return _CHUNKS[patterns]


class Tokenizer(NamedTuple):
    """A tokenizer of which everything is known: byte tokens first, then others."""

    texts: tuple[bytes, ...]
    rules: Rules
    patterns: tuple[str, ...]
    is_whole_written: bool

    def cut(self, text):
        """Return the chunks of a text."""
        parts = [text]
        for pattern in self.patterns:
            parts = [piece for part in parts for piece in cut_alone(pattern, part)]
        return parts

    def merge(self, symbols):
        """Return what symbols are merged to: lowest rank first, then leftmost."""
        tokens = list(symbols)
        while True:
            open_ = [
                (*self.rules[pair], index)
                for index, pair in enumerate(pairwise(tokens))
                if pair in self.rules
            ]
            if not open_:
                return tokens
            _, result, index = min(open_, key=lambda merge: (merge[0], merge[2]))
            tokens[index : index + 2] = [result]

    def encode(self, text):
        """Return the tokens of a text."""
        return tuple(token for chunk in self.cut(text) for token in self.encode_chunk(chunk))

    def encode_chunk(self, chunk):
        """Return the tokens of a chunk."""
        data = chunk.encode()
        if self.is_whole_written and data in self.texts:
            return [self.texts.index(data)]
        return self.merge(data)

    def spelling(self) -> Spelling:
        """Return what maskc makes of it; the id after the tokens ends the sequence."""
        vocabulary = Vocabulary((*self.texts, None), (len(self.texts),), "small")
        return assemble(
            vocabulary,
            dict(enumerate(self.texts)),
            self.rules,
            chunks_of(self.patterns),
            is_whole_written=self.is_whole_written,
        )


def cut_alone(pattern, text):
    """Return what a pattern cuts a text into: its matches, and what is between them."""
    parts, at = [], 0
    for match in re.finditer(pattern, text):
        parts += [text[at : match.start()], match[0]]
        at = match.end()
    return [part for part in (*parts, text[at:]) if part]


def draw_merges(draw: Random, alphabet=ALPHABET):
    """Return the texts of tokens, merges, and whether ranks are those of the tokens."""
    texts = [bytes([byte]) for byte in range(256)]
    size = 256 + draw.randint(3, 14)
    kind = draw.choice(["ranks", "merges", "shuffled"])
    if kind == "ranks":
        while len(texts) < size:
            text = "".join(draw.choices(alphabet, k=draw.randint(2, 4))).encode()
            if text not in texts:
                texts.append(text)
        ranks = list(range(size))
        if draw.random() < 0.4:
            draw.shuffle(ranks)
        rules = rules_of_ranks(dict(enumerate(texts)))
        return tuple(texts), {pair: (ranks[rank], to) for pair, (rank, to) in rules.items()}
    known, pool = {}, [ord(character) for character in alphabet]
    for _ in range(100):
        pair = (draw.choice(pool), draw.choice(pool))
        text = texts[pair[0]] + texts[pair[1]]
        if len(texts) < size and len(text) <= 5 and pair not in known:
            if text not in texts:
                texts.append(text)
                pool.append(len(texts) - 1)
            known[pair] = texts.index(text)
    ranks = list(range(len(known)))
    if kind == "shuffled":
        draw.shuffle(ranks)
    return tuple(texts), {
        pair: (rank, known[pair]) for pair, rank in zip(known, ranks, strict=True)
    }


def draw_tokenizer(draw: Random) -> Tokenizer:
    """Return a random tokenizer over `ALPHABET`."""
    texts, rules = draw_merges(draw)
    patterns = tuple(draw.sample(PATTERNS, draw.choice([1, 1, 2])))
    return Tokenizer(texts, rules, patterns, draw.random() < 0.5)
