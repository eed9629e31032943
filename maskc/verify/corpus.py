"""Experiment 1: is every text that Lark parses accepted, token by token, and no other?

Each file is tokenised as the model's tokenizer does it. If Lark parses the file, each next token
must be legal and the end must be legal after the last one. If Lark refuses it, the walk must
get stuck, or the end must be illegal; the text is named, with the place and what Lark expected
there. A unit is a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from maskc.errors import TokenizerError
from maskc.runtime.artifact import Artifact
from maskc.verify.model import Document, Experiment, Unit, legality, place_of
from maskc.verify.subject import Subject


def walk_file(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Walk the unit's file, and record what it shows."""
    document = unit.about
    try:
        tokens = subject.encode(document.text)
    except TokenizerError:
        found.count("skipped, not in the vocabulary")
        return
    refusal = subject.find_refusal(document.text)
    parsed = refusal is None
    if refusal is not None:
        found.refused.append(refusal.to_dict(document.name))
    found.count("files")
    found.count("non-ASCII files", int(not document.text.isascii()))
    walk_document(subject.artifact, document, tokens, found, parsed=parsed)
    if parsed:
        found.documents.append(replace(document, n_tokens=len(tokens)))


def walk_document(
    artifact: Artifact,
    document: Document,
    tokens: Iterable[int],
    found: Experiment,
    *,
    parsed: bool,
) -> None:
    """Walk a text that Lark parses, or does not, and record what it shows."""
    found.count("files that Lark parses" if parsed else "files that Lark refuses")
    matcher = artifact.matcher()
    n_written = 0
    stuck: int | None = None
    for token in tokens:
        if not matcher.accept_token(token):
            stuck = token
            break
        n_written += len(artifact.token_bytes(token) or b"")
        found.count("tokens")
    accepted = stuck is None and matcher.is_accepting
    if accepted == parsed:
        return
    if stuck is not None:
        what = "a token is illegal in a text that Lark parses"
        found.count("illegal tokens")
    elif parsed:
        what = "the end is illegal after a text that Lark parses"
    else:
        what = "a text that Lark refuses is accepted"
    found.fail(
        what=what,
        file=document.name,
        **place_of(document.data, n_written),
        token="the end" if stuck is None else repr(artifact.token_bytes(stuck)),
        maskc=legality(is_legal=accepted),
        lark="parses the text" if parsed else "refuses the text",
    )
