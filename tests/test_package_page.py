"""The page of the package: its links lead somewhere, or are none."""

import importlib.util
import re
from pathlib import Path

import pytest

import maskc

ROOT = Path(maskc.__file__).parent.parent

pytest.importorskip("hatchling")
if not (ROOT / "hatch_build.py").is_file():
    pytest.skip("what builds the package is in a checkout only", allow_module_level=True)


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_with_a_repository_all_links_are_absolute(hook):
    page = hook.make_page((ROOT / "README.md").read_text(), "https://example.org/p")
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) > 20
    assert all(link.startswith("https://") for link in links)
    ours = [link for link in links if "example.org" in link]
    for link in ours:
        name = link.removeprefix("https://example.org/p/blob/main/").partition("#")[0]
        assert (ROOT / name).is_file()
    assert hook.list_addresses("https://example.org/p")["Issues"] == "https://example.org/p/issues"


def test_without_one_what_is_linked_is_text(hook):
    page = hook.make_page((ROOT / "README.md").read_text(), "")
    assert "](docs/" not in page
    assert "](https://github.com/lark-parser/lark)" in page
    assert hook.list_addresses("") == {}
