"""Importing maskc loads the runtime: numpy, msgpack and the standard library."""

import subprocess
import sys

import pytest

# What is loaded before maskc is the interpreter's own affair (an editable install has a hook);
# a module without a spec was not imported but made by an extension (msgpack's Cython).
PROGRAM = """
import sys
before = set(sys.modules)
import maskc
new = {name for name in set(sys.modules) - before if getattr(sys.modules[name], "__spec__", None)}
loaded = {name.split(".")[0] for name in new}
print(*sorted(loaded - set(sys.stdlib_module_names)))
print(*sorted(name for name in sys.modules if name.startswith("maskc.")))
"""


@pytest.fixture(scope="module")
def loaded():
    command = [sys.executable, "-c", PROGRAM]
    packages, modules = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return packages.split(), modules.split()


def test_importing_maskc_loads_numpy_and_msgpack_and_nothing_else(loaded):
    assert loaded[0] == ["maskc", "msgpack", "numpy"]


def test_importing_maskc_loads_no_compiler(loaded):
    packages = {name.split(".")[1] for name in loaded[1]}
    assert packages == {"artifact", "errors", "runtime"}


def test_importing_maskc_loads_no_part_of_artifact_that_knows_the_compiler(loaded):
    assert "maskc.artifact.assemble" not in loaded[1]
