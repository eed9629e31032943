"""vLLM's functions that the plug-in puts itself around, as far as it and its self-test use them."""
# ruff: noqa: ARG001, ARG002, BLE001 - vLLM's own names, and what it does with errors

import enum
import sys
from abc import ABC, abstractmethod
from types import ModuleType, SimpleNamespace

MODULES = (
    *("vllm", "vllm.v1", "vllm.exceptions", "vllm.sampling_params", "vllm.v1.structured_output"),
    *("vllm.v1.structured_output.backend_types", "vllm.v1.structured_output.request"),
    *("vllm.v1.engine", "vllm.v1.engine.async_llm", "vllm.tool_parsers"),
    *("vllm.tool_parsers.structural_tag_registry", "vllm.entrypoints"),
    *("vllm.entrypoints.generate", "vllm.entrypoints.generate.beam_search"),
    *("vllm.entrypoints.generate.beam_search.offline", "vllm.entrypoints.openai"),
    *("vllm.entrypoints.openai.completion", "vllm.entrypoints.openai.completion.protocol"),
    "vllm.entrypoints.openai.chat_completion",
    "vllm.entrypoints.openai.chat_completion.protocol",
)


class VLLMValidationError(ValueError):
    """A request is refused."""


class StructuredOutputOptions(enum.Enum):
    JSON = enum.auto()
    GRAMMAR = enum.auto()


class StructuredOutputGrammar(ABC):
    @abstractmethod
    def accept_tokens(self, request_id, tokens): ...

    @abstractmethod
    def validate_tokens(self, tokens): ...

    @abstractmethod
    def rollback(self, num_tokens): ...

    @abstractmethod
    def fill_bitmask(self, bitmask, batch_index): ...

    @abstractmethod
    def is_terminated(self): ...

    @abstractmethod
    def reset(self): ...


class StructuredOutputsParams:
    def __init__(self, *, grammar=None, json=None, regex=None):
        self.grammar, self.json, self.regex = grammar, json, regex
        self._backend, self._backend_was_auto = None, False

    def all_constraints_none(self):
        return self.grammar is None and self.json is None and self.regex is None


class SamplingParams:
    def __init__(self, structured_outputs=None):
        self.structured_outputs, self.extra_args = structured_outputs, None
        self.all_stop_token_ids = None

    def _validate_structured_outputs(self, model_config, structured_outputs_config, tokenizer):
        if str(self.structured_outputs.grammar).startswith("maskc"):
            raise VLLMValidationError("no grammar of vLLM's")


def get_structured_output_key(params):
    option = "JSON" if params.json is not None else "GRAMMAR"
    return StructuredOutputOptions[option], params.json or params.grammar


class StructuredOutputRequest:
    def __init__(self, params):
        self.params, self.grammar = params, None
        self.structured_output_key = get_structured_output_key(params)

    @classmethod
    def from_sampling_params(cls, params):
        return cls(params.structured_outputs)


class StructuredOutputManager:
    def __init__(self, vllm_config):
        self.vllm_config, self.backend = vllm_config, None

    def grammar_init(self, request):
        asked = request.structured_output_request
        try:
            asked.grammar = self._create_grammar(request)
        except Exception as error:
            asked.grammar = error

    def _create_grammar(self, request):
        kind, text = request.structured_output_request.structured_output_key
        return self.backend.compile_grammar(kind, text)


class AsyncLLM:
    async def add_request(self, request_id, prompt, params, arrival_time=None):
        return request_id, params


class BeamSearchOfflineMixin:
    def _init_beam_search_structured_output(self, structured_outputs, tokenizer):
        return "vLLM's own"


class CompletionRequest:
    structured_outputs = None

    def to_beam_search_params(self, max_tokens, default_sampling_params):
        return max_tokens


def get_model_structural_tag(model, tools):
    return SimpleNamespace(format=tools)


def install(monkeypatch):
    """Put the modules in place, with classes that are made anew; return them by their names."""
    made = {name: ModuleType(name) for name in MODULES}
    made["vllm"].__version__ = "0.99"

    def fresh(owner):
        return type(owner.__name__, (owner,), {})

    manager = fresh(StructuredOutputManager)
    contents = {
        "vllm.exceptions": [VLLMValidationError],
        "vllm.sampling_params": [StructuredOutputsParams, fresh(SamplingParams)],
        "vllm.v1.structured_output": [manager],
        "vllm.v1.structured_output.backend_types": [
            StructuredOutputGrammar,
            StructuredOutputOptions,
        ],
        "vllm.v1.structured_output.request": [StructuredOutputRequest, get_structured_output_key],
        "vllm.v1.engine.async_llm": [fresh(AsyncLLM)],
        "vllm.entrypoints.generate.beam_search.offline": [fresh(BeamSearchOfflineMixin)],
        "vllm.entrypoints.openai.completion.protocol": [fresh(CompletionRequest)],
        "vllm.tool_parsers.structural_tag_registry": [get_model_structural_tag],
    }
    for name, values in contents.items():
        for value in values:
            setattr(made[name], value.__name__, value)
    chat = made["vllm.entrypoints.openai.chat_completion.protocol"]
    chat.ChatCompletionRequest = fresh(CompletionRequest)
    tags = made["vllm.tool_parsers.structural_tag_registry"]
    tags.JSONSchemaFormat = SimpleNamespace(model_fields={"excludes": None})
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(made[parent], last, module)
    return made
