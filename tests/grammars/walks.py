"""Our own grammars: their parsers, their corpora, and walks over texts token by token."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from lark import Lark

from maskc import Artifact, allocate_bitmask
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.kinds import kind_of
from maskc.verify.mask_texts import GeneratedText
from tests.compiled import EVERY_BYTE, compile_kept
from tests.grammars.folder import GRAMMARS

CORPORA = Path(__file__).parent / "corpora"
N_WORDS = 200


def read_grammar(name: str) -> str:
    return (GRAMMARS / f"{name}.lark").read_text(encoding="utf-8")


def build_parser(name: str) -> Lark:
    return build_lark(load_source(GRAMMARS / f"{name}.lark"))


def read_corpus(name: str) -> dict[str, str]:
    """Return the texts of a corpus of ours by file name."""
    return {
        path.name: path.read_bytes().decode("utf-8")
        for path in sorted((CORPORA / name).iterdir())
        if path.is_file()
    }


def generate_texts(
    artifact: Artifact, *, count: int, max_tokens: int, seed: int
) -> Iterator[GeneratedText]:
    """Yield texts of an artifact of any kind, the same ones for the same seed."""
    drawer = kind_of(artifact.header).open_drawer(artifact, None)
    for number in range(count):
        yield drawer.draw_text(seed, number, max_tokens)


def compile_for(name: str, texts: Iterable[str]) -> Artifact:
    """Return a grammar's artifact for all bytes and the commonest words and signs of some texts."""
    pieces = Counter(piece for text in texts for piece in re.findall(r"[ ]?\w+|[^\w\s]+|\s+", text))
    words = [p.encode() for p, _ in sorted(pieces.items(), key=lambda item: (-item[1], item[0]))]
    words = [word for word in words if len(word) > 1][:N_WORDS]
    return compile_kept(read_grammar(name), (*EVERY_BYTE, *words))


def split(artifact: Artifact, data: bytes) -> list[int]:
    """Return the longest tokens from left to right."""
    ids = {artifact.token_bytes(i): i for i in range(artifact.vocab_size)}
    longest = max(len(token) for token in ids if token)
    tokens = []
    at = 0
    while at < len(data):
        size = next(n for n in range(longest, 0, -1) if data[at : at + n] in ids)
        tokens.append(ids[data[at : at + size]])
        at += size
    return tokens


def walk(artifact: Artifact, text: str) -> str:
    """Return ``ok``, or what is illegal: the token after some text, or the end."""
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher = artifact.matcher()
    written = b""
    for token in split(artifact, text.encode()):
        matcher.fill_bitmask(bitmask, 0)
        legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        if legal != matcher.accept_token(token):
            return f"mask and matcher differ after {written[-60:]!r}"
        if not legal:
            return f"{artifact.token_bytes(token)!r} after {written[-60:]!r}"
        written += artifact.token_bytes(token) or b""
    return "ok" if matcher.is_accepting else "end"


def generate(artifact: Artifact, *, count: int, max_tokens: int, seed: int = 0) -> list[str]:
    """Return texts drawn from the masks; each has an end, or the test fails."""
    texts = list(generate_texts(artifact, count=count, max_tokens=max_tokens, seed=seed))
    assert [text.problem for text in texts] == [None] * count
    return [text.text for text in texts]
