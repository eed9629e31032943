"""Walks the JSON Schema Test Suite: is a text legal iff the suite says that its value is valid?

Usage: python -m benchmarks.conformance.json_schema [--write] [--tokenizer llama3]

The suite comes with the source distribution of ``jsonschema`` (``make corpora``). Each instance is
written in several ways, and the test counts as what the worst of them is: ``right``, ``refused``
(the schema, by name), ``valid refused``, ``invalid accepted``, ``error`` or ``timeout``. Bytes are
read one by one; with ``--tokenizer`` the first spelling is also read as that tokenizer's tokens.

What is expected stands beside this file, and may only get better: exit status 1 if a file has more
tests than expected that are not right. ``--write`` writes down what was found.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.conformance.corpora import corpus
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_encoder, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary, build_byte_table, build_vocabulary

SUITE = "jsonschema==4.26.0"
EXPECTED = Path(__file__).with_suffix(".json")
SECONDS = 5
CLASSES = ("right", "refused", "valid refused", "invalid accepted", "error", "timeout")
URIS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
PARTS = {"required": "*.json", "optional": "optional/*.json", "format": "optional/format/*.json"}


class TooSlowError(BaseException):
    """A test took longer than the limit."""


def on_alarm(*_: object) -> None:
    """End a test that takes too long."""
    raise TooSlowError


def write(value: Any, *, comma: str = ", ", colon: str = ": ", turn: bool = False) -> str:
    """Return a value as JSON, its numbers as the suite writes them."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        members = [
            f"{json.dumps(k, ensure_ascii=False)}{colon}"
            + write(v, comma=comma, colon=colon, turn=turn)
            for k, v in value.items()
        ]
        return "{" + comma.join(reversed(members) if turn else members) + "}"
    if isinstance(value, list):
        items = [write(item, comma=comma, colon=colon, turn=turn) for item in value]
        return "[" + comma.join(items) + "]"
    return json.dumps(value, ensure_ascii=False)


def escape(text: str) -> str:
    r"""Return JSON with every letter inside strings written as ``\uXXXX``."""
    out, inside, after_backslash = [], False, False
    for character in text:
        if inside and not after_backslash and character.isalpha() and ord(character) < 0xD800:
            out.append(f"\\u{ord(character):04x}")
            continue
        if character == '"' and not after_backslash:
            inside = not inside
        after_backslash = inside and character == "\\" and not after_backslash
        out.append(character)
    return "".join(out)


def spellings(value: Any, *, lexical: bool) -> Iterator[str]:
    """Yield ways to write a value; ``lexical``: a number's spelling counts."""
    plain = write(value)
    yield plain
    yield write(value, comma=",", colon=":")
    yield write(value, turn=True)
    yield write(value, comma=",\n  ", colon=" : ")
    if "\\" not in plain:
        yield escape(plain)
    if not lexical and type(value) is int:
        yield f"{value}.0"


def judge(artifact: Artifact, text: str) -> bool:
    """Return whether an artifact takes a text as a whole."""
    matcher = artifact.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def classify(artifact: Artifact, test: Any, encode: Any, *, lexical: bool) -> str:
    """Return the class of a test."""
    wrong = "valid refused" if test["valid"] else "invalid accepted"
    signal.alarm(SECONDS)
    try:
        for number, text in enumerate(spellings(test["data"], lexical=lexical)):
            if judge(artifact, text) != test["valid"]:
                return wrong
            if encode is not None and number == 0:
                matcher, tokens = artifact.matcher(), encode(text)
                taken = matcher.accept_tokens(tokens) == len(tokens) and matcher.is_accepting
                if taken != test["valid"]:
                    return wrong
    except TooSlowError:
        return "timeout"
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        return "error"
    finally:
        signal.alarm(0)
    return "right"


def list_remotes(draft: str) -> dict[str, str]:
    """Return the documents that tests of a draft may refer to, address → text."""
    root, found = corpus(SUITE) / "json" / "remotes", {}
    for path in sorted(root.rglob("*.json")):
        name, text = path.relative_to(root).as_posix(), path.read_text()
        if not name.startswith("draft") or name.startswith(f"{draft}/") or '"$schema"' in text:
            found[f"http://localhost:1234/{name}"] = text
    return found


def walk_file(
    path: Path, draft: str, remotes: dict[str, str], part: str, vocabulary: Vocabulary, encode: Any
) -> Counter[str]:
    """Return how many tests of a file are of each class."""
    found: Counter[str] = Counter()
    for group in json.loads(path.read_text(), parse_float=Decimal):
        schema = group["schema"]
        if isinstance(schema, dict) and "$schema" not in schema:
            schema = {"$schema": URIS[draft], **schema}
        signal.alarm(SECONDS)
        try:
            artifact = Artifact(
                compile_schema(
                    write(schema),
                    vocabulary,
                    resources=remotes,
                    assert_formats=part == "format",
                )
            )
        except SchemaError as error:
            if error.reason == "fits no value at all":
                found.update(
                    "valid refused" if test["valid"] else "right" for test in group["tests"]
                )
            else:
                found["refused"] += len(group["tests"])
            continue
        except TooSlowError:
            found["timeout"] += len(group["tests"])
            continue
        finally:
            signal.alarm(0)
        lexical = draft == "draft4"
        found.update(classify(artifact, t, encode, lexical=lexical) for t in group["tests"])
    return found


def main() -> int:
    """Walk the suite; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tokenizer")
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, on_alarm)
    vocabulary, encode = build_vocabulary("bytes", build_byte_table()), None
    if arguments.tokenizer:
        vocabulary = load_vocabulary(arguments.tokenizer)
        encode = load_encoder(arguments.tokenizer).encode
    root = corpus(SUITE) / "json"
    found: dict[str, dict[str, int]] = {}
    for draft in URIS:
        remotes = list_remotes(draft)
        for part, pattern in PARTS.items():
            total: Counter[str] = Counter()
            for path in sorted((root / "tests" / draft).glob(pattern)):
                counts = walk_file(path, draft, remotes, part, vocabulary, encode)
                found[f"{draft}/{part}/{path.stem}"] = dict(sorted(counts.items()))
                total += counts
            summary = ", ".join(f"{total[name]:,} {name}" for name in CLASSES if total[name])
            print(f"{draft} {part}: {total.total():,} tests: {summary}", flush=True)
    if arguments.write:
        EXPECTED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        return 0
    return compare(json.loads(EXPECTED.read_text()), found)


def compare(expected: dict[str, dict[str, int]], found: dict[str, dict[str, int]]) -> int:
    """Print what got worse; return 1 if anything did."""
    status = 0
    for name, counts in found.items():
        for kind in CLASSES[1:]:
            before = expected.get(name, {}).get(kind, 0)
            if counts.get(kind, 0) > before:
                print(f"worse: {name}: {counts[kind]} {kind}, {before} expected")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
