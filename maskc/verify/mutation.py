"""Experiment 5: do we refuse what Lark refuses, and at the right byte?

A text that Lark parses is changed by a byte: one is deleted, doubled, or swapped with the next.
Lark's verdict on the whole new text is the judge: it must be accepted with the end legal after
it, or else refused. A text may be refused at a byte or at its end, and *where* is checked too:

- the bytes that were taken begin some text: otherwise we have read too far;
- with the refused byte they begin none: otherwise we have stopped too early.

Both are answered by the oracle. A changed byte can leave something that is no UTF-8 at all: then
the walk must stop, at the latest, at the first byte that no UTF-8 text has there.

Example: ``[1, 2]`` with the comma doubled is refused at the second comma; with the blank doubled
it is still accepted; with the bracket at the end deleted it is refused at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from maskc.errors import TokenizerError
from maskc.runtime.matcher import Matcher
from maskc.verify.characters import split_cut
from maskc.verify.encoding import UTF8
from maskc.verify.model import Experiment, Unit, legality, place_of
from maskc.verify.oracle import Oracle, Undecided
from maskc.verify.subject import Subject

PER_DOCUMENT = 5  # mutations of one document
MOST_BYTES = 20_000  # Lark parses every mutation from its start: longer texts if there are no other
N_MASKS = 40  # masks compared with the tokens that are taken after the change

KINDS = ("deleted", "doubled", "swapped")
COUNTS = (
    "mutated texts",
    *KINDS,
    "that are not UTF-8",
    "that Lark parses",
    "that Lark refuses",
    "refused at a byte",
    "refused at the end",
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text that was changed by a byte.

    Attributes:
        kind: one of ``KINDS``.
        offset: the first byte that may have changed.
        data: the new text, which need not be UTF-8.
    """

    kind: str
    offset: int
    data: bytes


def mutate(data: bytes, offset: int, kind: str) -> Mutation:
    """Return a text with a byte changed.

    >>> [mutate(b"abc", 1, kind).data for kind in KINDS]
    [b'ac', b'abbc', b'acb']
    """
    head, byte, tail = data[:offset], data[offset : offset + 1], data[offset + 1 :]
    changed = {
        "deleted": tail,
        "doubled": byte + byte + tail,
        "swapped": tail[:1] + byte + tail[1:],
    }
    return Mutation(kind, offset, head + changed[kind])


def draw_mutations(data: bytes, count: int, draw: Random) -> Iterator[Mutation]:
    """Yield changed texts, in the order of where they are changed.

    Half of the places are in characters of several bytes, if there are some.
    """
    wide = [offset for offset, byte in enumerate(data) if byte >= 0x80]
    drawn = []
    for _ in range(count):
        in_wide = wide and draw.random() < 0.5
        offset = draw.choice(wide) if in_wide else draw.randrange(len(data))
        drawn.append((offset, draw.choice(KINDS)))
    for offset, kind in sorted(drawn):
        mutation = mutate(data, offset, kind)
        # Swapping equal bytes, or the last one, changes nothing.
        yield mutation if mutation.data != data else mutate(data, offset, "deleted")


def check_mutations(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Check some mutations of a unit's text."""
    document = unit.about
    oracle, data = subject.fresh_oracle(), document.data
    tokens = subject.encode(document.text)
    matcher, place, start = subject.artifact.matcher(), 0, 0
    for name in COUNTS:
        found.count(name, 0)
    for mutation in draw_mutations(data, unit.amount, Random(unit.seed)):
        while place < len(tokens):
            length = len(subject.artifact.token_bytes(tokens[place]) or b"")
            # Where the model's own tokens are illegal, the corpus fails.
            if start + length > mutation.offset or not matcher.accept_token(tokens[place]):
                break
            place, start = place + 1, start + length
        found.count("mutated texts")
        found.count(mutation.kind)
        judgement = _Judgement(subject, oracle, mutation, document.name, found)
        judgement.judge(matcher.fork(), start)


class _Judgement:
    """What becomes of one mutated text, and whether that is right."""

    def __init__(
        self, subject: Subject, oracle: Oracle, mutation: Mutation, name: str, found: Experiment
    ) -> None:
        self._subject, self._oracle, self._found = subject, oracle, found
        self._mutation, self._name = mutation, name
        self._data = mutation.data
        self._encoding = subject.encoding
        self._n_text = count_text(mutation.data, self._encoding)

    def judge(self, matcher: Matcher, start: int) -> None:
        """Walk the text with a matcher that stands at ``start``, and record what is wrong."""
        data, count = self._data, self._found.count
        refused_at = self._walk(matcher, start)
        offset = len(data) if refused_at is None else refused_at
        accepted = refused_at is None and matcher.is_accepting
        parsed = False
        try:
            parsed = self._subject.parses(data.decode(self._encoding))
        except UnicodeDecodeError:
            count("that are not UTF-8")
        count("that Lark parses" if parsed else "that Lark refuses")
        sides = {
            "maskc": "accepts the text" if accepted else f"refuses the text at offset {offset}",
            "lark": "parses the text" if parsed else "refuses the text",
        }
        if accepted and not parsed:
            self._fail("a text that Lark refuses is accepted", offset, **sides)
        elif parsed and not accepted:
            self._fail("a text that Lark parses is refused", offset, **sides)
        elif offset > self._n_text:
            self._fail("bytes that are not UTF-8 are taken", self._n_text, **sides)
        elif not parsed:
            count("refused at the end" if offset == len(data) else "refused at a byte")
            self._judge_place(offset, sides)

    def _judge_place(self, offset: int, sides: dict[str, str]) -> None:
        """Check that the text goes on before an offset, and not after the byte there."""
        data = self._data
        text = data[: self._n_text].decode(self._encoding, errors="ignore")
        position = self._oracle.at(data[:offset], text)
        try:
            if not position.legal(b""):
                what, oracle = "bytes that begin no text are taken", "illegal before the offset"
                self._fail(what, offset, **sides, oracle=oracle)
            elif offset < len(data) and position.legal(data[offset : offset + 1]):
                what = "a byte is refused with which a text goes on"
                self._fail(what, offset, **sides, oracle="legal")
        except Undecided:
            self._found.count("undecided by the oracle")

    def _walk(self, matcher: Matcher, start: int) -> int | None:
        """Take the text after a start; return the first byte that is refused, if one is."""
        subject, offset = self._subject, start
        for number, token in enumerate(self._tokens(start)):
            text = subject.artifact.token_bytes(token) or b""
            mask = subject.legal(matcher) if number < N_MASKS else None
            taken = matcher.accept_token(token)
            if mask is not None or not taken:
                self._found.count("masks")
                # A token that is refused has changed nothing.
                is_legal = bool((subject.legal(matcher) if mask is None else mask)[token])
                if is_legal != taken:
                    what = f"a token is {legality(is_legal=is_legal)} in the mask"
                    what += " and taken" if taken else " and refused"
                    self._fail(what, offset, token=repr(text))
            if not taken:
                if matcher.fork().accept_bytes(text):
                    what = "a token is refused and its bytes are taken"
                    self._fail(what, offset, token=repr(text))
                break
            offset += len(text)
        # What is left: the bytes of a token that is refused, or what no tokens write.
        for place in range(offset, len(self._data)):
            if not matcher.accept_bytes(self._data[place : place + 1]):
                return place
        return None

    def _tokens(self, start: int) -> list[int]:
        """Return tokens for the text after a start, as far as it is text."""
        try:
            text = self._data[start : self._n_text].decode(self._encoding)
            return self._subject.encode(text)
        except (UnicodeDecodeError, TokenizerError):
            return []

    def _fail(self, what: str, offset: int, **sides: str) -> None:
        mutation = self._mutation
        byte = repr(self._data[offset : offset + 1]) if offset < len(self._data) else "the end"
        self._found.fail(
            what=what,
            file=self._name,
            mutation=f"the byte at offset {mutation.offset} is {mutation.kind}",
            **place_of(self._data, offset),
            **{"token": byte, **sides},
        )


def count_text(data: bytes, encoding: str = UTF8) -> int:
    r"""Return how many bytes begin some text: a last character may be cut.

    >>> count_text("né".encode()), count_text(b"n\xc3"), count_text(b"n\xc3n"), count_text(b"\xa9")
    (3, 2, 2, 0)
    """
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        n_bytes = error.start
        while n_bytes < len(data) and split_cut(data[error.start : n_bytes + 1]) is not None:
            n_bytes += 1
        return n_bytes
    return len(data)
