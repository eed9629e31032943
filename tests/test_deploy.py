"""What deploy/Dockerfile copies is there, and what it builds is asked for rightly."""

from pathlib import Path

import pytest

import maskc
from maskc.build.config import load_config
from maskc.build.entries import load_job

ROOT = Path(maskc.__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "deploy").exists(), reason="it is of a checkout")


def test_what_is_copied_into_the_image_is_there():
    lines = (ROOT / "deploy" / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--" not in line]
    names = [name for parts in copied for name in parts]
    assert "maskc" in names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_what_is_copied_is_not_ignored_and_what_was_compiled_is():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {"pyproject.toml", "README.md", "LICENSE", "hatch_build.py", "build_native.py"}
    assert kept == copied | {"maskc", "grammars", "examples", "deploy"}
    assert {"*", "**/__pycache__", "**/*.so"} <= set(lines)


def test_what_is_built_into_the_image_can_be_read():
    config = load_config(str(ROOT / "deploy" / "maskc.toml"))
    assert [load_job(config, entry).sources[0].name for entry in config.grammars] == [
        "json.lark",
        "sql.lark",
    ]
