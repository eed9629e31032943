"""Experiment 5: changed texts must be refused where the judge refuses them, at the right byte.

The judge's verdict on the whole new text counts. *Where* it is refused is checked too if the judge
knows beginnings: the bytes that were taken begin some text (otherwise we have read too far), and
with the refused byte they begin none (otherwise we have stopped too early). Where a changed byte
leaves no UTF-8, the walk must stop, at the latest, at the first byte that no UTF-8 text has there.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeVar

from maskc.errors import TokenizerError
from maskc.runtime.matcher import Matcher
from maskc.verify.characters import UTF8, split_cut
from maskc.verify.model import Document, Unit, describe_offset, legality
from maskc.verify.subject import Cursor, Mutation, Subject, is_whole

_N_MASKS = 40  # masks compared with the tokens that are taken after the change

KINDS = ("deleted", "doubled", "swapped")


_Text = TypeVar("_Text", bytes, list[bytes])


def change(text: _Text, index: int, kind: str) -> _Text:
    """Return a text with one of its signs changed: of its bytes, or of a list.

    >>> [change(b"abc", 1, kind) for kind in KINDS]
    [b'ac', b'abbc', b'acb']
    """
    sign, tail = text[index : index + 1], text[index + 1 :]
    changed = {"deleted": tail, "doubled": sign + sign + tail}
    return text[:index] + changed.get(kind, tail[:1] + sign + tail[1:])


def mutate(data: bytes, offset: int, kind: str) -> Mutation:
    where = f"the byte at offset {offset} is {kind}"
    return Mutation(kind, where, offset, change(data, offset, kind))


def draw_mutations(data: bytes, count: int, draw: Random) -> Iterator[Mutation]:
    """Yield changed texts, in order; half are changed in characters of several bytes, if any."""
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


def check_mutations(subject: Subject, unit: Unit) -> None:
    document = unit.about
    for name in ("mutated texts", *subject.mutation_counts):
        subject.found.count(name, 0)
    mutations = list(subject.mutate(document, unit.amount, Random(unit.seed)))
    # Where the model's own tokens are illegal, the corpus fails.
    here = Cursor(subject, subject.encode(document.text))
    for mutation in sorted(mutations, key=lambda mutation: mutation.offset):
        here.go_before(mutation.offset)
        subject.found.count("mutated texts")
        subject.found.count(mutation.kind)
        _Judgement(subject, mutation, document).judge(here.matcher.fork(), here.n_written)


class _Judgement:
    """What becomes of one mutated text, and whether that is right."""

    def __init__(self, subject: Subject, mutation: Mutation, document: Document) -> None:
        self._subject, self._mutation = subject, mutation
        self._data, self._name = mutation.data, document.name
        self._n_text = count_text(mutation.data, subject.encoding)

    def judge(self, matcher: Matcher, start: int) -> None:
        """Walk the text with a matcher that stands at ``start``, and record what is wrong."""
        data, subject, count = self._data, self._subject, self._subject.found.count
        refused_at = self._walk(matcher, start)
        offset = len(data) if refused_at is None else refused_at
        accepted = refused_at is None and is_whole(matcher)
        verdict: bool | None = False
        try:
            verdict = subject.verdict(data.decode(subject.encoding))
        except UnicodeDecodeError:
            count("that are not UTF-8")
        judge, takes = subject.judge_name, subject.takes
        if verdict is None:
            count(f"that {judge} does not decide")
            return
        count(f"that {judge} {takes if verdict else 'refuses'}")
        sides = {
            "maskc": "accepts the text" if accepted else f"refuses the text at offset {offset}",
            subject.side: f"{takes if verdict else 'refuses'} the text",
        }
        if accepted and not verdict:
            self._fail(f"a text that {judge} refuses is accepted", offset, **sides)
        elif verdict and not accepted:
            self._fail(f"a text that {judge} {takes} is refused", offset, **sides)
        elif offset > self._n_text:
            self._fail("bytes that are not UTF-8 are taken", self._n_text, **sides)
        elif not verdict:
            count("refused at the end" if offset == len(data) else "refused at a byte")
            self._judge_offset(offset, sides)

    def _judge_offset(self, offset: int, sides: dict[str, str]) -> None:
        subject, taken, after = self._subject, self._data[:offset], self._data[offset : offset + 1]
        text = self._data[: self._n_text].decode(subject.encoding, errors="ignore")
        side = subject.prefix_side
        if subject.begins(taken, text, b"") is False:
            what = "bytes that begin no text are taken"
            self._fail(what, offset, **sides, **{side: "illegal before the offset"})
        elif after and subject.begins(taken, text, after):
            what = "a byte is refused with which a text goes on"
            self._fail(what, offset, **sides, **{side: "legal"})

    def _walk(self, matcher: Matcher, start: int) -> int | None:
        """Take tokens as far as there are, then bytes; return where the text is refused."""
        subject, offset = self._subject, start
        for number, token in enumerate(self._encode(start)):
            text = subject.written(token)
            mask = subject.legal(matcher) if number < _N_MASKS else None
            taken = matcher.accept_token(token)
            if mask is not None or not taken:
                subject.found.count("masks")
                # A token that is refused has changed nothing.
                is_legal = bool((subject.legal(matcher) if mask is None else mask)[token])
                if is_legal != taken:
                    what = f"a token is {legality(is_legal=is_legal)} in the mask"
                    what += " and taken" if taken else " and refused"
                    self._fail(what, offset, token=repr(text))
            if not taken:
                is_free = not subject.cut_matters and subject.artifact.token_bytes(token)
                if is_free and matcher.fork().accept_bytes(text):
                    what = "a token is refused and its bytes are taken"
                    self._fail(what, offset, token=repr(text))
                break
            offset += len(text)
        # What is left: the bytes of a token that is refused, or what no tokens write.
        return subject.take_bytes(matcher, self._data, offset)

    def _encode(self, start: int) -> list[int]:
        """Return tokens for the text after a start, as far as it is text."""
        try:
            text = self._data[start : self._n_text].decode(self._subject.encoding)
            return self._subject.encode(text)
        except (UnicodeDecodeError, TokenizerError):
            return []

    def _fail(self, what: str, offset: int, **sides: str) -> None:
        byte = repr(self._data[offset : offset + 1]) if offset < len(self._data) else "the end"
        self._subject.found.fail(
            what=what,
            file=self._name,
            mutation=self._mutation.where,
            **describe_offset(self._data, offset),
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
