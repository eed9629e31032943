"""Examples in the documentation, and in the modules' own docstrings, do what they say."""

import doctest
import importlib
import re
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


def test_the_site_has_every_page_in_its_navigation():
    config = PAGES[0].parent.parent / "mkdocs.yml"
    named = re.findall(r"^ +- ([a-z-]+\.md)$", config.read_text(), re.MULTILINE)
    assert sorted(named) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_to_pages_and_headings_that_there_are(page):
    """The site has the pages only: what else the repository holds is named, and not linked."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        other = page.parent / name if name else page
        assert other.parent == page.parent
        assert other.is_file(), target
        assert not anchor or anchor in headings_of(other), target


def headings_of(page):
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower()) for text in found}


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module):
    found = importlib.import_module(module)
    assert doctest.testmod(found, optionflags=OPTIONS).failed == 0
