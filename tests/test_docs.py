"""Examples in the documentation do what they say (those of docstrings: ``tests/doctests.py``)."""

import ast
import json
import pydoc
import re
from pathlib import Path

import pytest

import maskc
from maskc.build.config import OF_GRAMMARS, OF_LIMITS, OF_TOKENIZERS
from maskc.cli.main import COMMANDS
from tests.console import list_commands, run_commands, run_python
from tests.figures import format_figures

PAGES = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))


WITH_COMMANDS = [page for page in PAGES if list_commands(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_are_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [c for c in list_commands(page) if not c.startswith("maskc ") or "maskc kit " in c]
    assert run_commands(page, files) == ""
    assert run_python(page) == 0


@pytest.mark.costly
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_in_an_empty_folder(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_commands(page) == ""


def test_the_example_of_the_readme_writes_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    maskc.compile_grammar("json", tokenizer="bytes").save("json.bytes.maskc")
    text = (PAGES[0].parent.parent / "README.md").read_text()
    exec(re.search(r"^```python\n(import numpy.*?)^```$", text, re.MULTILINE | re.DOTALL)[1], {})
    json.loads(ast.literal_eval(capsys.readouterr().out))


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


ROOT = PAGES[0].parent.parent
TEXTS = [*PAGES, *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md"]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_the_modules_that_a_text_runs_are_there(text):
    for module in re.findall(r"python -m ((?:benchmarks|tests|tools)\.[\w.]+)", text.read_text()):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_the_targets_that_a_text_makes_are_there(text):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"(?:`|^\$ )make ([a-z-]+)", text.read_text(), re.MULTILINE)
    assert set(named) <= set(targets)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_the_commands_that_a_text_names_are_there(text):
    named = re.findall(r"(?:`|^\$ )maskc ([a-z]+)", text.read_text(), re.MULTILINE)
    assert set(named) <= set(COMMANDS)


@pytest.mark.parametrize("text", [t for t in TEXTS if t.parent == ROOT], ids=lambda t: t.name)
def test_links_of_a_text_of_the_repository_lead_somewhere(text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text.read_text()):
        if "://" not in target:
            name, _, anchor = target.partition("#")
            other = text.parent / name
            assert other.exists(), target
            assert not anchor or anchor in headings_of(other), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_of_a_page_are_those_that_were_measured(page):
    measured = json.loads((ROOT / "docs" / "figures.json").read_text())
    pattern = r"<!-- figures of ([^>]*): begin -->\n(.*?)\n<!-- figures of \1: end -->"
    for name, text in re.findall(pattern, page.read_text(), re.DOTALL):
        assert text.split("\n") == format_figures(measured[name])


def test_the_page_of_the_interface_has_every_public_name():
    page = (ROOT / "docs" / "api.md").read_text()
    told = [pydoc.locate(path) for path in re.findall(r"^::: ([\w.]+)", page, re.MULTILINE)]
    public = [name for name in maskc.__all__ if not name.startswith("__")]
    names = [getattr(maskc, name) for name in public if name not in vars(maskc.errors)]
    assert [name for name in names if name not in told] == []


def test_the_page_of_maskc_toml_has_every_setting():
    page = (ROOT / "docs" / "maskc-toml.md").read_text()
    settings = (*OF_GRAMMARS, *OF_TOKENIZERS, *OF_LIMITS)
    assert [name for name in settings if f"`{name}" not in page] == []
