"""What may come next after a text of a structural tag, or of tools?

The masks say what is legal; where a text dies is said, and not of which part of the tag. Names of
special tokens in the text are those tokens.

Example: after ``<tool_call>`` of ``qwen_3`` the next bytes are forced up to the tool's name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from maskc.explain.link_groups import group_link
from maskc.explain.model import Death, Explanation, TokenVerdict
from maskc.explain.questions import TokenName, describe_next, find_token, list_legal
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.plan.replies import cut_reply, names_of
from maskc.runtime.matcher import Matcher


def explain_link(
    artifact: Artifact, text: bytes, asked: TokenName | None = None
) -> Explanation[Death]:
    """Return what may come next after a text.

    Raises:
        ValueError: there is no token of that id.
    """
    matcher = artifact.matcher()
    here, death = _read(artifact, matcher, text)
    if death is not None:
        return Explanation(text, artifact.header["tokenizer"]["n_tokens"], death)
    groups = group_link(artifact, here, list_legal(artifact, matcher))
    found: Explanation[Death] = replace(describe_next(artifact, text, matcher), groups=groups)
    if asked is None:
        return found
    token_id, token = find_token(artifact, asked)
    if token_id is not None:
        is_legal = token_id in list_legal(artifact, matcher)
        death = None if is_legal or token is None else _step(matcher, token, 0)
        return replace(found, token=TokenVerdict(token_id, token, is_legal, death))
    death = _step(matcher, token or b"", 0)
    return replace(found, token=TokenVerdict(None, token, death is None, death))


def _read(
    artifact: Artifact, matcher: Matcher, text: bytes
) -> tuple[tuple[Any, ...], Death | None]:
    """Move a matcher along a text; return where that leads, and where it dies if it does."""
    machine = artifact.machine
    names = names_of(artifact.header)
    by_id = {token: name for name, token in names.items()}
    here, offset = machine.start(), 0
    for part in cut_reply(text.decode(errors="surrogateescape"), names):
        if isinstance(part, int):
            name = by_id[part].encode()
            if not matcher.accept_token(part):
                return (), Death(offset, name[0], ())
            here = () if matcher.is_terminated else machine.take(here, part)
            offset += len(name)
            continue
        data = part.encode(errors="surrogateescape")
        death = _step(matcher, data, offset)
        if death is not None:
            return (), death
        for byte in data:
            here = machine.step(here, bytes([byte]))
        offset += len(data)
    return here, None


def _step(matcher: Matcher, data: bytes, offset: int) -> Death | None:
    for place, byte in enumerate(data):
        if not matcher.accept_bytes(bytes([byte])):
            return Death(offset + place, byte, ())
    return None
