"""What holds of each grammar that comes with maskc, beside a judge that shares no code with it.

A grammar's module has a class of these laws, with its texts and its judge: gcc, SQLite, `re` and
others, some of which need not be installed.
"""

import random
from collections.abc import Sequence
from typing import ClassVar

import pytest
from lark import Lark

from tests.grammars.derive import Deriver, accepts, conflicts
from tests.grammars.walks import generate, read_grammar, walk


class GrammarLaws:
    """Laws of a grammar; a class below one says of which.

    Attributes:
        name: of the grammar, and of the folder of its corpus.
        start: its start symbol; ``drawn_from`` are symbols that random texts are derived from.
        choices: what Lark says of shift/reduce choices that it makes without a word.
        lexemes: how terminals that are no strings may be written.
        accepted, refused: texts on which the grammar and its judge agree.
        taken: those of ``refused`` that the judge takes all the same.
        left_out: texts that the judge takes and the head of the grammar says it does not.
        is_whole: of random texts, too, the grammar accepts all that the judge does.
        lengths: about how many lexemes a random text has.
        signs: what comes into the place of a character of a random text; if there are none, one
            lexeme is changed.
        separators: one is put between all lexemes of a changed text.
        n_derived, n_changed: how many random texts there are for a seed.
        generated: how many texts are drawn from the masks, with how many tokens at most.
    """

    name: ClassVar[str]
    start: ClassVar[str]
    drawn_from: ClassVar[Sequence[str]] = ()
    choices: ClassVar[Sequence[str]] = ()
    lexemes: ClassVar[dict[str, list[str]]] = {}
    accepted: ClassVar[Sequence[str]] = ()
    refused: ClassVar[Sequence[str]] = ()
    taken: ClassVar[Sequence[str]] = ()
    left_out: ClassVar[Sequence[str]] = ()
    is_whole = False
    lengths: ClassVar[Sequence[int]] = (5, 15, 40)
    signs: ClassVar[Sequence[str]] = ()
    separators: ClassVar[Sequence[str]] = ("", " ")
    n_derived = 80
    n_changed = 200
    generated = (20, 40)

    def is_text(self, text: str) -> bool | None:
        """Return the judge's verdict, ``None`` where it is not installed."""
        raise NotImplementedError

    def list_faults(self, texts: Sequence[str]) -> list[str]:
        """Return what the judge refuses of texts that the grammar accepts."""
        return [text for text in texts if self.is_text(text) is False]

    def list_lexemes(self, _parser: Lark) -> dict[str, list[str]]:
        """Return how terminals may be written; the parser's strings are known."""
        return self.lexemes

    def join(self, words: Sequence[str], separator: str = " ") -> str:
        return separator.join(words)

    def draw_words(self, deriver: Deriver, draw: random.Random) -> list[str]:
        start = draw.choice(self.drawn_from or [self.start])
        return list(deriver.words(start, draw, draw.choice(self.lengths)))

    def change(self, deriver: Deriver, draw: random.Random) -> str:
        """Return a random text with one character or lexeme changed."""
        words = self.draw_words(deriver, draw)
        if not self.signs:
            return self.join(deriver.change(words, draw), draw.choice(self.separators))
        text = self.join(words, draw.choice(self.separators))
        at = draw.randint(0, len(text))
        return text[:at] + draw.choice(["", *self.signs]) + text[at + draw.randrange(2) :]

    def test_the_choices_that_lark_makes_are_known(self):
        assert conflicts(read_grammar(self.name), self.start) == list(self.choices)

    def test_the_corpus_is_accepted_by_both_and_walked_token_by_token(
        self, parser, artifact, corpus
    ):
        assert accepts(parser, corpus)
        assert self.list_faults([corpus]) == []
        assert walk(artifact, corpus) == "ok"

    def test_a_text_is_accepted_by_both(self, parser, accepted):
        assert accepts(parser, accepted)
        assert self.list_faults([accepted]) == []

    def test_a_text_is_refused_by_both(self, parser, refused):
        assert not accepts(parser, refused)
        assert not self.is_text(refused) or refused in self.taken

    def test_what_the_head_leaves_out_is_refused(self, parser, left_out):
        assert not accepts(parser, left_out)

    @pytest.mark.parametrize("seed", range(4))
    def test_what_the_productions_derive_is_accepted_by_both(self, parser, deriver, seed):
        draw = random.Random(seed)
        texts = [self.join(self.draw_words(deriver, draw)) for _ in range(self.n_derived)]
        assert [text for text in texts if not accepts(parser, text)] == []
        assert self.list_faults(texts) == []

    @pytest.mark.parametrize("seed", range(4))
    def test_a_changed_text_that_is_still_accepted_is_one_to_the_judge(self, parser, deriver, seed):
        draw = random.Random(seed)
        texts = [self.change(deriver, draw) for _ in range(self.n_changed)]
        accepted = [text for text in texts if accepts(parser, text)]
        # Else nothing is said.
        assert self.n_changed // 40 <= len(accepted) <= self.n_changed * 39 // 40
        assert self.list_faults(accepted) == []
        refused = [text for text in texts if not accepts(parser, text)]
        assert not self.is_whole or [text for text in refused if self.is_text(text)] == []

    def test_generated_texts_are_accepted_by_both(self, parser, artifact):
        count, max_tokens = self.generated
        texts = generate(artifact, count=count, max_tokens=max_tokens)
        assert [text for text in texts if not accepts(parser, text)] == []
        assert self.list_faults(texts) == []
