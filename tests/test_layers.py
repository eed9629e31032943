"""Imports point one way: the contracts of ``imports.toml``, which import-linter holds."""

import re
import tomllib
from pathlib import Path

import pytest

import maskc

ROOT = Path(maskc.__file__).parent
CONTRACTS = ROOT.parent / "imports.toml"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")
    for path in ROOT.rglob("*.py")
)


def test_every_contract_is_kept(capsys):
    pytest.importorskip("importlinter")
    from importlinter.cli import lint_imports

    status = lint_imports(config_filename=str(CONTRACTS), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


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
