"""What holds for every integration, whether or not its engine is there."""

import importlib
import importlib.util
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import maskc
from maskc.integrations import llama_cpp, sglang, vllm
from maskc.integrations.continuous_batching import INTERFACE, check_interface
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.integrations.patches import Engine

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
COMPILERS = ("lark", "interegular", "pyformlang", "regex", "rich", "click")
GROUPS = {"vllm": "vllm.general_plugins", "sglang": "sglang.srt.plugins"}


@pytest.mark.parametrize("engine", GROUPS)
def test_the_entry_point_of_a_plug_in_can_be_called(engine):
    module, _, name = PROJECT["entry-points"][GROUPS[engine]]["maskc"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("engine", GROUPS)
def test_a_missing_engine_is_named_with_the_extra_that_installs_it(engine):
    if importlib.util.find_spec(engine):
        pytest.skip("the engine is there")
    with pytest.raises(IntegrationError, match=rf"pip install 'maskc\[{engine}\]'"):
        importlib.import_module(f"maskc.integrations.{engine}").register()


def test_another_transformers_is_told_in_a_sentence(monkeypatch):
    """Its lists of processors are called otherwise."""
    package = "transformers.generation.continuous_batching"
    names = ["transformers", "transformers.generation", package, f"{package}.cb_logits_processors"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["transformers"].__version__ = "9.9"
    with pytest.raises(IntegrationError) as refused:
        check_interface()
    assert str(refused.value) == (
        f"transformers 9.9: {package}.cb_logits_processors has no "
        "ContinuousBatchingLogitsProcessor; use a version that maskc was tested with "
        "(5.23.0, 5.24.0)"
    )


def test_the_versions_that_a_plug_in_names_are_told_in_the_docs():
    page = (Path(__file__).parents[2] / "docs" / "versioning.md").read_text()
    for engine in (vllm.ENGINE, sglang.ENGINE):
        assert all(f"| {version} |" in page for version in engine.tested), engine
    assert f"| {INTERFACE.tested[-1]}, " in page
    assert f"| {llama_cpp.TESTED[-1]} |" in page


@pytest.mark.parametrize("extra", ["torch", "transformers", "llama-cpp", "sglang", "vllm", "serve"])
def test_every_engine_has_an_extra(extra):
    assert PROJECT["optional-dependencies"][extra]


def test_a_module_that_an_engine_lacks_is_named():
    with pytest.raises(IntegrationError, match=r"numpy: this version has no module numpy\.absent"):
        load_engine("numpy.absent", "torch")


def test_a_method_with_other_parameters_is_refused_with_both_lists():
    class Other:
        def fill(self, mask, stream):
            """A later version's."""

    numpy = Engine("numpy", ("1.0",), "PLUGINS")
    numpy.check(Other, {"fill": ("self", "mask", "stream")})
    with pytest.raises(IntegrationError) as caught:
        numpy.check(Other, {"fill": ("self", "mask")})
    text = str(pickle.loads(pickle.dumps(caught.value)))
    assert text.startswith("numpy ")
    assert "Other.fill takes (self, mask, stream), not (self, mask); use a version" in text
    assert text.endswith("(1.0), or leave maskc out of PLUGINS")


def test_serving_an_artifact_needs_none_of_the_compilers_packages(tmp_path):
    """An engine may pin another version of one: vLLM pins Lark."""
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes").save(tmp_path / "a.maskc")
    program = f"""
import sys
for package in {COMPILERS!r}:
    sys.modules[package] = None
from maskc.integrations import llama_cpp, sglang, transformers, vllm
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.session import Session
from maskc.vocab import load_vocabulary
artifact = ArtifactRegistry(load_vocabulary("bytes"), {str(tmp_path)!r}).load("a")
print(Session(artifact).accept(97))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert run.stdout == "True\n", run.stderr
