"""What is in ``maskc-runtime`` needs nothing that is not; ``.ci/smoke`` installs it and uses it."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

import maskc
from maskc.errors import MissingPackageError

PACKAGE = Path(maskc.__file__).parent
CONTENTS = PACKAGE.parent / "runtime" / "contents.py"
pytestmark = pytest.mark.skipif(not CONTENTS.exists(), reason="it is made of a checkout")
ALLOWED = {*sys.stdlib_module_names, "numpy", "msgpack"}


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


def test_whatever_is_loaded_is_in_it_or_is_numpy_or_msgpack(files):
    inside = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in files
    }
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
    assert missing == set()
    assert {"maskc.runtime.matcher", "maskc.integrations.transformers"} <= inside
    assert "maskc.pipeline" not in inside


@pytest.mark.parametrize(
    "compiling",
    [
        lambda: maskc.compile_grammar("json", tokenizer="bytes"),
        lambda: maskc.compile_json_schema({}, tokenizer="bytes"),
        lambda: maskc.compile_structural_tag({}, tokenizer="bytes"),
        lambda: maskc.compile_tools([], tokenizer="bytes", family="qwen_3"),
        lambda: maskc.load_kit("a.kit"),
    ],
)
def test_without_the_compiler_what_needs_it_says_so(monkeypatch, compiling):
    monkeypatch.setattr("maskc.compiling._find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"install it with pip install maskc$"):
        compiling()
