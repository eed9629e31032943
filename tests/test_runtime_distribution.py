"""What is in ``maskc-runtime`` needs nothing that is not; ``.ci/smoke`` installs it and uses it."""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import maskc

PACKAGE = Path(maskc.__file__).parent
CONTENTS = PACKAGE.parent / "runtime" / "contents.py"
pytestmark = pytest.mark.skipif(not CONTENTS.exists(), reason="it is made of a checkout")
ALLOWED = {*sys.stdlib_module_names, "numpy", "msgpack"}
# Loaded where a format is asked for by its name, which says what is missing.
OPTIONAL = {("labels.py", "idna"), ("labels.py", "idna.intranges")}


@pytest.fixture(scope="module")
def files():
    spec = importlib.util.spec_from_file_location("contents", CONTENTS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.list_files(PACKAGE))


def imports_at_load(path):
    """Yield what a module imports when it is loaded: not in functions, not for types alone."""
    open_ = list(ast.parse(path.read_text()).body)
    while open_:
        node = open_.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            open_ += node.orelse
        elif isinstance(node, ast.If | ast.Try):
            open_ += [*node.body, *node.orelse]


def public_functions(scope):
    """Yield the functions of a module and of its classes whose names are public."""
    for node in scope.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)


def imports_in(function):
    """Yield what a function imports."""
    for node in ast.walk(function):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module_names(files):
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in files
    }


def test_whatever_is_loaded_is_in_it_or_is_numpy_or_msgpack(files):
    inside = module_names(files)
    needed = {
        (path.name, name)
        for path in files
        if path.suffix == ".py"
        for name in imports_at_load(path)
    }
    missing = {
        (path, name)
        for path, name in needed
        if name not in inside and name.partition(".")[0] not in ALLOWED
    }
    assert missing == OPTIONAL
    assert {"maskc.runtime.matcher", "maskc.integrations.transformers"} <= inside
    assert "maskc.compiler.pipeline" not in inside


def test_what_needs_the_compiler_looks_for_it_before_it_imports_it(files):
    """In functions that users call; what is private is called by these."""
    inside = module_names(files)
    unchecked = {
        (path.name, function.name)
        for path in files
        if path.suffix == ".py"
        for function in public_functions(ast.parse(path.read_text()))
        if any(name.startswith("maskc") and name not in inside for name in imports_in(function))
        if not any(
            isinstance(node, ast.Call) and ast.unparse(node) == "check_compiler()"
            for node in ast.walk(function)
        )
    }
    assert unchecked == set()


@pytest.fixture(scope="module")
def installed(files, tmp_path_factory):
    """The distribution in a folder of its own."""
    folder = tmp_path_factory.mktemp("installed")
    for path in files:
        target = folder / path.relative_to(PACKAGE.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


# What is called of `maskc`, and raises what is printed; no line: what loads is enough.
COMPILING = (
    "Endpoint",
    "capture(None, 'a')",
    "compile_grammar('json', tokenizer='bytes')",
    "compile_json_schema({}, tokenizer='bytes')",
    "compile_pattern('a')",
    "compile_spelling('bytes')",
    "compile_structural_tag({}, tokenizer='bytes')",
    "compile_tools([], tokenizer='bytes', family='qwen_3')",
    "follow(None, 'a', on_complete=print)",
    "generate",
    "integrations.transformers.open_kit(None, None)",
    "load_kit('a.kit')",
    "narrow(None, A=['a'])",
    "stream",
)
CALL_EACH = """
import json
import sys

import maskc
import maskc.integrations.transformers

said = {"file": maskc.__file__}
for call in sys.argv[1:]:
    try:
        exec(f"maskc.{call}")
    except maskc.MaskcError as error:
        said[call] = str(error)
print(json.dumps(said))
"""


def test_a_public_name_is_there_or_says_that_it_needs_the_compiler(installed):
    loading = set(maskc.__all__) - {call.partition("(")[0] for call in COMPILING}
    done = subprocess.run(
        [sys.executable, "-c", CALL_EACH, *COMPILING, *loading],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert str(installed) in said.pop("file")
    told = "the compiler of maskc is not installed; install it with pip install maskc"
    assert said == dict.fromkeys(COMPILING, told)
