"""Does every family take the calls of the Berkeley function calling data, and refuse wrong ones?

    pip download --no-deps bfcl-eval
    python -m tests.outside.calls bfcl_eval-….whl [--tokenizer NAME] [--family NAME]… [--every N]

For each request with an answer and for each family: the tools make a constraint, and the answer's
calls, as the family writes them, must be taken whole. The calls are valid by `jsonschema` first; an
answer that is not (the data has some, such as a number for a string) must be refused. Then the same
text with another name, with an unknown argument and without its end must not be taken. Each
argument is exchanged for a value of another type, too: that must be taken if `jsonschema` says that
the call is valid then, as it reads; where a family writes strings as they are and no types, `3` is
a number and a text. Tools that a family's style cannot write are counted as refused, by sentence.
What is wrong is in capitals, and the exit status is 1. The seconds are of the processor.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema

from maskc.errors import MaskcError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.families import Tool, list_families, load_family, render
from maskc.tags.styles import STYLES
from maskc.vocab import load_vocabulary

PARTS = (
    *("simple_python", "multiple", "parallel", "parallel_multiple"),
    *("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"),
)
TYPES = {"dict": "object", "float": "number", "tuple": "array", "double": "number"}
OTHERS: tuple[Any, ...] = ("x y", 7, 1.5, True, None, ["a"], {"a": 1})  # one of each type


def list_requests(path: str) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the tools of each request with an answer, and the answer's calls."""
    with zipfile.ZipFile(path) as wheel:
        for part in PARTS:
            folder, name = "bfcl_eval/data", f"BFCL_v4_{part}.json"
            asked = wheel.read(f"{folder}/{name}").decode().splitlines()
            answers = wheel.read(f"{folder}/possible_answer/{name}").decode().splitlines()
            found = {row["id"]: row["ground_truth"] for row in map(json.loads, answers)}
            for row in map(json.loads, asked):
                yield row["function"], found[row["id"]]


def map_schema(given: Any) -> Any:
    """Return a schema of the data as JSON Schema."""
    if not isinstance(given, dict):
        return {}
    found: dict[str, Any] = {}
    kind = given.get("type")
    if isinstance(kind, str) and kind != "any":
        found["type"] = TYPES.get(kind, kind)
    if isinstance(given.get("properties"), dict):
        found["properties"] = {k: map_schema(v) for k, v in given["properties"].items()}
    if isinstance(given.get("items"), dict):
        found["items"] = map_schema(given["items"])
    for keyword in ("enum", "required"):
        if given.get(keyword):
            found[keyword] = given[keyword]
    if found.get("type") == "object" and "properties" in found:
        found["additionalProperties"] = False
    return found


def choose(given: Any) -> Any:
    """Return the first way to write each value of an answer."""
    if isinstance(given, dict):
        first = {
            key: ways[0] if isinstance(ways, list) and ways else ways for key, ways in given.items()
        }
        return {key: choose(way) for key, way in first.items() if way != ""}
    return [choose(item) for item in given] if isinstance(given, list) else given


def is_valid(arguments: Any, schema: Any) -> bool:
    """Return whether arguments are valid by a schema."""
    return jsonschema.Draft202012Validator(schema).is_valid(arguments)


def takes(kit: Kit, tools: list[Any], family: str, text: str) -> bool:
    """Return whether an answer is taken whole."""
    matcher = kit.tools(tools, family=family, choice="required").matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def find_styles(form: Any) -> set[str]:
    """Return the styles of the arguments in a tag."""
    if isinstance(form, dict):
        own = {form["style"]} if form.get("type") == "json_schema" else set()
        return own.union(*map(find_styles, form.values()))
    return set().union(*map(find_styles, form)) if isinstance(form, list) else set()


def list_readings(value: Any, style: str) -> list[Any]:
    """Return what a value can be read as, as a style writes it."""
    if style == "json" or isinstance(value, str):
        return [value]  # none of the texts here reads as anything else
    writes_types = STYLES[style].string != STYLES[style].other
    nested = STYLES[style].is_nested and isinstance(value, dict | list)
    return [value] if writes_types or nested else [value, json.dumps(value)]


def check_types(
    kit: Kit,
    family: str,
    tools: list[Any],
    tag: Any,
    schema: Any,
    arguments: Any,
    seen: Counter[str],
) -> None:
    """Count what becomes of a valid call in which one argument has another type."""
    (style,) = find_styles(tag)
    # From call to call another one, so that all types are tried in all places.
    first = seen["another type refused"] + seen["another type that fits taken"]
    for number, name in enumerate(arguments, first):
        given = OTHERS[number % len(OTHERS)]
        is_legal = any(
            is_valid({**arguments, name: value}, schema) for value in list_readings(given, style)
        )
        taken = takes(kit, tools, family, render(tag, {**arguments, name: given}))
        if is_legal:
            seen["another type that fits taken" if taken else "ANOTHER TYPE, NOT TAKEN"] += 1
        else:
            seen["ANOTHER TYPE TAKEN" if taken else "another type refused"] += 1


def check(
    kit: Kit, family: str, functions: list[Any], calls: list[Any], seen: Counter[str]
) -> None:
    """Count what a family does with one request."""
    tools = [
        {"name": re.sub(r"\s", "_", f["name"]), "parameters": map_schema(f["parameters"])}
        for f in functions
    ]
    schemas = {tool["name"]: tool["parameters"] for tool in tools}
    if len(schemas) < len(tools):
        seen["two tools of one name"] += 1
        return
    for call in calls:
        name, given = next(iter(call.items()))
        name = re.sub(r"\s", "_", name)
        if name not in schemas:
            seen["no such tool"] += 1
            continue
        arguments = choose(given)
        try:
            tag = load_family(family).describe(
                [Tool(name, schemas[name], "")], "required", parallel=True, reasoning=False
            )
            text = render(tag, arguments)
            is_taken = takes(kit, tools, family, text)
        except MaskcError as error:
            seen[f"refused: {str(error).partition(': ')[2][:60]}"] += 1
            continue
        if is_valid(arguments, schemas[name]):
            seen["valid, taken" if is_taken else "VALID, NOT TAKEN"] += 1
            check_types(kit, family, tools, tag, schemas[name], arguments, seen)
        else:
            seen["invalid, taken as text" if is_taken else "invalid, not taken"] += 1
        wrong = text.replace(name, f"{name}_", 1)
        seen["WRONG NAME TAKEN" if takes(kit, tools, family, wrong) else "wrong name refused"] += 1
        cut = takes(kit, tools, family, text[:-1])
        seen["MISSING END TAKEN" if cut else "missing end refused"] += 1
        unknown = render(tag, {**arguments, "no_such_parameter": 1})
        if schemas[name].get("additionalProperties") is False:
            taken = takes(kit, tools, family, unknown)
            seen["UNKNOWN ARGUMENT TAKEN" if taken else "unknown argument refused"] += 1


def main() -> None:
    """Print what each family does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("--tokenizer", default="bytes")
    parser.add_argument("--family", action="append", choices=list_families())
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    kit, n_wrong = make_kit(load_vocabulary(options.tokenizer)), 0
    for family in options.family or list_families():
        seen: Counter[str] = Counter()
        began = time.process_time()
        for number, (functions, calls) in enumerate(list_requests(options.wheel)):
            if number % options.every == 0:
                check(kit, family, functions, calls, seen)
        seconds = time.process_time() - began
        print(f"{family} ({seconds:.0f} s)", dict(sorted(seen.items())), flush=True)
        n_wrong += sum(n for what, n in seen.items() if what.isupper())
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
