"""grammars/python.lark is Lark's bundled python.lark: the same lexer, the same verdicts."""

import sysconfig
from pathlib import Path

import lark
import pytest
from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import PythonIndenter

from maskc.frontends.lark.build import build_lark
from maskc.frontends.postlex import PYTHON
from maskc.frontends.source import load_source
from tests.examples import seeds
from tests.grammars.folder import GRAMMARS

N_FILES = 10 * len(seeds(20))


@pytest.fixture(scope="module")
def ours() -> Lark:
    return build_lark(load_source(GRAMMARS / "python.lark"))


@pytest.fixture(scope="module")
def bundled() -> Lark:
    path = Path(lark.__file__).parent / "grammars" / "python.lark"
    return Lark.open(str(path), parser="lalr", start="file_input", postlex=PythonIndenter())


def standard_library_files() -> list[Path]:
    """Return files of all sizes up to 40 KB, evenly over the sorted list."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(
        path
        for path in root.rglob("*.py")
        if "site-packages" not in path.parts and path.stat().st_size <= 40_000
    )
    return files[:: max(1, len(files) // N_FILES)][:N_FILES]


def verdict(parser: Lark, text: str) -> str:
    """Return ``ok``, or the kind of Lark's error and its line and column."""
    try:
        parser.parse(text)
    except (LarkError, AssertionError) as error:
        where = (getattr(error, "line", None), getattr(error, "column", None))
        return f"{type(error).__name__} at {where}"
    return "ok"


def test_the_settings_are_in_the_file():
    source = load_source(GRAMMARS / "python.lark")
    assert (source.start, source.lexer, source.postlex) == ("file_input", "contextual", PYTHON)


def test_the_terminals_are_the_bundled_ones_by_name_pattern_and_priority(ours, bundled):
    def describe(parser):
        return sorted((t.name, str(t.pattern), t.priority) for t in parser.terminals)

    assert describe(ours) == describe(bundled)


def test_the_order_of_the_terminals_is_the_bundled_one(ours, bundled):
    def order(parser):
        return [t.name for t in parser.parser.lexer.lexer.root_lexer.terminals]

    assert order(ours) == order(bundled)


def test_the_same_terminals_are_ignored(ours, bundled):
    assert ours.lexer_conf.ignore == bundled.lexer_conf.ignore


@pytest.mark.costly
def test_files_of_the_standard_library_get_the_same_verdict(ours, bundled):
    texts = [
        p.read_text(encoding="utf-8", errors="surrogateescape") for p in standard_library_files()
    ]
    verdicts = [verdict(ours, text + "\n") for text in texts]
    assert verdicts == [verdict(bundled, text + "\n") for text in texts]
    # Most of them are accepted, or the comparison would say nothing.
    assert verdicts.count("ok") > N_FILES * 0.8


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("", True),
        ("x = (1,\n  2)\n", True),
        ("f(a,\nb)[\n0\n] = {\n}\n", True),
        ("if x:\n  # comment\n\n  y\nz\n", True),
        ("x = 1 + \\\n  2\n", True),
        ("x = 1 \f\n", True),
        ("x = 1  # comment\n", True),
        ("if x:\n\ty\n        z\n", True),
        ("if x:\n    y\n  z\n", False),
        ("if x:\ny\n", False),
        # The indenter sees columns after a line break only: the first line has none.
        ("  x\n", True),
        ("x = (1\n", False),
        ("x = 1", False),
    ],
)
def test_layout_is_pythons(ours, bundled, text, accepted):
    assert (verdict(ours, text) == "ok") == accepted
    assert verdict(ours, text) == verdict(bundled, text)
