"""Examples in the documentation, and in the modules' own docstrings, do what they say."""

import doctest
import importlib
import shutil
from pathlib import Path

import pytest

import maskc
from maskc.frontends.bundled import find_grammar

PAGES = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))
PACKAGE = Path(maskc.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_are_true(page, tmp_path, monkeypatch):
    shutil.copytree(find_grammar("json").parent, tmp_path / "grammars")
    monkeypatch.chdir(tmp_path)
    # A fence closes an example; doctest would take it for output.
    text = page.read_text().replace("```", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_stand_in_fences(page):
    is_fenced = False
    for line in page.read_text().splitlines():
        is_fenced ^= line.startswith("```")
        assert is_fenced or not line.lstrip().startswith(">>>"), line
    assert not is_fenced


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module):
    found = importlib.import_module(module)
    assert doctest.testmod(found, optionflags=OPTIONS).failed == 0
