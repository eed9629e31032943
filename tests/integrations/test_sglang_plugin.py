"""The plug-in of SGLang beside a stand-in for SGLang: what is in place, and what is left to it."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from maskc.integrations import sglang as plugin
from maskc.integrations.patches import ORIGINAL

BASE, CHOICES = "sglang.srt.constrained.base_grammar_backend", "sglang.srt.arg_groups.choices"
MANAGER = "sglang.srt.constrained.grammar_manager"
PARSER = "sglang.srt.function_call.function_call_parser"
CONTEXT, XGRAMMAR = "sglang.srt.runtime_context", "sglang.srt.constrained.xgrammar_backend"


def with_methods(name, methods):
    """Return a class whose methods have these parameters."""
    made = {}
    for method, parameters in methods.items():
        exec(f"def {method}({', '.join(parameters)}): pass", made)
    return type(name, (), {method: made[method] for method in methods})


@pytest.fixture
def sglang(monkeypatch):
    """The modules of an SGLang."""
    names = [BASE, CHOICES, MANAGER, PARSER, CONTEXT, XGRAMMAR]
    parts = {name.rsplit(".", n)[0] for name in names for n in range(1, 4)}
    made = {name: ModuleType(name) for name in sorted(parts | set(names))}
    made["sglang"].__version__ = "0.9"
    base, choices = made[BASE], made[CHOICES]
    base.BaseGrammarObject = with_methods("BaseGrammarObject", plugin._OBJECT_METHODS)
    base.BaseGrammarBackend = with_methods("BaseGrammarBackend", plugin._BACKEND_METHODS)
    base.registered = {}
    base.register_grammar_backend = base.registered.__setitem__
    choices.GRAMMAR_BACKEND_CHOICES = ["xgrammar"]
    choices.add_grammar_backend_choices = choices.GRAMMAR_BACKEND_CHOICES.extend
    made[MANAGER].GrammarManager = with_methods(
        "GrammarManager", {"process_req_with_grammar": ("self", "req")}
    )
    parameters = ("self", "tool_choice", "parallel_tool_calls", "thinking_mode")
    made[PARSER].FunctionCallParser = with_methods(
        "FunctionCallParser", {"get_structure_constraint": parameters}
    )
    serving = SimpleNamespace(
        constrained_json_disable_any_whitespace=False, constrained_json_max_whitespace_cnt=None
    )
    made[CONTEXT].get_serving = lambda: serving
    made[XGRAMMAR].XGrammarGrammarBackend = lambda *_, **named: named
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    return made


def test_our_backends_are_among_the_choices_once(sglang, caplog):
    for _ in range(2):
        plugin.register()
    assert caplog.text == ""
    assert sglang[CHOICES].GRAMMAR_BACKEND_CHOICES == ["xgrammar", "maskc", "maskc-llguidance"]
    made = [one.func for one in sglang[BASE].registered.values()]
    assert made == [plugin._make_backend] * 2
    assert hasattr(sglang[MANAGER].GrammarManager.process_req_with_grammar, ORIGINAL)
    assert hasattr(sglang[PARSER].FunctionCallParser.get_structure_constraint, ORIGINAL)


def test_a_changed_grammar_leaves_all_requests_to_the_other_backend(sglang, monkeypatch, caplog):
    owner = sglang[BASE].BaseGrammarObject
    monkeypatch.setattr(owner, "fill_vocab_mask", lambda self, mask, idx, stream: None)  # noqa: ARG005
    plugin.register()
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "maskc's backends pass all requests to the other backend, which refuses names of "
        "artifacts, since sglang 0.9: BaseGrammarObject.fill_vocab_mask takes"
    )
    tokenizer = SimpleNamespace(eos_token_id=2)
    made = sglang[BASE].registered["maskc"](None, tokenizer, 300, [7])
    assert (made["vocab_size"], made["model_eos_token_ids"]) == (300, [2, 7])


def test_other_parts_are_left_to_an_sglang_that_has_changed(sglang, monkeypatch, caplog):
    monkeypatch.delattr(sglang[PARSER], "FunctionCallParser")
    monkeypatch.setattr(
        sglang[MANAGER].GrammarManager,
        "process_req_with_grammar",
        lambda self, req, priority: None,  # noqa: ARG005
    )
    plugin.register()
    assert "function_call_parser has no FunctionCallParser" in caplog.text
    assert "process_req_with_grammar takes (self, req, priority), not (self, req)" in caplog.text
    assert sglang[BASE].registered["maskc"].func is plugin._make_backend


def test_without_a_hook_there_are_no_backends(sglang, monkeypatch, caplog):
    monkeypatch.delattr(sglang[BASE], "register_grammar_backend")
    plugin.register()
    assert "base_grammar_backend has no register_grammar_backend" in caplog.text
    assert sglang[CHOICES].GRAMMAR_BACKEND_CHOICES == ["xgrammar"]
