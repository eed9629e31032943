"""Record what Lark's own test suite builds and parses, from outside.

Usage: python benchmarks/conformance/record.py SUITE RECORD

SUITE is Lark's source distribution, RECORD the JSON file to write. Lark's constructor and its
parse calls are wrapped, then the suite runs as it is. Kept is every grammar built with
``parser="lalr"``, with the options that matter to its language and the files that it imports, or
with the error it was refused with; and every text it was asked to parse, with the verdict.

Calls that are interactive or that resume after an error say nothing about the text: it is parsed
once more on the side. Not kept: what only lexes, and parsers loaded from a saved file, whose
grammar is not known.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unittest
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

SUITE, RECORD = (Path(argument).resolve() for argument in sys.argv[1:])

# Lark's tests import the package and themselves from the folder they lie in.
sys.path.insert(0, str(SUITE))
os.chdir(SUITE)

import lark.lark  # noqa: E402
from lark import Lark  # noqa: E402
from lark.exceptions import LarkError  # noqa: E402
from lark.indenter import Indenter  # noqa: E402
from lark.utils import TextSlice  # noqa: E402

# Options of Lark that do not change which texts it parses.
SILENT = {
    *("debug", "parser", "lexer", "start", "postlex", "transformer", "tree_class", "cache"),
    *("cache_grammar", "propagate_positions", "ordered_sets", "ambiguity", "source_path"),
    *("import_paths", "_plugins", "keep_all_tokens", "maybe_placeholders"),
}
INDENTER_HOOKS = ("process", "_process", "handle_NL", "always_accept")
INDENTER_ATTRIBUTES = ("NL_type", "INDENT_type", "DEDENT_type", "tab_len")

grammars: dict[str, dict[str, Any]] = {}  # by what they are, each with its texts and verdicts
skipped: Counter[str] = Counter()
files: list[str] = []  # that Lark has read for the grammar at hand
busy: list[Any] = []  # not empty: Lark itself is the caller


def keep_grammar(parser: Lark, error: BaseException | None) -> None:
    """Keep a grammar, built or refused."""
    options, text = parser.options, getattr(parser, "source_grammar", None)
    if options.parser != "lalr":
        return
    if not isinstance(text, str):
        skipped["built from a grammar object or a saved parser"] += 1
        return
    if error is not None and not isinstance(error, LarkError | OSError | re.error):
        skipped[f"built with a transformer that Lark refuses ({type(error).__name__})"] += 1
        return
    lexer = "contextual" if options.lexer == "auto" else options.lexer
    entry: dict[str, Any] = {
        "text": text,
        "lexer": lexer if isinstance(lexer, str) else f"custom: {lexer.__name__}",
        "starts": list(options.start),
        "postlex": describe_postlex(options.postlex),
        "options": {
            name: describe(value)
            for name, value in sorted(options.options.items())
            if name not in SILENT and value != options._defaults[name]
        },
        "imports": read_imports(parser),
        "error": None if error is None else f"{type(error).__name__}: {error}"[:500],
    }
    if entry["options"].get("priority") == "normal":
        del entry["options"]["priority"]
    # A parser from Lark's cache reads no files: its imports are those of the one saved there.
    key = json.dumps({**entry, "imports": None}, sort_keys=True)
    entry = grammars.setdefault(key, {**entry, "tests": [], "texts": []})
    if find_test() not in entry["tests"]:
        entry["tests"].append(find_test())
    parser._recorded = entry  # type: ignore[attr-defined]


def read_imports(parser: Lark) -> dict[str, str]:
    """Return the files read for the grammar at hand, by their path relative to it."""
    source = parser.source_path
    base = os.path.dirname(source) if isinstance(source, str) else ""
    if source == "<string>":
        base = os.path.dirname(os.path.abspath(sys.modules["__main__"].__file__ or ""))
    found = sorted({path for path in files if isinstance(path, str) and os.path.isfile(path)})
    return {os.path.relpath(p, base or "."): Path(p).read_text(encoding="utf-8") for p in found}


def find_test() -> str:
    """Return the name of the test that is running."""
    frame = sys._getframe()
    while frame is not None:
        me = frame.f_locals.get("self")
        if isinstance(me, unittest.TestCase):
            return f"{type(me).__name__}.{me._testMethodName}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def describe(value: Any) -> Any:
    """Return an option's value as JSON can hold it."""
    if isinstance(value, bool | int | str | None):
        return int(value) if isinstance(value, int) else value
    return (
        sorted(value)
        if isinstance(value, dict)
        else getattr(value, "__name__", type(value).__name__)
    )


def describe_postlex(postlex: Any) -> dict[str, Any] | None:
    """Return the attributes of an ``Indenter``, or the name of any other postlex."""
    if postlex is None:
        return None
    kind = type(postlex)
    own = [n for n in INDENTER_HOOKS if getattr(kind, n, None) is not getattr(Indenter, n)]
    if not isinstance(postlex, Indenter) or own:
        return {"custom": kind.__qualname__}
    lists = ("OPEN_PAREN_types", "CLOSE_PAREN_types")
    return {name: getattr(postlex, name) for name in INDENTER_ATTRIBUTES} | {
        name: list(getattr(postlex, name)) for name in lists
    }


def keep_text(parser: Lark, text: Any, start: str | None, error: BaseException | None) -> None:
    """Keep a text and what became of it."""
    entry = getattr(parser, "_recorded", None)
    if entry is None:
        if parser.options.parser == "lalr":
            skipped["parsed by a parser from a saved file"] += 1
        return
    before: Any = ""
    if isinstance(text, TextSlice):
        before, text = text.text[: text.start], text.text[text.start : text.end]
    if not isinstance(text, str | bytes):
        skipped["parsed what is not a text"] += 1
        return
    found = {
        "text": text.decode("latin-1") if isinstance(text, bytes) else text,
        "bytes": isinstance(text, bytes),
        "before": before if isinstance(before, str) else before.decode("latin-1"),
        "start": start,
        "verdict": "accepted" if error is None else f"refused: {type(error).__name__}",
    }
    if found not in entry["texts"]:
        entry["texts"].append(found)


def watch(name: str, watched: Callable[..., Any]) -> None:
    """Put a function around a method of Lark's that is called unless Lark itself is the caller."""
    method = getattr(Lark, name)

    @wraps(method)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        if busy:
            return method(*arguments, **named)
        busy.append(name)
        try:
            return watched(method, *arguments, **named)
        finally:
            busy.pop()

    setattr(Lark, name, wrapper)


def watch_init(init: Callable[..., None], parser: Lark, grammar: Any, /, **options: Any) -> None:
    """Build a parser, and keep its grammar."""
    files.clear()
    try:
        init(parser, grammar, **options)
    except BaseException as error:
        if "options" in parser.__dict__:
            keep_grammar(parser, error)
        raise
    keep_grammar(parser, None)


def watch_parse(
    parse: Any, parser: Lark, /, text: Any, start: str | None = None, on_error: Any = None
) -> Any:
    """Parse a text, and keep the verdict."""
    if on_error is not None:  # it goes on after an error, and so says nothing about the text
        parse_aside(parser, text, start)
        return parse(parser, text, start, on_error)
    try:
        result = parse(parser, text, start)
    except BaseException as error:
        keep_text(parser, text, start, error)
        raise
    keep_text(parser, text, start, None)
    return result


def parse_aside(parser: Lark, text: Any, start: str | None) -> None:
    """Parse a text for its verdict alone."""
    found: BaseException | None = None
    try:
        Lark.parse.__wrapped__(parser, text, start)  # type: ignore[attr-defined]
    except Exception as error:  # noqa: BLE001 - any error is a verdict
        found = error
    keep_text(parser, text, start, found)


def watch_interactive(
    begin: Any, parser: Lark, /, text: Any = None, start: str | None = None
) -> Any:
    """Begin an interactive parse; its text is parsed once on the side, for the verdict."""
    if text is not None:
        parse_aside(parser, text, start)
    return begin(parser, text, start)


def main() -> None:
    """Run the suite and write the record."""
    load = lark.lark.load_grammar

    def watch_load(*arguments: Any) -> Any:
        grammar, read = load(*arguments)
        files.extend(read)
        return grammar, read

    lark.lark.load_grammar = watch_load  # type: ignore[assignment]
    watch("__init__", watch_init)
    watch("parse", watch_parse)
    watch("parse_interactive", watch_interactive)
    # A grammar given as text imports relative to the script that runs: `python -m tests`.
    sys.modules["__main__"].__file__ = str(SUITE / "tests" / "__main__.py")
    suite = unittest.defaultTestLoader.loadTestsFromName("tests.__main__")
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    report = {
        "lark": lark.__version__,
        "tests": result.testsRun,
        "failed": len(result.failures) + len(result.errors),
        "skipped": len(result.skipped),
        "not kept": dict(sorted(skipped.items())),
        "grammars": list(grammars.values()),
    }
    RECORD.write_text(json.dumps(report, indent=1) + "\n")
    print(f"{len(grammars)} grammars, {sum(len(g['texts']) for g in grammars.values())} texts")
    if not result.wasSuccessful():
        sys.exit("Lark's own tests do not pass here, so the record is no specification")


if __name__ == "__main__":
    main()
