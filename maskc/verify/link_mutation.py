"""Experiments 4 and 5 of a structural tag or of tools: other cuts of a reply, and other replies.

4. *segmentation*: a reply that is cut into tokens at random leads to the same configuration as the
   model's own tokens. Special tokens stay what they are.
5. *mutation*: a reply is changed by a character, or by the name of a special token. The artifact
   must refuse what the judge refuses, and take what the judge takes for sure.

Example: ``<tool_call>`` without its last character is text, and a call after it is none.
"""

from __future__ import annotations

from random import Random

from maskc.runtime.link.plan.replies import cut_reply, encode_reply
from maskc.verify.link import LinkSubject
from maskc.verify.model import Experiment, Unit

PER_DOCUMENT = 5  # cuts, or mutations, of one document
MOST_CHARACTERS = 5_000  # of those that are changed; longer texts if there are no other
_SHOWN = 400  # characters of a witness

_KINDS = ("deleted", "doubled", "swapped")
COUNTS = ("mutated texts", *_KINDS, "accepted", "refused")


def check_cuts(subject: LinkSubject, unit: Unit, found: Experiment) -> None:
    """Check some cuts of the unit's reply."""
    document, draw = unit.about, Random(unit.seed)
    if subject.is_about_tokens:
        found.count("not compared, since the tag is about tokens")
        return
    own = subject.artifact.matcher()
    # Where the model's own tokens are illegal, the corpus fails.
    tokens = subject.encode(document.text)
    if own.accept_tokens(tokens) < len(tokens):
        return

    def cut(text: str) -> list[int]:
        tokens = subject.segments.draw(text.encode(), draw)
        if tokens is None:
            raise ValueError("the model's own tokens are a cut of the text, and none was found")
        return tokens

    for _ in range(unit.amount):
        other = subject.artifact.matcher()
        drawn = encode_reply(document.text, subject.names, cut)
        n_taken = other.accept_tokens(drawn)
        found.count("stretches")
        found.count("tokens of random cuts", len(drawn))
        if n_taken < len(drawn):
            token = repr(subject.artifact.token_bytes(drawn[n_taken]))
            found.fail(what="a token of another cut is refused", file=document.name, token=token)
        elif own.configuration() != other.configuration():
            found.fail(what="two cuts of the text lead apart", file=document.name)


def check_mutations(subject: LinkSubject, unit: Unit, found: Experiment) -> None:
    """Check some mutations of the unit's reply."""
    document, draw = unit.about, Random(unit.seed)
    for name in COUNTS:
        found.count(name, 0)
    by_id = {token: name for name, token in subject.names.items()}
    signs: list[str] = []
    for part in cut_reply(document.text, subject.names):
        signs += [by_id[part]] if isinstance(part, int) else part
    for _ in range(unit.amount):
        place, kind = draw.randrange(len(signs)), draw.choice(_KINDS)
        _check(subject, document.name, signs, place, kind, found)


def _check(
    subject: LinkSubject, name: str, signs: list[str], place: int, kind: str, found: Experiment
) -> None:
    before, sign, after = signs[:place], signs[place], signs[place + 1 :]
    changed = {
        "deleted": after,
        "doubled": [sign, sign, *after],
        "swapped": [*after[:1], sign, *after[1:]],
    }
    text = "".join([*before, *changed[kind]])
    is_accepted = subject.reads(text)
    found.count("mutated texts")
    found.count(kind)
    found.count("accepted" if is_accepted else "refused")
    if is_accepted and subject.ask(text, found, strict=False) is False:
        what = "a reply that the judge refuses is accepted"
    elif not is_accepted and subject.ask(text, found, strict=True):
        what = "a reply that the judge takes is refused"
    else:
        return
    start = sum(map(len, before))
    found.fail(
        what=what,
        file=name,
        mutation=f"{sign!r} at character {start} is {kind}",
        text=text[max(0, start - _SHOWN // 2) :][:_SHOWN],
    )
