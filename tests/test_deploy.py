"""What deploy/Dockerfile copies is there, and what it and the workflows ask for can be done."""

import re
import tomllib
from pathlib import Path

import pytest

import maskc
from maskc.build.config import load_config
from maskc.build.units import load_job

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


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.skipif(not WORKFLOWS, reason="workflows are in a checkout only")
def test_each_step_of_a_workflow_is_a_target_that_runs_on_any_machine():
    texts = {path.name: path.read_text() for path in WORKFLOWS}
    called = {}
    for name, text in texts.items():
        lines = re.findall(r"run: make ([^$\n]*?)(?: [A-Z]+=.*)?$", text, re.MULTILINE)
        called[name] = {target for line in lines for target in line.split()}
    engines = re.search(r"target: \[(.*)\]", texts["engines.yml"])[1].split(", ")
    called["engines.yml"] |= {target.partition(" ")[0] for target in engines}
    assert called == {
        "engines.yml": {"integrations", "engine-llama-cpp", "engine-sglang", "engine-vllm"},
        "release.yml": {"released", "dist"},
        "test.yml": {"test", "smoke", "docs", "doctests", "lowest", "container"},
        "wheels.yml": {"wheels"},
    }
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set().union(*called.values()) <= {*targets}


@pytest.mark.skipif(not WORKFLOWS, reason="workflows are in a checkout only")
def test_the_suite_is_run_and_wheels_are_built_with_each_python_that_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    prefix = "Programming Language :: Python :: 3."
    classifiers = project["project"]["classifiers"]
    minors = [c.removeprefix(prefix) for c in classifiers if c.startswith(prefix)]
    matrix = re.search(r"python: \[(.*)\]", (ROOT / ".github/workflows/test.yml").read_text())[1]
    assert matrix == ", ".join(f'"3.{minor}"' for minor in minors)
    built = project["tool"]["cibuildwheel"]["build"]
    assert built.split() == [f"cp3{minor}-*" for minor in minors]
