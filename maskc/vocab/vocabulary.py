"""The tokens of a model as exact bytes, and which of them end the output.

A *vocabulary* maps each token id to the bytes that the token writes, or to ``None`` if it never
writes text: special tokens (``<|eot_id|>``), added tokens that are written like markers
(:class:`AddedTokens`), unknown and unused pieces, padding. Some of the ``None`` ids end the
output.

Two vocabularies with equal fingerprints have equal masks for every grammar; the name plays no
part in it, so a copy of a tokenizer in another folder is still the same tokenizer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from maskc.arguments import as_items, as_one_of, describe
from maskc.errors import TokenizerError, WrongTypeError

CHOICES = ("form", "text", "atoms")
_BLANKS = " \t\r\n\f\v\u2581"
_MARKER = re.compile(
    r"<(?:[|｜]|/?[^\W\d_]).*"
    r"|\[/?[^\W\d_][^\[\]]*\]"
    r"|([|｜])[^\W\d_].*\1",
    re.DOTALL,
)
_MOST_NAMED = 5


class AddedToken(NamedTuple):
    """An added token that is not special."""

    text: str  # as the tokenizer finds it in a text; what it is called
    data: bytes  # the bytes that it writes, where it is text


@dataclass(frozen=True, slots=True)
class AddedTokens:
    """How added tokens that are not special are taken.

    One that is written like a marker (docs/tokenizers.md) is an *atom*: never part of a text, but a
    structural tag can name it. All others are text. What the author of a tokenizer means is not
    written in its file, so a caller can choose otherwise.

    Attributes:
        choice: ``form``: those that are written like markers are atoms, all others text; ``text``:
            all are text; ``atoms``: none is.
        text: tokens that are text whatever the choice is, each by its text or its id.
        atoms: tokens that are atoms, likewise.

    >>> AddedTokens(text=("<b>", "</b>")).choice
    'form'
    """

    choice: str = "form"
    text: tuple[str | int, ...] = ()
    atoms: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        as_one_of("choice", self.choice, CHOICES)
        for what, tokens in (("text", self.text), ("atoms", self.atoms)):
            for token in as_items(what, tokens):
                if not isinstance(token, str | int) or isinstance(token, bool):
                    fact = f"a token of {what} must be a str or an int, not {describe(token)}"
                    raise WrongTypeError(fact)


USUAL = AddedTokens()


def choose_text(
    name: str, added: Mapping[int, AddedToken], how: AddedTokens = USUAL
) -> frozenset[int]:
    """Return the added tokens that are text.

    Raises:
        TokenizerError: a token that the caller names is none of them, or is named as both.

    >>> sorted(choose_text("x", {7: AddedToken("  ", b"  "), 8: AddedToken("<b>", b"<b>")}))
    [7]
    """
    text, atoms = (_find_all(name, added, named) for named in (how.text, how.atoms))
    if text & atoms:
        both = added[min(text & atoms)].text
        raise TokenizerError(
            name, f"its token {both!r} is named as text and as an atom", "name it as one of them"
        )
    if how.choice == "form":
        chosen = {token for token, (written, _) in added.items() if not is_marker(written)}
    else:
        chosen = set(added) if how.choice == "text" else set()
    return frozenset(chosen | text) - atoms


def is_marker(text: str) -> bool:
    """Whether a token is written like a marker: see docs/tokenizers.md.

    >>> is_marker("<think>"), is_marker("<="), is_marker("    ")
    (True, False, False)
    """
    return _MARKER.fullmatch(text.strip(_BLANKS)) is not None


def list_ranges(ids: Iterable[int]) -> list[list[int]]:
    """Return the first and the last of each run of ids, increasing.

    >>> list_ranges([5, 7, 6, 9])
    [[5, 7], [9, 9]]
    """
    ranges: list[list[int]] = []
    for token in sorted(ids):
        if ranges and ranges[-1][1] == token - 1:
            ranges[-1][1] = token
        else:
            ranges.append([token, token])
    return ranges


def _find_all(
    name: str, added: Mapping[int, AddedToken], named: Iterable[str | int]
) -> frozenset[int]:
    ids = {token.text: token_id for token_id, token in added.items()}
    return frozenset(_find(name, added, ids, token) for token in named)


def _find(
    name: str, added: Mapping[int, AddedToken], ids: Mapping[str, int], token: str | int
) -> int:
    if isinstance(token, str) and token in ids:
        return ids[token]
    # A command line has no numbers; more digits than these are no id.
    if isinstance(token, str) and token.isascii() and token.isdigit() and len(token) < 10:
        token = int(token)
    if isinstance(token, int) and token in added:
        return token
    some = ", ".join(repr(found.text[:20]) for _, found in sorted(added.items())[:_MOST_NAMED])
    raise TokenizerError(
        name,
        f"{token!r} is not one of its added tokens that are not special",
        f"name one of them ({some}{', …' * (len(added) > _MOST_NAMED)}) or give its id"
        if some
        else "it has none, so leave the option out",
    )


# Far above any model's size; a hostile file must not make us allocate by the ids it invents.
MAX_TOKENS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A vocabulary, padding included."""

    # bytes of each token; None for ids that are never matched as text
    tokens: tuple[bytes | None, ...] = field(repr=False)
    # ids that end the output, increasing; at least one, each None in tokens
    eos_ids: tuple[int, ...]
    name: str  # what the user asked for; never a full path
    # the special tokens and the atoms by name, as far as the tokenizer names them; each is None in
    # tokens
    special_ids: Mapping[str, int] = field(default_factory=dict, repr=False)
    # the added tokens that are not special → what each writes where it is text; it is text or an
    # atom in tokens
    added: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    # what the tokenizer does to texts that a user should know, a sentence each
    notes: tuple[str, ...] = field(default=(), repr=False)
    fingerprint: str = field(init=False)  # SHA-256, in hexadecimal, over tokens and ends
    n_texts: int = field(init=False, repr=False)  # number of tokens that have bytes

    def __post_init__(self) -> None:
        if not self.eos_ids or list(self.eos_ids) != sorted(set(self.eos_ids)):
            raise ValueError("eos_ids must be increasing and not empty")
        if self.eos_ids[0] < 0 or self.eos_ids[-1] >= len(self.tokens):
            raise ValueError(f"eos_ids must be below {len(self.tokens)}")
        if any(self.tokens[i] is not None for i in self.eos_ids):
            raise ValueError("an end-of-sequence token must not have bytes")
        if any(self.tokens[i] is not None for i in self.special_ids.values()):
            raise ValueError("a special token must not have bytes")
        if any(self.tokens[i] not in (None, data) for i, data in self.added.items()):
            raise ValueError("an added token must have its own bytes or none")
        if b"" in self.tokens:
            raise ValueError("a token with bytes must have at least one")
        object.__setattr__(self, "n_texts", len(self.tokens) - self.tokens.count(None))
        object.__setattr__(self, "fingerprint", _compute_fingerprint(self.tokens, self.eos_ids))

    @property
    def vocab_size(self) -> int:
        """Number of ids, padding included: the width of a mask in bits."""
        return len(self.tokens)

    def describe(self) -> dict[str, Any]:
        """Return the entry ``tokenizer`` of a header."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "vocab_size": self.vocab_size,
            "eos_ids": list(self.eos_ids),
            "n_tokens": self.n_texts,
            **self.describe_added(),
        }

    def describe_added(self) -> dict[str, Any]:
        """Return what a header says of the added tokens that are not special; empty: none.

        ``added_tokens`` has ``text`` and ``atoms``, each as ranges of ids, first and last.
        """
        if not self.added:
            return {}
        text = {token for token in self.added if self.tokens[token] is not None}
        atoms = set(self.added) - text
        return {"added_tokens": {"text": list_ranges(text), "atoms": list_ranges(atoms)}}

    def take_added(self, is_text: Callable[[int], bool]) -> Vocabulary:
        """Return the vocabulary whose added tokens are text where a function says so.

        So is an artifact's choice found again, however it was made.
        """
        tokens = list(self.tokens)
        for token, data in self.added.items():
            tokens[token] = data if is_text(token) and token not in self.eos_ids else None
        if tuple(tokens) == self.tokens:
            return self
        specials = {text: token for text, token in self.special_ids.items() if not tokens[token]}
        return Vocabulary(tuple(tokens), self.eos_ids, self.name, specials, self.added, self.notes)


@dataclass(frozen=True, slots=True)
class TokenizerTokens:
    """What a tokenizer file says, before the caller's choices are applied."""

    tokens: tuple[bytes | None, ...]  # as in Vocabulary, without padding; `b""` may still occur
    eos_ids: tuple[int, ...]  # as the file defines them, in any order; empty if it names none
    # the special and added tokens that the file names
    special_ids: Mapping[str, int] = field(default_factory=dict)
    # the added tokens that are not special; each is None in tokens
    added: Mapping[int, AddedToken] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # as in Vocabulary


def build_vocabulary(
    name: str,
    table: TokenizerTokens,
    *,
    vocab_size: int | None = None,
    eos_ids: tuple[int, ...] | None = None,
    added_tokens: AddedTokens = USUAL,
) -> Vocabulary:
    """Return the vocabulary of a table, padded, with the caller's end-of-sequence ids if given.

    Raises:
        TokenizerError: ``vocab_size`` is smaller than the number of tokens or absurdly large, an
            end-of-sequence id is not below the size, or there is none at all; ``added_tokens``
            names a token that is none.

    >>> table = TokenizerTokens((b"a", None), (1,))
    >>> build_vocabulary("tiny", table, vocab_size=4).tokens
    (b'a', None, None, None)
    """
    size = len(table.tokens) if vocab_size is None else vocab_size
    if size < len(table.tokens):
        raise TokenizerError(
            name,
            f"vocabulary size {size} is smaller than its {len(table.tokens)} tokens",
            f"give at least {len(table.tokens)}",
        )
    if size > MAX_TOKENS:
        raise TokenizerError(
            name, f"vocabulary size {size} is too large", f"give at most {MAX_TOKENS}"
        )
    ends = tuple(sorted(set(table.eos_ids if eos_ids is None else eos_ids)))
    if not ends:
        raise TokenizerError(
            name,
            "it names no end-of-sequence token",
            "name it in a tokenizer_config.json beside a tokenizer.json, or give its id with "
            "--eos ID (eos_ids= in Python)",
        )
    for end in ends:
        if not 0 <= end < size:
            raise TokenizerError(
                name,
                f"end-of-sequence id {end} is outside the vocabulary of {size} ids",
                "give the model's padded vocabulary size, or other eos_ids",
            )
    tokens: list[bytes | None] = [token or None for token in table.tokens]
    tokens += [None] * (size - len(tokens))
    # A token that writes nothing would never end.
    added = {i: token.data for i, token in table.added.items() if token.data and i not in ends}
    for token_id in choose_text(name, table.added, added_tokens) & set(added):
        tokens[token_id] = added[token_id]
    for end in ends:
        tokens[end] = None
    specials = {text: token for text, token in table.special_ids.items() if tokens[token] is None}
    return Vocabulary(tuple(tokens), ends, name, specials, added, table.notes)


def build_byte_table() -> TokenizerTokens:
    """Return the built-in ``bytes`` vocabulary: 256 single bytes, and id 256 ends the output."""
    return TokenizerTokens((*(bytes([byte]) for byte in range(256)), None), (256,))


def order_tokens(name: str, by_id: Mapping[int, bytes | None]) -> tuple[bytes | None, ...]:
    """Return the tokens in order of their ids; ids that are not there become ``None``.

    Raises:
        TokenizerError: there are no tokens, or an id is negative or absurdly large.
    """
    if not by_id:
        raise TokenizerError(name, "it has no tokens", "give a complete tokenizer file")
    for bad in (min(by_id), max(by_id)):
        if not 0 <= bad < MAX_TOKENS:
            raise TokenizerError(
                name, f"token id {bad} is not in 0 … {MAX_TOKENS - 1}", "give an undamaged file"
            )
    tokens: list[bytes | None] = [None] * (max(by_id) + 1)
    for token_id, token in by_id.items():
        tokens[token_id] = token
    return tuple(tokens)


def _compute_fingerprint(tokens: tuple[bytes | None, ...], eos_ids: tuple[int, ...]) -> str:
    """Hash counts, end ids, and each token after its length + 1, where 0 means ``None``."""
    numbers = [len(tokens), len(eos_ids), *eos_ids]
    parts = [b"maskc vocabulary 1\n", *(number.to_bytes(4, "little") for number in numbers)]
    for token in tokens:
        if token is None:
            parts.append(b"\0\0\0\0")
        else:
            parts.append((len(token) + 1).to_bytes(4, "little"))
            parts.append(token)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def quote_bytes(data: bytes) -> str:
    r"""Return what tokens write as a literal: a text on one line, bytes where it is none.

    >>> print(quote_bytes(bytes([97, 10])), quote_bytes(bytes([195])))
    'a\n' b'\xc3'
    """
    try:
        return repr(data.decode())
    except UnicodeDecodeError:
        return repr(data)
