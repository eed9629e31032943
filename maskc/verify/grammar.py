"""The judge of a grammar: Lark's own parser, and of beginnings the oracle.

Texts are drawn by the grammar's rules and from the masks. A file that Lark refuses is named with
the place and what Lark expected (:mod:`maskc.verify.refusals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random

from lark import Lark

from maskc.bounded import run_bounded
from maskc.errors import TokenizerError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import GrammarSource, source_from_header
from maskc.kinds import GRAMMAR
from maskc.verify.characters import UTF8
from maskc.verify.general import build_oracle, parses
from maskc.verify.generation import Drawer
from maskc.verify.model import Document, Experiment, legality
from maskc.verify.mutation import KINDS, draw_mutations
from maskc.verify.oracle import Oracle, Undecided
from maskc.verify.plan import list_experiments
from maskc.verify.refusals import find_refusal
from maskc.verify.subject import Cursor, Mutation, Subject

_MOST_BEGUN = 400  # characters of the beginning of a walk
_PART = 8  # of the longest text that a walk after a beginning may add


class GrammarSubject(Subject):
    """An artifact of a grammar that is verified, for one process."""

    judge_name, takes, side, prefix_side = "Lark", "parses", "lark", "oracle"
    has_long_texts = True
    mutation_counts = (
        *KINDS,
        *("that are not UTF-8", "that Lark parses", "that Lark refuses"),
        *("refused at a byte", "refused at the end"),
    )
    experiments = list_experiments(
        corpus=("files that Lark parses", "Lark parses none of the files of the corpus", "Lark"),
        no_text="there was no text that Lark parses",
        per_unit=2,
        most=20_000,  # Lark parses every mutation from its start
        oracle=(20, 1 << 60),  # a text is lexed once for all of them
        has_raw=True,
    )

    @cached_property
    def source(self) -> GrammarSource:
        return source_from_header(self.artifact.header["grammar"])

    @cached_property
    def lark(self) -> Lark:
        """Lark's own parser: the judge of complete texts."""
        return run_bounded(lambda: build_lark(self.source), self.options.limits)

    @cached_property
    def oracle(self) -> Oracle:
        """The judge of beginnings; its answers may depend on what it was asked before."""
        return build_oracle(self.lark)

    @cached_property
    def drawer(self) -> Drawer:
        return Drawer(self.artifact, self.lark, self.oracle)

    @cached_property
    def encoding(self) -> str:
        return GRAMMAR.encoding(self.artifact.header)

    def begin_unit(self) -> None:
        """Forget what the oracle remembers."""
        if "oracle" in self.__dict__:
            self.oracle.forget()

    def encode(self, text: str) -> list[int]:
        """Return the model's tokens for a text; of bytes that are no UTF-8, any cut into tokens.

        Raises:
            TokenizerError: no tokens of the vocabulary write it.
        """
        if self.encoding == UTF8:
            return super().encode(text)
        data = text.encode(self.encoding)
        try:
            return super().encode(data.decode())
        except UnicodeDecodeError:
            cut = self.segments.draw(data, Random(len(data)))
        if cut is None:
            raise TokenizerError(
                self.encoder.name, "no tokens write these bytes", "use one with a token a byte"
            )
        return cut

    def parses(self, text: str) -> bool:
        return parses(self.lark, text)

    def verdict(self, text: str, found: Experiment) -> bool:
        del found
        return self.parses(text)

    def judge_file(self, document: Document, found: Experiment) -> Iterator[tuple[Document, bool]]:
        """Yield a file with Lark's verdict; name it, with what Lark expected, if it is refused."""
        refusal = find_refusal(self.lark, document.text, lambda: self.oracle.steps)
        if refusal is not None:
            found.refused.append(refusal.to_dict(document.name))
        found.count("files")
        found.count("non-ASCII files", int(not document.text.isascii()))
        found.count("files that Lark parses" if refusal is None else "files that Lark refuses")
        yield document, refusal is None

    def mutate(self, document: Document, amount: int, draw: Random) -> Iterator[Mutation]:
        return draw_mutations(document.data, amount, draw)

    def begins(self, prefix: bytes, text: str, more: bytes, found: Experiment) -> bool | None:
        try:
            return self.oracle.at(prefix, text).legal(more)
        except Undecided:
            found.count("undecided by the oracle")
            return None

    def can_end(self, document: Document, offset: int, found: Experiment) -> bool:
        """Return whether Lark, resumed near a byte, parses the text before it."""
        del found
        return self.oracle.at(document.data[:offset], document.text).can_end()

    def goes_on(
        self, document: Document, here: Cursor, token: int, found: Experiment, *, is_legal: bool
    ) -> tuple[bool | None, str]:
        del is_legal
        prefix, more = document.data[: here.n_written], self.written(token)
        expected = self.begins(prefix, document.text, more, found)
        if expected is not None:
            found.count(legality(is_legal=expected))
        return expected, ""

    def draw(self, number: int, found: Experiment) -> str | None:
        """Return a text drawn by the rules, or one that begins like it and follows the masks."""
        self.oracle.forget()
        draw = Random(f"{self.options.seed}:{number}")
        drawn = self._draw_by_rules(draw, number, found)
        if number % 2 == 0 and drawn is not None:
            found.count("drawn by the rules")
            return drawn
        found.count("drawn from the masks")
        whole, most = (drawn or "")[:_MOST_BEGUN], self.options.max_tokens
        beginning = whole[: draw.randint(0, len(whole))].encode(self.encoding)
        n_tokens = max(1, most // _PART) if beginning else most
        walked = self.drawer.walks.draw(draw, n_tokens, beginning)
        found.count("ends searched again", walked.n_retries)
        return self.finished(walked, number, found)

    def _draw_by_rules(self, draw: Random, number: int, found: Experiment) -> str | None:
        """Draw texts by the rules until one is of the grammar, by Lark and by the artifact."""
        drawer, options = self.drawer, self.options
        for drawn in drawer.propose(draw, options.seed, number, options.max_tokens):
            if drawn is not None:
                is_legal, is_parsed = drawer.is_legal(drawn.text), self.parses(drawn.text)
                if is_legal and is_parsed:
                    return drawn.text
                if is_legal != is_parsed:
                    found.fail(
                        what="Lark and the artifact do not agree on a text",
                        file=self.name_of(number),
                        text=drawn.text,
                        maskc="accepts the text" if is_legal else "refuses the text",
                        lark="parses the text" if is_parsed else "refuses the text",
                    )
            found.count("drawn again")
        return None
