"""Small grammars compiled for small vocabularies, and what their masks say."""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from maskc import Artifact, MaskcError, Matcher, allocate_bitmask
from maskc.compiler.optimise.order import STEPS
from maskc.compiler.pipeline import compile_contents
from maskc.explain import Explanation, TokenName
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.kinds import kind_of
from maskc.vocab.vocabulary import Vocabulary
from tests.kept import keep
from tests.random_grammars import draw_grammar

EVERY_BYTE = tuple(bytes([b]) for b in range(256))


def compile_text(
    text: str, tokens: tuple[bytes, ...] = EVERY_BYTE, up_to: str = STEPS[-1], **settings: str
) -> Artifact:
    """Return the artifact of a grammar; the id after the tokens ends the sequence."""
    source = load_source(text if "\n" in text else f"{text}\n", **settings)
    vocabulary = Vocabulary(tokens=(*tokens, None), eos_ids=(len(tokens),), name="test")
    return Artifact(compile_contents(source, vocabulary, up_to=up_to)[0])


def compile_kept(text: str, tokens: tuple[bytes, ...] = EVERY_BYTE, **settings: str) -> Artifact:
    """Return the same as :func:`compile_text` for a large grammar, compiled once (``kept.py``)."""
    return keep(
        lambda: compile_text(text, tokens, **settings), text, tokens, sorted(settings.items())
    )


def draw_readable_grammar(draw: Random) -> tuple[str, str] | None:
    """Return a random grammar and its alphabet, ``None`` if it is refused."""
    text, alphabet = draw_grammar(draw)
    try:
        build_lark(load_source(text))
    except MaskcError:
        return None
    return text, alphabet


def matcher_at(artifact: Artifact, prefix: bytes | str) -> Matcher:
    """Return a matcher after a prefix, which must be legal."""
    matcher = artifact.matcher()
    data = prefix.encode() if isinstance(prefix, str) else prefix
    assert matcher.accept_bytes(data), f"{data!r} is no legal prefix"
    return matcher


def legal_ids(matcher: Matcher, vocab_size: int) -> set[int]:
    """Return the set bits of the matcher's mask."""
    bitmask = allocate_bitmask(1, vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    assert not bits[vocab_size:].any()
    return set(np.flatnonzero(bits).tolist())


def legal_tokens(artifact: Artifact, prefix: bytes | str = b"") -> set[bytes | None]:
    """Return the legal tokens after a prefix; ``None`` stands for the end of the sequence."""
    ids = legal_ids(matcher_at(artifact, prefix), artifact.vocab_size)
    return {artifact.token_bytes(i) for i in ids}


def accepts(artifact: Artifact, text: str) -> bool:
    """Return whether the whole text is accepted, and the end after it."""
    matcher = artifact.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def explain(
    artifact: Artifact,
    text: bytes,
    asked: TokenName | None = None,
    resources: Mapping[str, Any] | None = None,
) -> Explanation:
    """Return what may come next after a text of an artifact of any kind."""
    return kind_of(artifact.header).explain(artifact, text, asked, resources)
