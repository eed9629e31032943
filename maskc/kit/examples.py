"""Example texts of a schema or of tools in their artifact: what a server follows before it serves.

They are texts of the artifact from their start, as tokens, the likeliest first, and change no mask:
:meth:`maskc.Artifact.prepare` follows them. The compiler cuts a text into the longest tokens,
since it need not have the tokenizer's own program; a mask after a text is the same however the text
was cut.

Example: the artifact of ``{"type": "boolean"}`` has the text ``true``, in llama3 the token 1904.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.sections import EXAMPLES
from maskc.errors import FormatError, LimitError, SchemaError
from maskc.kit.constraint import Constraint
from maskc.kit.documents import FORMATS, MOST_STEPS, write_documents
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link import cut_reply
from maskc.tags.families import Tool, load_family, render
from maskc.tags.tools import read_choice, read_tools
from maskc.vocab.vocabulary import Vocabulary

if TYPE_CHECKING:
    from maskc.kit.kit import Kit


_SOME_JSON = '{"a": "x\\u00e9é€😀", "n": 12, "b": [1.5, null, {"c": true}]}'
_SCHEMAS: tuple[Any, ...] = (
    {},
    {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}},
    {"type": "string", "pattern": "^[^/]*$"},
    {"type": "string", "pattern": "^[a-z]*$"},
)
# What a class of Unicode is in bytes is known to a process from then on, and what a loop reads that
# a count has room for beside any token is known to the kit.
PATTERNS = {
    r".*x": "abx",
    r"\w{1,99}\W{1,99}": "ab, ",
    r"\w{1,99}": "ab",
    r"\d+\s+": "1 ",
    r".{1,99}": "ab",
    r"[a-z]{1,99}": "ab",
}
_ARGUMENTS = {
    "text": "a b",
    "name": "a b",
    "count": 12,
    "size": 1.5,
    "flag": True,
    "list": ["a", "b"],
}
TOOL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "name": {"type": "string", "maxLength": 99},
        "count": {"type": "integer"},
        "size": {"type": "number"},
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["text"],
}
FAMILIES = ("qwen_3", "qwen_3_coder")  # one with JSON, one with parameters


def prepare(kit: Kit) -> None:
    """Compute what all requests to a kit share, before the first one.

    A text of each kind is followed, with the mask before each byte: what strings, patterns, formats
    and calls of tools read of the vocabulary is then known to all requests that ask the same. The
    first call of a server takes half the time where some other call was followed before.
    """
    # What most requests share comes last: what many patterns read may evict what came before.
    for pattern, matched in PATTERNS.items():
        _follow(kit.regex(pattern), cut(matched, {}))
    for name, value in FORMATS.items():
        _follow(kit.json_schema({"type": "string", "format": name}), cut(f'"{value}"', {}))
    text = {"type": "structural_tag", "format": {"type": "any_text"}}
    _follow(kit.structural_tag(text), [])
    for schema in _SCHEMAS:
        _follow(kit.json_schema(schema), cut(_SOME_JSON, {}))
    for family in FAMILIES:
        calls = kit.tools([{"name": "f", "parameters": TOOL}], family=family)
        _follow(calls, cut(some_call(family), kit.tokens.special_ids))


def some_call(family: str) -> str:
    """Return a call of a tool with an argument of each kind, as a family of models writes it."""
    tool = Tool("f", TOOL, "")
    form = load_family(family).describe([tool], "auto", parallel=True, reasoning=False)
    return render(form, _ARGUMENTS)


def cut(text: str, special_ids: Mapping[str, int]) -> list[bytes | int]:
    """Return the bytes of a text one by one, but special tokens by their ids.

    >>> cut("ab<s>", {"<s>": 7, "<": 8})
    [b'a', b'b', 7]
    """
    found = list[bytes | int]()
    for part in cut_reply(text, special_ids):
        found += [part] if isinstance(part, int) else [bytes([b]) for b in part.encode()]
    return found


def _follow(constraint: Constraint, text: list[bytes | int]) -> None:
    """Ask for the mask before each byte or token, and at the end; what is illegal is left out."""
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    matcher = constraint.matcher()
    for one in text:
        matcher.fill_bitmask(bitmask, 0)
        if isinstance(one, int):
            matcher.accept_token(one)
        else:
            matcher.accept_bytes(one)
    matcher.fill_bitmask(bitmask, 0)


_CACHE_BYTES = 32 * 1024 * 1024
# Of calls: a server follows them within a second.
_MOST_TOKENS = 20_000
# That calls are drawn for: where none is found, that takes as long.
_MOST_TOOLS = 200


def add_documents(contents: Contents, schema: Any, vocabulary: Vocabulary) -> Contents:
    """Return the artifact of a schema, parsed JSON, with documents as examples."""
    artifact = _open(contents)
    texts = ([text] for text in write_documents(schema, artifact.matcher))
    return add_examples(contents, list(_list_legal(artifact, texts, vocabulary)))


def add_calls(
    contents: Contents,
    kit: Kit,
    vocabulary: Vocabulary,
    tools: Any,
    *,
    family: str,
    choice: Any,
    parallel: bool,
    reasoning: bool,
    strict: bool = False,
) -> Contents:
    """Return the artifact of tools with calls as examples; see :meth:`maskc.kit.kit.Kit.tools`."""
    form, chosen = read_choice(choice, read_tools(tools, strict=strict))
    found: list[list[int]] = []
    if form != "none":
        artifact, writer = _open(contents), load_family(family)
        for tool in chosen[:_MOST_TOOLS]:
            tag = writer.describe([tool], form, parallel=parallel, reasoning=reasoning)
            calls = (
                cut_reply(render(tag, arguments), vocabulary.special_ids)
                for arguments in _list_arguments(kit, tool.schema)
            )
            found += _list_legal(artifact, calls, vocabulary)
            if sum(map(len, found)) > _MOST_TOKENS:
                break
    return add_examples(contents, found)


def _list_arguments(kit: Kit, schema: Any) -> Iterator[dict[str, Any]]:
    try:
        texts = write_documents(schema, kit.json_schema(schema).matcher)
    except (LimitError, SchemaError):
        return  # as JSON; as parameters it was compiled
    for text in texts:
        with suppress(ValueError):
            found = json.loads(text)
            if isinstance(found, dict):
                yield found


def _open(contents: Contents) -> Artifact:
    # What was made when it was compiled is left to who opens it first.
    unmade = replace(contents, made=list(contents.made))
    return Artifact(unmade, cache_bytes=_CACHE_BYTES, steps=MOST_STEPS)


def _list_legal(
    artifact: Artifact, texts: Iterable[Iterable[bytes | str | int]], vocabulary: Vocabulary
) -> Iterator[list[int]]:
    """Yield the tokens of texts as far as they are legal, with the end if a text may end there.

    A text is parts of it, a special token by its id.
    """
    cutter = _cutter_of(vocabulary)
    for text in texts:
        tokens: list[int] = []
        for part in text:
            data = part.encode() if isinstance(part, str) else part
            tokens += [data] if isinstance(data, int) else cutter.cut(data)
        try:
            matcher = artifact.matcher()
            n_legal = matcher.accept_tokens(tokens)
            is_whole = n_legal == len(tokens) and matcher.is_accepting
        except (FormatError, LimitError):
            continue
        if n_legal:
            yield [*tokens[:n_legal], *artifact.eos_ids[: int(is_whole)]]


@lru_cache(maxsize=2)
def _cutter_of(vocabulary: Vocabulary) -> TokenCutter:
    return TokenCutter(vocabulary.tokens)


def add_examples(contents: Contents, texts: Sequence[Sequence[int]]) -> Contents:
    """Return an artifact with example texts, given as token ids; of none, as it is."""
    if not texts:
        return contents
    arrays: dict[str, NDArray[Any]] = {
        "example_first": np.cumsum([0, *map(len, texts)]).astype(np.int32),
        "example_tokens": np.array([token for text in texts for token in text], dtype=np.int32),
    }
    header = {**contents.header, EXAMPLES: len(texts)}
    return replace(contents, header=header, arrays={**contents.arrays, **arrays})


class TokenCutter:
    """Cuts texts into the longest tokens of a vocabulary.

    Args:
        tokens: by id, ``None`` or empty for those that write no text.
    """

    def __init__(self, tokens: Iterable[bytes | None]) -> None:
        self._ids: dict[bytes, int] = {}
        for token_id, token in enumerate(tokens):
            if token:
                self._ids.setdefault(token, token_id)
        # Without longer ones a text is cut into more tokens, and as legal.
        self._longest = min(32, max(map(len, self._ids), default=0))

    def cut(self, text: bytes) -> list[int]:
        """Return the tokens of a text, up to a byte that none begins with.

        >>> TokenCutter([b"a", b"ab", b"c"]).cut(b"abcad")
        [1, 2, 0]
        """
        found: list[int] = []
        at = 0
        while at < len(text):
            longest = min(self._longest, len(text) - at)
            lengths = (n for n in range(longest, 0, -1) if text[at : at + n] in self._ids)
            n = next(lengths, 0)
            if not n:
                break
            found.append(self._ids[text[at : at + n]])
            at += n
        return found
