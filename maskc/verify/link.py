"""What is verified of a structural tag or of tools, and the experiments 1 and 2.

1. *corpus*: each file is a reply. It is accepted token by token, as each mask has it, and character
   by character alike, if the tag is not about tokens; and the judge
   (:mod:`maskc.verify.tag_judge`), which reads the tag's JSON and shares nothing with the compiler,
   agrees wherever it can judge.
2. *generation*: texts drawn from the masks come to an end, and the judge takes them.

Example: a reply with a call of a tool that there is not is refused, and named.

Limits: what the judge does not read is counted as *not judged*; it refuses in doubt where a text
writes JSON in another way than ``json.dumps``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from maskc.runtime.link.plan.replies import accept_reply, encode_reply, names_of
from maskc.verify.json_judge import NotJudgedError
from maskc.verify.link_texts import Drawer
from maskc.verify.loaded import Loaded
from maskc.verify.model import Document, Experiment, Unit
from maskc.verify.tag_judge import TagJudge

PER_UNIT = 4  # texts drawn in one unit
_COUNTED = ("max_tokens", "min_tokens")
_OF_TOKENS = frozenset(("any_tokens", "exclude_token", "token_triggered_tags", "token_dispatch"))
_SHOWN = 400  # characters of a witness


class LinkSubject(Loaded):
    """An artifact of a structural tag or of tools that is verified, for one process."""

    @cached_property
    def tag(self) -> Any:
        """The structural tag, as JSON."""
        return json.loads(self.artifact.contents.arrays["link_source"].tobytes())

    @cached_property
    def is_about_tokens(self) -> bool:
        """Whether it matters to the tag how a text is cut into tokens."""
        return _is_about_tokens(self.tag)

    @cached_property
    def judge(self) -> TagJudge:
        """The judge of replies."""
        return TagJudge(self.tag, self.names)

    @cached_property
    def names(self) -> Mapping[str, int]:
        """The special tokens that may stand in replies, by name."""
        return names_of(self.artifact.header)

    @cached_property
    def ends(self) -> list[str]:
        """What may follow a reply: nothing, or the name of the token that ended it."""
        return ["", *(name for name, token in self.names.items() if token in self.artifact.ends)]

    @cached_property
    def drawer(self) -> Drawer:
        """Draws replies from the masks."""
        return Drawer(self.artifact)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a reply."""
        return encode_reply(text, self.names, self.encoder.encode)

    def reads(self, text: str) -> bool:
        """Return whether a reply is one of the tag's, character by character if it may."""
        matcher = self.artifact.matcher()
        if self.is_about_tokens:
            tokens = self.encode(text)
            n_accepted = matcher.accept_tokens(tokens)
            return n_accepted == len(tokens) and (matcher.is_accepting or matcher.is_terminated)
        n_taken = accept_reply(matcher, text, self.names)
        return n_taken == len(text) and (matcher.is_accepting or matcher.is_terminated)

    def ask(self, text: str, found: Experiment, *, strict: bool) -> bool | None:
        """Return what the judge says of a reply, ``None`` if it does not judge."""
        try:
            verdict = any(self.judge.judge(f"{text}{end}", strict=strict) for end in self.ends)
        except NotJudgedError:
            found.count("not judged")
            return None
        found.count("judged")
        return verdict


def walk_file(subject: LinkSubject, unit: Unit, found: Experiment) -> None:
    """Walk the unit's reply, in characters and in tokens, and record what that shows."""
    document = unit.about
    name, text = document.name, document.text
    is_accepted = subject.reads(text)
    found.count("accepted" if is_accepted else "refused")
    tokens = subject.encode(text)
    if subject.takes(tokens, found, name) != is_accepted:
        found.fail(file=name, problem="tokens and single characters do not have the same verdict")
    if is_accepted:
        if subject.ask(text, found, strict=False) is False:
            found.fail(file=name, problem="it is accepted, and the judge refuses it")
        found.documents.append(replace(document, n_tokens=len(tokens)))
        return
    if subject.ask(text, found, strict=True):
        found.fail(file=name, problem="it is refused, and the judge takes it")
        return
    matcher = subject.artifact.matcher()
    n_taken = accept_reply(matcher, text, subject.names)
    before = text[:n_taken]
    is_cut = n_taken == len(text)
    expected = matcher.forced_bytes().decode(errors="replace")
    found.refused.append(
        {
            "file": name,
            "line": before.count("\n") + 1,
            "column": n_taken - before.rfind("\n"),
            "reason": "the reply ends too early"
            if is_cut
            else f"unexpected {text[n_taken : n_taken + 12]!r}",
            "expected": [expected] if expected else [],
        }
    )


def check_generation(subject: LinkSubject, unit: Unit, found: Experiment) -> None:
    """Draw the unit's replies, judge them, and record what that shows."""
    options = subject.options
    for number in range(unit.number * PER_UNIT, unit.number * PER_UNIT + unit.amount):
        text, is_whole = subject.drawer.draw(options.max_tokens, options.seed, number)
        if not is_whole:
            found.count("no end found")
            continue
        if not subject.reads(text):
            # Its characters are those of a special token's name, which a text has only as such.
            found.count("read otherwise as text")
            continue
        found.count("texts")
        if subject.ask(text, found, strict=False) is False:
            found.fail(text=text[:_SHOWN], problem="the judge refuses it")
            continue
        name = f"generated text {number + 1}"
        found.documents.append(Document(name, text, len(subject.encode(text))))


def _is_about_tokens(form: Any) -> bool:
    """Return whether it matters to some format of a tag how a text is cut into tokens."""
    if isinstance(form, Mapping):
        return form.get("type") in _OF_TOKENS or any(
            bool(inner) if key in _COUNTED else key != "json_schema" and _is_about_tokens(inner)
            for key, inner in form.items()
        )
    return isinstance(form, list) and any(map(_is_about_tokens, form))
