"""Imports point one way: the contracts of ``imports.toml``, which import-linter holds."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import maskc

ROOT = Path(maskc.__file__).parent
CONTRACTS = ROOT.parent / "imports.toml"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")
    for path in ROOT.rglob("*.py")
)


def test_every_contract_is_kept():
    pytest.importorskip("importlinter")
    if tuple(map(int, version("rich").split(".")[:2])) < (14, 1):
        pytest.skip("import-linter shows one display inside another, which rich has since 14.1")
    # In a process of its own: it silences the loggers that there are.
    call = "from importlinter.cli import lint_imports as lint; import sys; "
    call += "sys.exit(lint(config_filename=sys.argv[1], no_cache=True, no_logo=True))"
    command = [sys.executable, "-c", call, str(CONTRACTS)]
    done = subprocess.run(command, cwd=ROOT.parent, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_has_a_contract():
    contracts = tomllib.loads(CONTRACTS.read_text())["tool"]["importlinter"]["contracts"]
    named = {
        module
        for contract in contracts
        for module in (*contract.get("protected_modules", ()), *contract.get("source_modules", ()))
    }
    packages = {f"maskc.{module.partition('.')[0]}".rstrip(".") for module in MODULES}
    assert packages <= named


def test_no_test_imports_a_benchmark():
    statement = re.compile(r"^\s*(?:from|import) benchmarks\b", re.MULTILINE)
    files = (ROOT.parent / "tests").rglob("*.py")
    assert [str(path) for path in files if statement.search(path.read_text())] == []
