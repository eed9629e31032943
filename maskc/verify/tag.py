"""The judge of a structural tag or of tools: a reader of the tag's JSON.

The judge (:mod:`maskc.verify.tag_judge`) shares nothing with the compiler. A reply is read in two
ways: *no* counts where it refuses whatever JSON may look like, and *yes* where it takes JSON only
as ``json.dumps`` writes it. A reply is changed by a character, or by the name of a special token.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from maskc.kinds import LINK
from maskc.runtime.link import cut_reply, encode_reply, names_of
from maskc.verify.grammar import TextRefusal, refuse_at
from maskc.verify.json_judge import NotJudgedError
from maskc.verify.mask_texts import MaskDrawer
from maskc.verify.model import Document
from maskc.verify.mutation import KINDS, change
from maskc.verify.plan import list_experiments
from maskc.verify.subject import Cursor, Mutation, Subject, is_whole
from maskc.verify.tag_judge import TagJudge

_COUNTED = ("max_tokens", "min_tokens")
_OF_TOKENS = frozenset(("any_tokens", "exclude_token", "token_triggered_tags", "token_dispatch"))


class TagSubject(Subject):
    """An artifact of a structural tag or of tools that is verified, for one process."""

    mutation_counts = (
        *KINDS,
        *("that the judge takes", "that the judge refuses", "that the judge does not decide"),
    )
    experiments = list_experiments(
        corpus=("accepted", "no file of the corpus is a reply of this tag", "the tag"),
        no_text="there was no legal text",
        per_unit=4,
        most=5_000,
    )

    @cached_property
    def tag(self) -> Any:
        return json.loads(self.artifact.contents.arrays["link_source"].tobytes())

    @cached_property
    def cut_matters(self) -> bool:  # type: ignore[override]
        return _is_about_tokens(self.tag)

    @cached_property
    def judge(self) -> TagJudge:
        return TagJudge(self.tag, self.names)

    @cached_property
    def names(self) -> Mapping[str, int]:
        return names_of(self.artifact.header)

    @cached_property
    def ends(self) -> list[str]:
        """What may follow a reply: nothing, or the name of the token that ended it."""
        return ["", *(name for name, token in self.names.items() if token in self.artifact.ends)]

    @cached_property
    def drawer(self) -> MaskDrawer:
        return MaskDrawer(self.artifact)

    def encode(self, text: str) -> list[int]:
        return encode_reply(text, self.names, self.encoder.encode)

    @cached_property
    def _names_by_id(self) -> dict[int, bytes]:
        return {token: name.encode() for name, token in self.names.items()}

    def written(self, token: int) -> bytes:
        return self._names_by_id.get(token) or super().written(token)

    def atoms(self, data: bytes) -> list[tuple[int, int, int]]:
        found, offset = [], 0
        for part in LINK.cut(self.artifact.header, data):
            end = offset + len(self.written(part) if isinstance(part, int) else part)
            if isinstance(part, int):
                found.append((offset, end, part))
            offset = end
        return found

    def verdict(self, text: str) -> bool | None:
        try:
            if not any(self.judge.judge(f"{text}{end}") for end in self.ends):
                self.found.count("judged")
                return False
            is_sure = any(self.judge.judge(f"{text}{end}", strict=True) for end in self.ends)
        except NotJudgedError:
            self.found.count("not judged")
            return None
        self.found.count("judged")
        return is_sure or None

    def judge_file(self, document: Document) -> Iterator[tuple[Document, bool | None]]:
        """Yield a reply with a verdict; name it, with what must come, if it is refused."""
        is_accepted = self.reads(document.text)
        self.found.count("accepted" if is_accepted else "refused")
        verdict = self.verdict(document.text)
        if not is_accepted and not verdict:
            self.found.refused.append(self._find_refusal(document).to_dict(document.name))
        yield document, verdict

    def _find_refusal(self, document: Document) -> TextRefusal:
        matcher, data = self.artifact.matcher(), document.data
        refused_at = self.take_bytes(matcher, data, 0)
        before, reason = data[:refused_at].decode(errors="ignore"), "the reply ends too early"
        if refused_at is not None:
            reason = f"unexpected {data[refused_at:].decode(errors='replace')[:12]!r}"
        expected = matcher.forced_bytes().decode(errors="replace")
        return refuse_at(before, len(before), reason, (expected,) if expected else ())

    def reads(self, text: str) -> bool:
        """Return whether a reply is one of the tag's, byte by byte if it may be cut so."""
        matcher = self.artifact.matcher()
        if self.cut_matters:
            tokens = self.encode(text)
            is_taken = matcher.accept_tokens(tokens) == len(tokens)
        else:
            is_taken = self.take_bytes(matcher, text.encode(), 0) is None
        return is_taken and is_whole(matcher)

    def walk(self, document: Document, tokens: Sequence[int], *, masks: bool) -> Cursor:
        """Take a reply's tokens; its bytes must lead to the same, if it may be cut so."""
        walked = super().walk(document, tokens, masks=masks)
        if not self.cut_matters and walked.is_accepted != self.reads(document.text):
            what = "tokens and single characters do not have the same verdict"
            self.found.fail_at(what, document, walked.n_written)
        return walked

    def draw(self, number: int) -> str | None:
        drawn = self.drawer.draw_text(self.options.seed, number, self.options.max_tokens)
        text = self.finished(drawn, number)
        if text is not None and not self.reads(text):
            # Its characters are those of a special token's name, which a text has only as such.
            self.found.count("read otherwise as text")
            return None
        return text

    def mutate(self, document: Document, amount: int, draw: Random) -> Iterator[Mutation]:
        """Yield replies in which a character or special token is left out, doubled or swapped."""
        signs: list[bytes] = []
        for part in cut_reply(document.text, self.names):
            if isinstance(part, int):
                signs.append(self.written(part))
            else:
                signs += [sign.encode() for sign in part]
        for _ in range(amount):
            index, kind = draw.randrange(len(signs)), draw.choice(KINDS)
            offset = len(b"".join(signs[:index]))
            where = f"{signs[index].decode()!r} at byte {offset} is {kind}"
            yield Mutation(kind, where, offset, b"".join(change(signs, index, kind)))


def _is_about_tokens(form: Any) -> bool:
    if isinstance(form, Mapping):
        return form.get("type") in _OF_TOKENS or any(
            bool(inner) if key in _COUNTED else key != "json_schema" and _is_about_tokens(inner)
            for key, inner in form.items()
        )
    return isinstance(form, list) and any(map(_is_about_tokens, form))
