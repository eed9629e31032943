"""Walks the JSON Schema Test Suite: is a text legal iff the suite says that its value is valid?

Usage: python -m benchmarks.conformance.json_schema [--write] [--tokenizer llama3]
    or: python -m benchmarks.conformance.json_schema --peers [ENGINE …] [--page FILE]

The suite comes with the source distribution of ``jsonschema`` (``make corpora``). Each instance is
written in several ways, and the test counts as what the worst of them is: ``right``, ``refused``
(the schema, by name), ``valid refused``, ``invalid accepted``, ``error`` or ``timeout``. Bytes are
read one by one; with ``--tokenizer`` the first spelling is also read as that tokenizer's tokens.

What is expected stands beside this file, and may only get better: exit status 1 if a file has more
tests than expected that are not right. ``--write`` writes down what was found.

With ``--peers`` the engines of ``benchmarks/engines`` are asked, each in a process of its own: the
tests of draft 2020-12, each instance as ``json.dumps`` writes it, read as llama3's tokens. Engines
that take other documents get those that some schemas refer to, and formats are asserted in their
own tests only, where an engine has the choice. A process that dies counts as one error, and a test
that takes more than 10 seconds as a timeout; the next test begins a new process. A page gets two
tables: all tests, and the required ones by keyword.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.conformance.corpora import corpus
from benchmarks.conformance.tables import format_table
from benchmarks.engines import ENGINES, TOKENIZER, AskedSchema, Engine, RefusedError, read_engine
from benchmarks.engines.process import TooSlowError, read_lines, within
from maskc.errors import SchemaError
from maskc.jsonschema.choices import rename_formats
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_encoder, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary, build_byte_table, build_vocabulary
from tests.wild.page import replace

MODULE = "benchmarks.conformance.json_schema"
SUITE = corpus("jsonschema==4.26.0") / "json"
EXPECTED = Path(__file__).with_suffix(".json")
SECONDS, PEER_SECONDS = 5, 10
NO_VALUE = "fits no value"
# What a test may be, and how a narrow table says it.
CLASSES = {
    "right": "right",
    "refused": "refused",
    "valid refused": "too strict",
    "invalid accepted": "too lax",
    "error": "errors",
    "timeout": "timeouts",
}
URIS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
PARTS = {"required": "*.json", "optional": "optional/*.json", "format": "optional/format/*.json"}


class Group(NamedTuple):
    """Tests of one schema.

    Attributes:
        part: required, optional or format.
        keyword: the file that they stand in.
        schema: with its dialect.
        tests: each with ``data`` and ``valid``.
    """

    part: str
    keyword: str
    schema: Any
    tests: list[dict[str, Any]]


def list_groups(draft: str, **options: Any) -> Iterator[Group]:
    """Yield all tests of a draft in a fixed order; options are those of ``json.loads``."""
    for part, pattern in PARTS.items():
        for path in sorted((SUITE / "tests" / draft).glob(pattern)):
            for group in json.loads(path.read_text(), **options):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema = {"$schema": URIS[draft], **schema}
                yield Group(part, path.stem, schema, group["tests"])


def list_remotes(draft: str) -> dict[str, str]:
    """Return the documents that tests of a draft may refer to, address → text."""
    root, found = SUITE / "remotes", {}
    for path in sorted(root.rglob("*.json")):
        name, text = path.relative_to(root).as_posix(), path.read_text()
        if not name.startswith("draft") or name.startswith(f"{draft}/") or '"$schema"' in text:
            found[f"http://localhost:1234/{name}"] = text
    return found


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
    try:
        with within(SECONDS):
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
    return "right"


# The standard's languages: the automata of these formats are smaller.
_EXACT = {"idn-hostname": "idn-hostname-exact", "idn-email": "idn-email-exact"}


def walk_group(
    group: Group, draft: str, remotes: dict[str, str], vocabulary: Vocabulary, encode: Any
) -> list[str]:
    """Return the class of each test of a schema."""
    formats = group.part == "format"
    try:
        with within(SECONDS):
            contents = compile_schema(
                write(rename_formats(group.schema, _EXACT)),
                vocabulary,
                resources=remotes,
                assert_formats=formats,
            )
    except SchemaError as error:
        if error.reason == NO_VALUE:
            return ["valid refused" if test["valid"] else "right" for test in group.tests]
        return ["refused"] * len(group.tests)
    except TooSlowError:
        return ["timeout"] * len(group.tests)
    artifact, lexical = Artifact(contents), draft == "draft4"
    return [classify(artifact, test, encode, lexical=lexical) for test in group.tests]


def walk_suite(tokenizer: str | None) -> dict[str, dict[str, int]]:
    """Return how many tests of each file are not right, and print the classes of each part."""
    vocabulary, encode = build_vocabulary("bytes", build_byte_table()), None
    if tokenizer:
        vocabulary, encode = load_vocabulary(tokenizer), load_encoder(tokenizer).encode
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for draft in URIS:
        remotes, total = list_remotes(draft), {part: Counter[str]() for part in PARTS}
        for group in list_groups(draft, parse_float=Decimal):
            classes = walk_group(group, draft, remotes, vocabulary, encode)
            found[f"{draft}/{group.part}/{group.keyword}"].update(classes)
            total[group.part].update(classes)
        for part, counts in total.items():
            summary = ", ".join(f"{counts[name]:,} {name}" for name in CLASSES if counts[name])
            print(f"{draft} {part}: {counts.total():,} tests: {summary}", flush=True)
    wrong = {n: {k: c for k, c in sorted(f.items()) if k != "right"} for n, f in found.items()}
    return {name: counts for name, counts in wrong.items() if counts}


def compare(found: dict[str, dict[str, int]], path: Path, *, is_new: bool) -> int:
    """Print what got worse than a file says; return 1 if anything did. A new one is written."""
    if is_new:
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    expected = json.loads(path.read_text())
    worse = [
        f"{name}: {counts[kind]} {kind}, {expected.get(name, {}).get(kind, 0)} expected"
        for name, counts in found.items()
        for kind in counts.keys() - {"right", "compiled", "judges differ"}
        if counts[kind] > expected.get(name, {}).get(kind, 0)
    ]
    for line in worse:
        print("worse:", line)
    return int(bool(worse))


class Test(NamedTuple):
    """One test that peers are asked.

    Attributes:
        group: that it is of.
        asked: the schema.
        instance: a JSON value.
        valid: whether it is valid.
    """

    group: Group
    asked: AskedSchema
    instance: Any
    valid: bool


def list_tests() -> list[Test]:
    """Return what peers are asked, in a fixed order."""
    draft, found = "draft2020-12", list[Test]()
    remotes = list_remotes(draft)
    for group in list_groups(draft):
        asked = AskedSchema(group.schema, remotes, asserts_formats=group.part == "format")
        found += [Test(group, asked, test["data"], test["valid"]) for test in group.tests]
    return found


def judge_peer(engine: Engine, test: Test, tokens: list[int]) -> str:
    """Return the class of a test."""
    try:
        session = engine.compile("schema", test.asked)()
    except RefusedError as error:
        if str(error) == NO_VALUE:
            return "valid refused" if test.valid else "right"
        return "refused"
    taken = all(session.accept(token) for token in tokens) and bool(session.may_end())
    if taken == test.valid:
        return "right"
    return "invalid accepted" if taken else "valid refused"


def be_peer(engine: str, first: int) -> None:
    """Print the class of each test from one on, as soon as it is known."""
    known, encode = read_engine(engine), load_encoder(TOKENIZER).encode
    print(known.name, flush=True)
    for test in list_tests()[first:]:
        tokens = list(encode(json.dumps(test.instance, ensure_ascii=False)))
        print(judge_peer(known, test, tokens), flush=True)


def ask_peer(engine: str, n_tests: int) -> tuple[str, list[str]]:
    """Return an engine's name with its version, and the class of each test."""
    name, found = engine, list[str]()
    while len(found) < n_tests:
        options = ("--peers", engine, "--first", str(len(found)))
        limits = {"seconds": PEER_SECONDS, "start_seconds": 9 * PEER_SECONDS}
        lines, end = read_lines(MODULE, *options, **limits, each=True)
        if not lines:
            raise SystemExit(f"{engine} does not start ({end}); is it installed?")
        name = lines[0]
        found += lines[1:]
        if len(found) < n_tests:
            found.append("timeout" if end.startswith("no answer") else "error")
    return name, found


def format_parts(tests: Sequence[Test], classes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the table of all tests: per engine and part, how many are of each class."""
    parts = {part: [n for n, t in enumerate(tests) if t.group.part == part] for part in PARTS}
    titles = [f"{part} ({len(numbers):,})" for part, numbers in parts.items()]
    return format_table(
        ("", *titles),
        [
            (name, *(_say(Counter(found[n] for n in numbers)) for numbers in parts.values()))
            for name, found in classes.items()
        ],
    )


def format_keywords(tests: Sequence[Test], classes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the table of the required tests: per keyword and engine, what is not right."""
    files: dict[str, list[int]] = defaultdict(list)
    for number, test in enumerate(tests):
        if test.group.part == "required":
            files[test.group.keyword].append(number)
    rows = []
    for keyword, numbers in files.items():
        wrong = (Counter(f[n] for n in numbers if f[n] != "right") for f in classes.values())
        rows.append((keyword, str(len(numbers)), *(_say(counts) or "all" for counts in wrong)))
    return format_table(("", "tests", *classes), rows, numbers=("tests",))


def _say(counts: Counter[str]) -> str:
    """Return counts in words, the classes in order."""
    return ", ".join(f"{counts[kind]:,} {CLASSES[kind]}" for kind in CLASSES if counts[kind])


def main() -> int:
    """Walk the suite, or ask the peers, or be one of them; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tokenizer")
    parser.add_argument("--peers", nargs="*", metavar="ENGINE")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers is None:
        return compare(walk_suite(options.tokenizer), EXPECTED, is_new=options.write)
    if options.first is not None:
        be_peer(options.peers[0], options.first)
        return 0
    tests, classes = list_tests(), dict[str, list[str]]()
    for engine in options.peers or ENGINES:
        name, classes[name] = ask_peer(engine, len(tests))
        print("\n".join(format_parts(tests, {name: classes[name]})), flush=True)
    if options.page is not None:
        replace(options.page, "peers", format_parts(tests, classes))
        replace(options.page, "keywords", format_keywords(tests, classes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
