"""Records what Lark's own test suite builds and parses, from outside.

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
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

SUITE = Path(sys.argv[1]).resolve()
RECORD = Path(sys.argv[2]).resolve()

# Lark's tests import the package and themselves from the folder they lie in.
sys.path.insert(0, str(SUITE))
os.chdir(SUITE)

import lark.lark  # noqa: E402
from lark import Lark  # noqa: E402
from lark.exceptions import LarkError  # noqa: E402
from lark.indenter import Indenter  # noqa: E402
from lark.parsers.lalr_interactive_parser import InteractiveParser  # noqa: E402
from lark.utils import TextSlice  # noqa: E402

# Options of Lark that do not change which texts it parses.
SILENT = {
    *("debug", "parser", "lexer", "start", "postlex", "transformer", "tree_class", "cache"),
    *("cache_grammar", "propagate_positions", "ordered_sets", "ambiguity", "source_path"),
    *("import_paths", "_plugins", "keep_all_tokens", "maybe_placeholders"),
}
INDENTER_HOOKS = ("process", "_process", "handle_NL", "always_accept")


class Record:
    """Grammars by what they are, each with its texts and verdicts."""

    def __init__(self) -> None:
        self.grammars: dict[str, dict[str, Any]] = {}
        self.skipped: dict[str, int] = {}
        self.files: dict[str, str] = {}
        self.busy = False

    def skip(self, why: str) -> None:
        """Count a call that is not kept."""
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def add(self, parser: Lark, error: BaseException | None) -> None:
        """Keep a grammar, built or refused."""
        options = parser.options
        text = getattr(parser, "source_grammar", None)
        if options.parser != "lalr":
            return
        if not isinstance(text, str):
            self.skip("built from a grammar object or a saved parser")
            return
        if error is not None and not isinstance(error, LarkError | OSError | re.error):
            self.skip(f"built with a transformer that Lark refuses ({type(error).__name__})")
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
            "imports": self.imports(parser),
            "error": None if error is None else f"{type(error).__name__}: {error}"[:500],
        }
        if entry["options"].get("priority") == "normal":
            del entry["options"]["priority"]
        # A parser from Lark's cache reads no files: its imports are those of the one saved there.
        key = json.dumps({**entry, "imports": None}, sort_keys=True)
        entry = self.grammars.setdefault(key, {**entry, "tests": [], "texts": []})
        name = current_test()
        if name not in entry["tests"]:
            entry["tests"].append(name)
        parser._recorded = entry  # type: ignore[attr-defined]

    def imports(self, parser: Lark) -> dict[str, str]:
        """Return the files read for the grammar at hand, by their path relative to it."""
        source = parser.source_path
        base = os.path.dirname(source) if isinstance(source, str) else ""
        if source == "<string>":
            base = os.path.dirname(os.path.abspath(sys.modules["__main__"].__file__ or ""))
        return {
            os.path.relpath(path, base or "."): Path(path).read_text(encoding="utf-8")
            for path in sorted(self.files)
        }

    def parsed(self, parser: Lark, text: Any, start: str | None, verdict: str) -> None:
        """Keep a text and what became of it."""
        entry = getattr(parser, "_recorded", None)
        if entry is None:
            if parser.options.parser == "lalr":
                self.skip("parsed by a parser from a saved file")
            return
        before = ""
        if isinstance(text, TextSlice):
            before, text = text.text[: text.start], text.text[text.start : text.end]
        if not isinstance(text, str | bytes):
            self.skip("parsed what is not a text")
            return
        is_bytes = isinstance(text, bytes)
        found = {
            "text": text.decode("latin-1") if is_bytes else text,
            "bytes": is_bytes,
            "before": before if isinstance(before, str) else before.decode("latin-1"),
            "start": start,
            "verdict": verdict,
        }
        if found not in entry["texts"]:
            entry["texts"].append(found)


record = Record()


def current_test() -> str:
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
    if isinstance(value, dict):
        return sorted(value)
    return getattr(value, "__name__", type(value).__name__)


def describe_postlex(postlex: Any) -> dict[str, Any] | None:
    """Return the attributes of an ``Indenter``, or the name of any other postlex."""
    if postlex is None:
        return None
    kind = type(postlex)
    own = [n for n in INDENTER_HOOKS if getattr(kind, n, None) is not getattr(Indenter, n)]
    if not isinstance(postlex, Indenter) or own:
        return {"custom": kind.__qualname__}
    return {
        "NL_type": postlex.NL_type,
        "OPEN_PAREN_types": list(postlex.OPEN_PAREN_types),
        "CLOSE_PAREN_types": list(postlex.CLOSE_PAREN_types),
        "INDENT_type": postlex.INDENT_type,
        "DEDENT_type": postlex.DEDENT_type,
        "tab_len": postlex.tab_len,
    }


def outermost(method: Callable[..., Any], watched: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that calls ``watched``, unless Lark itself is the caller."""

    @wraps(method)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        if record.busy:
            return method(*arguments, **named)
        record.busy = True
        try:
            return watched(method, *arguments, **named)
        finally:
            record.busy = False

    return wrapper


def watch_init(init: Callable[..., None], parser: Lark, grammar: Any, /, **options: Any) -> None:
    """Build a parser, and keep its grammar."""
    record.files.clear()
    try:
        init(parser, grammar, **options)
    except BaseException as error:
        if "options" in parser.__dict__:
            record.add(parser, error)
        raise
    record.add(parser, None)


def watch_parse(
    parse: Callable[..., Any],
    parser: Lark,
    /,
    text: Any,
    start: str | None = None,
    on_error: Callable[..., bool] | None = None,
) -> Any:
    """Parse a text, and keep the verdict."""
    if on_error is not None:  # it goes on after an error, and so says nothing about the text
        parse_aside(parser, text, start)
        return parse(parser, text, start, on_error)
    try:
        result = parse(parser, text, start)
    except BaseException as error:
        record.parsed(parser, text, start, f"refused: {type(error).__name__}")
        raise
    record.parsed(parser, text, start, "accepted")
    return result


def parse_aside(parser: Lark, text: Any, start: str | None) -> None:
    """Parse a text for its verdict alone."""
    try:
        Lark.parse.__wrapped__(parser, text, start)  # type: ignore[attr-defined]
    except Exception as error:  # noqa: BLE001 - any error is a verdict
        record.parsed(parser, text, start, f"refused: {type(error).__name__}")
    else:
        record.parsed(parser, text, start, "accepted")


def watch_interactive(
    begin: Callable[..., InteractiveParser],
    parser: Lark,
    /,
    text: Any = None,
    start: str | None = None,
) -> InteractiveParser:
    """Begin an interactive parse; its text is parsed once on the side, for the verdict."""
    if text is not None:
        parse_aside(parser, text, start)
    return begin(parser, text, start)


def watch_load(load: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Lark's grammar loader to see which files it reads."""

    def wrapper(*arguments: Any) -> Any:
        grammar, files = load(*arguments)
        record.files.update({p: "" for p in files if isinstance(p, str) and os.path.isfile(p)})
        return grammar, files

    return wrapper


def main() -> None:
    """Run the suite and write the record."""
    lark.lark.load_grammar = watch_load(lark.lark.load_grammar)  # type: ignore[assignment]
    for name, watched in (
        ("__init__", watch_init),
        ("parse", watch_parse),
        ("parse_interactive", watch_interactive),
    ):
        setattr(Lark, name, outermost(getattr(Lark, name), watched))
    # A grammar given as text imports relative to the script that runs: `python -m tests`.
    sys.modules["__main__"].__file__ = str(SUITE / "tests" / "__main__.py")
    suite = unittest.defaultTestLoader.loadTestsFromName("tests.__main__")
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    grammars = list(record.grammars.values())
    RECORD.write_text(
        json.dumps(
            {
                "lark": lark.__version__,
                "tests": result.testsRun,
                "failed": len(result.failures) + len(result.errors),
                "skipped": len(result.skipped),
                "not kept": dict(sorted(record.skipped.items())),
                "grammars": grammars,
            },
            indent=1,
        )
        + "\n"
    )
    n_texts = sum(len(g["texts"]) for g in grammars)
    print(f"{len(grammars)} grammars, {n_texts} texts")
    if not result.wasSuccessful():
        sys.exit("Lark's own tests do not pass here, so the record is no specification")


if __name__ == "__main__":
    main()
