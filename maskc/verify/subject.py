"""The judge protocol: what experiments ask of an artifact of any kind, and of its judge.

A *verdict* is yes, no or unknown (``None``), which is counted and never guessed. The judge says of
a whole text whether it is one of the artifact's; a kind of artifact adds how texts are drawn
and changed, and what can be known of the beginning of a text.

A text has *atoms*: special tokens, each written by its name, which no cut divides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.artifact import Artifact, load
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher
from maskc.verify.characters import UTF8
from maskc.verify.mask_texts import NO_END, GeneratedText
from maskc.verify.model import Document, Experiment, VerifyOptions
from maskc.vocab import Encoder, load_encoder

if TYPE_CHECKING:
    from maskc.verify.plan import Kinds


class Mutation(NamedTuple):
    """A changed text, which need not be UTF-8: what was done, where, and the first byte changed."""

    kind: str
    where: str
    offset: int
    data: bytes


class Cursor:
    """A position between the tokens of a text, and a matcher that has taken those before it.

    Attributes:
        n_taken, n_written: how many tokens were taken, and bytes with them.
    """

    def __init__(
        self, subject: Subject, tokens: Sequence[int], matcher: Matcher | None = None
    ) -> None:
        self.matcher = subject.artifact.matcher() if matcher is None else matcher
        self.tokens, self._written = tokens, subject.written
        self.n_taken = self.n_written = 0

    @property
    def following(self) -> int | None:
        """The token that comes next, ``None`` at the end."""
        return self.tokens[self.n_taken] if self.n_taken < len(self.tokens) else None

    @property
    def is_accepted(self) -> bool:
        """Whether all of the text was taken, and may end here."""
        return self.following is None and is_whole(self.matcher)

    def step(self) -> bool:
        """Take the next token; return whether that is legal."""
        is_taken = self.matcher.accept_token(self.tokens[self.n_taken])
        if is_taken:
            self.n_written += len(self._written(self.tokens[self.n_taken]))
            self.n_taken += 1
        return is_taken

    def go_to(self, n_tokens: int) -> bool:
        """Go on to after so many tokens; return whether the tokens before it are legal."""
        while self.n_taken < n_tokens and self.step():
            pass
        return self.n_taken == n_tokens

    def go_before(self, offset: int) -> None:
        """Take the tokens that end at a byte or before it, as far as they are legal."""
        while (token := self.following) is not None:
            if self.n_written + len(self._written(token)) > offset or not self.step():
                return


def is_whole(matcher: Matcher) -> bool:
    return matcher.is_accepting or matcher.is_terminated


class Subject(ABC):
    """An artifact that is verified, for one process; each part is made when it is first asked for.

    Attributes:
        path: of the artifact.
        folder: where files may be put that all processes share.
        judge_name, takes: the judge, and how it is said that it takes a text.
        side: the judge's line of a witness; ``prefix_side``: that of who judges beginnings.
        has_long_texts: masks along the files of a corpus would take too long.
        cut_matters: the verdict depends on the tokens that write a text.
        tokens_per_position: compared at each.
        mutation_counts: what is counted of mutations, in the order of the report.
        experiments: of this kind of artifact, by name in the order of the report.
        found: what the unit that is done shows.
    """

    judge_name, takes, side, prefix_side = "the judge", "takes", "judge", "judge"
    has_long_texts = cut_matters = False
    tokens_per_position = 25
    mutation_counts: tuple[str, ...] = ()
    experiments: ClassVar[Kinds]
    found: Experiment

    def __init__(self, path: str, options: VerifyOptions, folder: Path) -> None:
        self.path, self.options, self.folder = path, options, folder

    @abstractmethod
    def verdict(self, text: str) -> bool | None:
        """Return whether a whole text is one of the artifact's."""

    @abstractmethod
    def judge_file(self, document: Document) -> Iterator[tuple[Document, bool | None]]:
        """Yield a file, and what else it says, with a verdict on each; count what it is."""

    @abstractmethod
    def draw(self, number: int) -> str | None:
        """Return a drawn text that the artifact takes, ``None`` if none came of it."""

    @abstractmethod
    def mutate(self, document: Document, amount: int, draw: Random) -> Iterator[Mutation]:
        """Yield changed texts."""

    def name_of(self, number: int) -> str:
        return f"generated text {number} of seed {self.options.seed}"

    def finished(self, drawn: GeneratedText, number: int) -> str | None:
        """Return a drawn text; without an end, count it, or fail where something else is wrong."""
        if drawn.problem is None:
            return drawn.text
        if drawn.problem == NO_END:
            self.found.count("no end found")
        else:
            document = Document(self.name_of(number), drawn.text, encoding=self.encoding)
            self.found.fail_at(drawn.problem, document, len(document.data))
        return None

    def begin_unit(self) -> None:  # noqa: B027 - few kinds remember anything
        """Prepare for a unit, whose outcome depends on nothing that was done before."""

    def begins(self, prefix: bytes, text: str, more: bytes) -> bool | None:
        """Return whether some legal text begins with a prefix of ``text`` and more bytes."""
        del prefix, text, more
        return None

    def can_end(self, document: Document, offset: int) -> bool | None:
        """Return whether the text before a byte is whole."""
        try:
            text = document.data[:offset].decode(self.encoding)
        except UnicodeDecodeError:
            return False
        return self.verdict(text)

    def goes_on(
        self, document: Document, here: Cursor, token: int, *, is_legal: bool
    ) -> tuple[bool | None, str]:
        """Return whether a legal text goes on with a token, and how the witness says it."""
        raise NotImplementedError

    @cached_property
    def artifact(self) -> Artifact:
        return load(self.path).for_start(self.options.start)

    @cached_property
    def encoder(self) -> Encoder:
        name = self.options.tokenizer or self.artifact.header["tokenizer"]["name"]
        return load_encoder(name, is_text=self.artifact.is_text)

    @cached_property
    def encoding(self) -> str:
        return UTF8

    @cached_property
    def segments(self) -> Segments:
        artifact = self.artifact
        return Segments(
            [
                None if i in artifact.eos_ids else artifact.token_bytes(i)
                for i in range(artifact.vocab_size)
            ]
        )

    def encode(self, text: str) -> list[int]:
        """Return the tokens that the model's tokenizer makes of a text."""
        return self.encoder.encode(text)

    def written(self, token: int) -> bytes:
        """Return what a token stands for in a text."""
        return self.artifact.token_bytes(token) or b""

    def atoms(self, data: bytes) -> list[tuple[int, int, int]]:
        """Return where each special token of a text begins and ends, and its id."""
        del data
        return []

    def cut(self, data: bytes, draw: Random) -> list[int]:
        """Return tokens drawn at random that write a text."""
        tokens, here = list[int](), 0
        for start, end, token in (*self.atoms(data), (len(data), len(data), None)):
            drawn = self.segments.draw(data[here:start], draw)
            if drawn is None:
                raise ValueError("the model's own tokens are a cut of the text; none was found")
            tokens += drawn if token is None else [*drawn, token]
            here = end
        return tokens

    def walk(self, document: Document, tokens: Sequence[int], *, masks: bool) -> Cursor:
        """Take a text's tokens; with masks, each must be legal in the mask before it if taken."""
        here = Cursor(self, tokens)
        while (token := here.following) is not None:
            is_legal = bool(self.legal(here.matcher)[token]) if masks else None
            is_taken = here.matcher.fork().accept_token(token) if is_legal is False else here.step()
            if is_legal not in (None, is_taken):
                what = "the mask and the matcher do not agree on a token"
                self.found.fail_at(what, document, here.n_written, token=repr(self.written(token)))
            if not is_taken or is_legal is False:
                break
        return here

    def take_bytes(self, matcher: Matcher, data: bytes, start: int) -> int | None:
        """Take a text from a start, byte by byte and atom by atom; return where it is refused."""
        atoms = {begin: (end, token) for begin, end, token in self.atoms(data)}
        while start < len(data):
            end, token = atoms.get(start, (start + 1, None))
            is_taken = (
                matcher.accept_bytes(data[start:end])
                if token is None
                else matcher.accept_token(token)
            )
            if not is_taken:
                return start
            start = end
        return None

    def legal(self, matcher: Matcher) -> NDArray[np.bool_]:
        """Return bool[vocab_size], the tokens that the mask allows."""
        bitmask = allocate_bitmask(1, self.artifact.vocab_size)
        matcher.fill_bitmask(bitmask, 0)
        return unpack(bitmask[0], self.artifact.vocab_size)


def unpack(row: NDArray[np.int32], vocab_size: int) -> NDArray[np.bool_]:
    """Return bool[vocab_size] from one row of a bitmask."""
    bits = np.unpackbits(row.view(np.uint8), count=vocab_size, bitorder="little")
    return bits.astype(np.bool_)


class Segments:
    """The tokens that bytes can be cut into.

    Example: with the tokens ``i``, ``in`` and ``n``, ``in`` is two tokens or one.
    """

    def __init__(self, tokens: Sequence[bytes | None]) -> None:
        self._ids: dict[bytes, list[int]] = {}
        lengths: list[set[int]] = [set() for _ in range(256)]
        for token_id, text in enumerate(tokens):
            if text:
                self._ids.setdefault(text, []).append(token_id)
                lengths[text[0]].add(len(text))
        self._lengths = [tuple(sorted(found)) for found in lengths]
        self._has_all_bytes = all(found[:1] == (1,) for found in self._lengths)

    def at(self, data: bytes, offset: int) -> list[tuple[int, list[int]]]:
        """Return (length, ids) of all tokens that the bytes hold at an offset, shortest first."""
        return [
            (length, ids)
            for length in self._lengths[data[offset]]
            if offset + length <= len(data)
            and (ids := self._ids.get(data[offset : offset + length])) is not None
        ]

    def draw(self, data: bytes, draw: Random) -> list[int] | None:
        """Return tokens, drawn at random, whose bytes are these; ``None`` if there are none."""
        leads_on = [self._has_all_bytes] * len(data) + [True]
        if not self._has_all_bytes:
            for offset in range(len(data) - 1, -1, -1):
                leads_on[offset] = any(leads_on[offset + n] for n, _ in self.at(data, offset))
        if not leads_on[0]:
            return None
        chosen, offset = [], 0
        while offset < len(data):
            cuts = [cut for cut in self.at(data, offset) if leads_on[offset + cut[0]]]
            length, ids = draw.choice(cuts)
            chosen.append(draw.choice(ids))
            offset += length
        return chosen
