"""Does an artifact of a JSON Schema keep its promise? The judge is the package ``jsonschema``.

1. *corpus*: each file is read as JSON and judged. A text that is accepted is JSON without a key
   twice, and its value is valid; a valid value is accepted as compact JSON, token by token, and an
   invalid one is not.
2. *generation*: texts drawn from the masks can be ended, and their values are valid.

Example: with ``{"type": "null"}`` the file ``null`` is accepted, and a file ``3`` must not be.

Limits: the judge reads fewer formats than we assert, other numbers than the layout ``plain`` has
and keys in any order, and no numbers of more than 4,000 digits; where a schema has formats or the
layout asks for more, only what is accepted is judged. It reads patterns as Python's ``re`` does.
Schemas that refer to other documents are not judged, as the artifact does not carry them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from maskc.errors import MissingPackageError, SchemaError
from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import Matcher, allocate_bitmask
from maskc.runtime.schema.powers import decimal
from maskc.runtime.schema.values import number_value
from maskc.verify.files import choose_files, find_corpus, read_text
from maskc.verify.model import Experiment, VerifyOptions, VerifyReport
from maskc.vocab import Encoder

_MOST_SEARCHED = 3_000  # configurations, for one end
_MOST_DIGITS = 4_000  # of a number, written out
_QUOTE, _BACKSLASH = b'"', 0x5C
_CLOSES = (b"}", b"]")
_BYTES = (_QUOTE, *(bytes([byte]) for byte in range(0x20, 0x7F)))
_INSIDE = tuple(bytes([byte]) for byte in range(0x80, 0x100))

Encode = Callable[[str], Iterable[int]]


class NotJsonError(ValueError):
    """A text is no JSON, or has a key twice in one object."""


class NotJudgedError(ValueError):
    """A number has more digits than the judge reads."""


class Judge:
    """Says whether a text's value is valid.

    Args:
        artifact: of a JSON Schema.

    Raises:
        MissingPackageError: the package is not installed.
        SchemaError: a number of the schema has more digits than the judge reads.
    """

    def __init__(self, artifact: Artifact, resources: Mapping[str, Any] | None = None) -> None:
        try:
            from jsonschema.validators import Draft202012Validator, validator_for
            from referencing import Registry, Resource
            from referencing.exceptions import Unresolvable
            from referencing.jsonschema import DRAFT202012, specification_with
        except ImportError:
            raise MissingPackageError("jsonschema", "json-schema") from None
        text = artifact.header["grammar"]["text"]
        try:
            schema = json.loads(text, parse_float=_read_number, parse_int=_read_number)
        except NotJudgedError as error:
            raise SchemaError("", "", str(error), "verify it without such numbers") from None
        kind = validator_for(schema, default=Draft202012Validator)
        specification = DRAFT202012
        if isinstance(schema, dict) and "$schema" in schema:
            specification = specification_with(schema["$schema"], default=DRAFT202012)
        # With a registry of its own the judge fetches nothing.
        registry: Any = Registry().with_resources(
            (uri, Resource.from_contents(_load(other), default_specification=specification))
            for uri, other in (resources or {}).items()
        )
        self._validator = kind(schema, registry=registry)
        self._unresolvable = Unresolvable
        layout = artifact.header["schema_layout"]
        # Whether every valid value is accepted, if it is written as compact JSON.
        self.is_complete = (
            layout["key_order"] == "any"
            and layout["numbers"] == "usual"
            and not _has_format(schema)
        )

    def judge(self, value: Any) -> bool:
        """Return whether a value is valid.

        Raises:
            SchemaError: a reference leads to a document that was not given.
        """
        try:
            return bool(self._validator.is_valid(value))
        except self._unresolvable as error:
            raise SchemaError(
                "",
                "$ref",
                f"{error.ref!r} leads to a document that is not in the artifact",
                "give it with --resource, as when compiling",
            ) from None


def _load(other: Any) -> Any:
    """Return a document as the judge reads it."""
    text = other if isinstance(other, str | bytes) else json.dumps(other)
    return json.loads(text, parse_float=_read_number, parse_int=_read_number)


def _has_format(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "format" in schema or any(map(_has_format, schema.values()))
    return isinstance(schema, list) and any(map(_has_format, schema))


def read_json(text: str) -> Any:
    """Return the value of a text.

    Raises:
        NotJsonError: it is not JSON, or has a key twice.
        NotJudgedError: it has a number of too many digits.
    """
    try:
        value = json.loads(
            text,
            parse_float=_read_number,
            parse_int=_read_number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_twice,
        )
        write_value(value).encode()
    except NotJudgedError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from None
    return value


def _read_number(text: str) -> int | Fraction:
    """Return a number exactly: the judge computes with fractions as with floats."""
    _, sign, digits, exponent = number_value(text)
    if len(digits) + abs(exponent) > _MOST_DIGITS:
        raise NotJudgedError(f"has a number of more than {_MOST_DIGITS:,} digits, written out")
    value = Fraction(int(digits or 0)) * Fraction(10) ** exponent * (-1 if sign else 1)
    return int(value) if value.denominator == 1 else value


def write_value(value: Any) -> str:
    """Return a value of :func:`read_json` as compact JSON."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(k)}:{write_value(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(write_value, value))}]"
    if isinstance(value, Fraction):
        digits, exponent = decimal(abs(value)) or (0, -1)
        written = str(digits).rjust(1 - exponent, "0")
        return f"{'-' if value < 0 else ''}{written[:exponent]}.{written[exponent:]}"
    return json.dumps(value, ensure_ascii=False)


def _refuse_constant(name: str) -> None:
    raise NotJsonError(f"{name} is no JSON")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJsonError("a key is there twice")
    return found


def verify_schema_files(
    artifact: Artifact,
    paths: Sequence[str],
    options: VerifyOptions,
    load: Callable[[], Encoder],
    resources: Mapping[str, Any] | None = None,
) -> VerifyReport:
    """Return the outcome for the files of a corpus.

    Args:
        artifact: of a JSON Schema.
        paths: files and folders.
        options: how much to check.
        load: returns the tokenizer.
        resources: URI → the documents that the schema refers to.

    Raises:
        GrammarError: there is no such file.
        MissingPackageError: the judge is not installed.
    """
    corpus = find_corpus(paths, options.max_bytes)
    files = choose_files(corpus.files, options.files, options.seed)
    return verify_schema(
        artifact,
        ((str(path), read_text(path, options.max_bytes)) for path in files),
        load().encode,
        n_generated=options.texts,
        max_tokens=options.max_tokens,
        seed=options.seed,
        resources=resources,
    )


def verify_schema(
    artifact: Artifact,
    texts: Iterable[tuple[str, str]],
    encode: Encode,
    *,
    n_generated: int,
    max_tokens: int,
    seed: int,
    resources: Mapping[str, Any] | None = None,
) -> VerifyReport:
    """Return the outcome of both experiments.

    Args:
        artifact: of a JSON Schema.
        texts: names of files, and what they hold.
        encode: the tokenizer.
        n_generated: how many texts to draw; 0: none.
        max_tokens: after which a text is brought to its end.
        seed: of the random choices.
        resources: URI → the documents that the schema refers to.

    Raises:
        SchemaError: it refers to a document that is not given.
    """
    judge = Judge(artifact, resources)
    corpus = Experiment("corpus", "texts", lack="no file of the corpus is JSON")
    for name, text in texts:
        _check_text(artifact, judge, encode, name, text, corpus)
    if not n_generated:
        return VerifyReport((corpus,))
    generation = Experiment("generation", "texts", lack="no text came to an end in the search")
    for text, is_whole in draw_texts(artifact, n_generated, max_tokens, seed):
        if not is_whole:
            generation.count("no end found")
            continue
        generation.count("texts")
        problem = _judge_accepted(judge, text)
        if problem:
            generation.fail(text=text[:400], problem=problem)
    return VerifyReport((corpus, generation))


def _check_text(
    artifact: Artifact, judge: Judge, encode: Encode, name: str, text: str, corpus: Experiment
) -> None:
    if _takes(artifact, encode(text), corpus):
        problem = _judge_accepted(judge, text)
        if problem:
            corpus.fail(file=name, problem=f"it is accepted, and {problem}")
    try:
        value = read_json(text)
    except NotJsonError:
        corpus.count("not JSON")
        return
    except NotJudgedError:
        corpus.count("not judged")
        return
    corpus.count("texts")
    is_valid = judge.judge(value)
    corpus.count("valid" if is_valid else "invalid")
    taken = _takes(artifact, encode(write_value(value)), corpus)
    if taken and not is_valid:
        corpus.fail(file=name, problem="its value is accepted, and the judge finds it invalid")
    elif is_valid and not taken and judge.is_complete:
        corpus.fail(file=name, problem="its value is refused, and the judge finds it valid")


def _judge_accepted(judge: Judge, text: str) -> str | None:
    """Return what is wrong with a text that was accepted, ``None`` if nothing is."""
    try:
        value = read_json(text)
    except NotJsonError as error:
        return f"it is not JSON: {error}"
    except NotJudgedError:
        return None
    return None if judge.judge(value) else "the judge finds its value invalid"


def _takes(artifact: Artifact, tokens: Iterable[int], corpus: Experiment) -> bool:
    """Return whether all tokens are taken, each one as the mask before it has it, to an end."""
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    for token in tokens:
        matcher.fill_bitmask(bitmask, 0)
        is_legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        if matcher.accept_token(token) != is_legal:
            corpus.fail(token=token, problem="the mask and the matcher do not agree on it")
        if not is_legal:
            return False
    return matcher.is_accepting


def draw_texts(
    artifact: Artifact, count: int, max_tokens: int, seed: int
) -> Iterator[tuple[str, bool]]:
    """Yield texts drawn from the masks, and whether each came to an end.

    Args:
        artifact: whose masks are drawn from.
        count: how many texts.
        max_tokens: after which a text is brought to its end.
        seed: of the random choices.
    """
    first = artifact.first_bytes
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    words = _required_keys(json.loads(artifact.header["grammar"]["text"]))
    for number in range(count):
        draw = Random(f"{seed}:{number}")
        matcher, written = artifact.matcher(), bytearray()
        for _ in range(draw.randint(1, max_tokens)):
            if matcher.is_accepting and draw.random() < 0.2:
                break
            matcher.fill_bitmask(bitmask, 0)
            legal = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
            legal = legal[first[legal] >= 0]
            # Whatever a string may hold is most of a vocabulary: first what a token begins with.
            legal = legal[~np.isin(first[legal], list(b" \t\r\n"))]
            if not len(legal):
                break
            bytes_ = sorted(set(first[legal].tolist()))
            if bytes_[0] < 0x80 and draw.random() < 0.95:
                bytes_ = [byte for byte in bytes_ if byte < 0x80]
            byte = draw.choice(bytes_)
            token = int(draw.choice(legal[first[legal] == byte].tolist()))
            matcher.accept_token(token)
            written += artifact.token_bytes(token) or b""
        end = find_end(matcher, bytes(written), words)
        text = (bytes(written) + (end or b"")).decode(errors="replace")
        yield text, end is not None


def _required_keys(schema: object) -> tuple[bytes, ...]:
    """Return the keys that some object may have to have, as they are written."""
    found: dict[object, None] = {}
    open_ = [schema]
    while open_:
        here: Any = open_.pop()
        if isinstance(here, dict):
            lists = [here.get("required"), *_values(here, "dependentRequired")]
            lists += _values(here, "dependencies")
            names = [name for part in lists if isinstance(part, list) for name in part]
            found.update((name, None) for name in names if isinstance(name, str))
            open_ += here.values()
        elif isinstance(here, list):
            open_ += here
    return tuple(f"{json.dumps(key)}:".encode() for key in found)


def _values(schema: dict[str, Any], keyword: str) -> list[Any]:
    inner = schema.get(keyword)
    return list(inner.values()) if isinstance(inner, dict) else []


def find_end(matcher: Matcher, text: bytes, words: tuple[bytes, ...] = ()) -> bytes | None:
    """Return bytes that finish a text, ``None`` if they are too far away.

    Args:
        matcher: where the text stands; not moved.
        text: what was read.
        words: keys with their colons, which are tried where a key may begin.
    """
    found = bytearray()
    here = matcher.fork()
    while not here.is_accepting:
        if _is_in_string(text + found):
            step = _search(here, _BYTES, lambda step: step == _QUOTE)
        else:
            steps = (*_CLOSES, *words, *_BYTES)
            step = _search(here, steps, lambda step: len(step) > 1 or step in b'}]"')
        if step is None or len(found) > _MOST_SEARCHED:
            return None
        here.accept_bytes(step)
        found += step
    return bytes(found)


def _is_in_string(text: bytes) -> bool:
    """Return whether a string is open at the end of the beginning of a JSON text."""
    is_open = is_escaped = False
    for byte in text:
        if is_escaped:
            is_escaped = False
        elif byte == _QUOTE[0]:
            is_open = not is_open
        else:
            is_escaped = is_open and byte == _BACKSLASH
    return is_open


def _search(
    here: Matcher, steps: tuple[bytes, ...], is_nearer: Callable[[bytes], bool]
) -> bytes | None:
    """Return bytes that may end the text or whose last step brings it nearer, breadth first."""
    seen = {here.configuration()}
    open_ = deque([(here, b"")])
    while open_ and len(seen) < _MOST_SEARCHED:
        matcher, text = open_.popleft()
        n_ways = 0
        for step in (*steps, *_INSIDE):
            if n_ways and step in _INSIDE:
                break  # of the bytes inside a character one is enough
            after = matcher.fork()
            if not after.accept_bytes(step):
                continue
            n_ways += 1
            if after.is_accepting or is_nearer(step):
                return text + step
            key = after.configuration()
            if key not in seen:
                seen.add(key)
                open_.append((after, text + step))
    return None
