"""The judge of a grammar: Lark's own parser, and of beginnings the oracle.

Texts are drawn by the grammar's rules and from the masks. A file that Lark refuses is named with
the position and what Lark expected (:mod:`maskc.verify.refusals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
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
        draw, most = Random(f"{self.options.seed}:{number}"), self.options.max_tokens
        drawn, n_others = self.drawer.draw_by_rules(
            draw, self.options.seed, number, most, partial(self._is_agreed, number, found)
        )
        if n_others:
            found.count("drawn again", n_others)
        if number % 2 == 0 and drawn is not None:
            found.count("drawn by the rules")
            return drawn.text
        found.count("drawn from the masks")
        whole = "" if drawn is None else drawn.text[:_MOST_BEGUN]
        beginning = whole[: draw.randint(0, len(whole))].encode(self.encoding)
        n_tokens = max(1, most // _PART) if beginning else most
        walked = self.drawer.draw_from_masks(draw, n_tokens, beginning)
        found.count("ends searched again", walked.n_retries)
        return self.finished(walked, number, found)

    def _is_agreed(self, number: int, found: Experiment, text: str) -> bool:
        """Return whether Lark and the artifact take a text; fail where only one does."""
        is_legal, is_parsed = self.drawer.is_legal(text), self.parses(text)
        if is_legal != is_parsed:
            found.fail(
                what="Lark and the artifact do not agree on a text",
                file=self.name_of(number),
                text=text,
                maskc="accepts the text" if is_legal else "refuses the text",
                lark="parses the text" if is_parsed else "refuses the text",
            )
        return is_legal and is_parsed
