"""Using maskc loads the runtime: numpy, msgpack and the standard library."""

import subprocess
import sys

import pytest

import maskc
from maskc.native import is_compiled

# What is loaded before maskc is the interpreter's own affair (an editable install has a hook);
# a module without a spec was not imported but made by an extension (msgpack's Cython).
PROGRAM = """
import sys
before = set(sys.modules)
import maskc
print(*sorted(name for name in sys.modules if name in {"maskc", "numpy"}))
maskc.Artifact
new = {name for name in set(sys.modules) - before if getattr(sys.modules[name], "__spec__", None)}
loaded = {name.split(".")[0] for name in new}
print(*sorted(loaded - set(sys.stdlib_module_names)))
print(*sorted(name for name in sys.modules if name.startswith("maskc.")))
"""


@pytest.fixture(scope="module")
def loaded():
    command = [sys.executable, "-c", PROGRAM]
    at_once, packages, modules = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return packages.split(), modules.split(), at_once.split()


def test_importing_maskc_loads_nothing(loaded):
    """So the command hears Ctrl-C before anything else is loaded."""
    assert loaded[2] == ["maskc"]


def test_the_packages_of_the_runtime_come_with_maskc():
    code = "import maskc; print(maskc.errors.MaskcError, maskc.runtime.matcher.Matcher)"
    assert subprocess.run([sys.executable, "-c", code], check=True).returncode == 0


def test_what_maskc_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'maskc' has no attribute 'frobnicate'"):
        _ = maskc.frobnicate


def test_names_that_are_not_loaded_yet_are_listed():
    code = "import maskc; print({*maskc.__all__, 'runtime', 'errors'} <= {*dir(maskc)})"
    listed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert listed.stdout == b"True\n"


def test_using_maskc_loads_numpy_and_msgpack_and_nothing_else(loaded):
    compiled = ["maskc_native__mypyc"] if is_compiled() else []
    assert loaded[0] == ["maskc", *compiled, "msgpack", "numpy"]


def test_using_maskc_loads_no_compiler(loaded):
    packages = {name.split(".")[1] for name in loaded[1]}
    modules = {"acyclic", "arguments", "errors", "files", "ids", "levels"}
    assert packages == {"artifact", "runtime", *modules}


def test_using_maskc_loads_no_machine_but_that_of_most_grammars(loaded):
    """Others take as long to import as the rest; an artifact that has one imports it."""
    others = ("maskc.runtime.glr", "maskc.runtime.holes", "maskc.runtime.link")
    assert [name for name in loaded[1] if name.startswith(others)] == []
    assert "maskc.runtime.schema.machine" not in loaded[1]


def test_using_maskc_loads_no_part_of_artifact_that_knows_the_compiler(loaded):
    assert "maskc.compiler.emit.assemble" not in loaded[1]
