"""What a model is to write, and the models: of transformers, of llama.cpp, behind a server.

Wanted is a value of a Python type, JSON by a schema, or a text of a grammar. The kit of a model's
tokenizer is made when the model is first asked, and kept as long as the model.
"""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast
from weakref import WeakKeyDictionary

from maskc.errors import WrongTypeError
from maskc.generation.endpoint import Endpoint
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.jsonschema.reader import read_schema
from maskc.jsonschema.sources import adapt_type, describe_type, is_type, read_as
from maskc.runtime.batches import allocate_bitmask

if TYPE_CHECKING:
    from maskc.kit.kit import Kit
    from maskc.runtime.artifact import Compiled


Prompt = str | Sequence[Mapping[str, Any]]
# Takes a piece of text, and returns whether the model is to stop.
Take = Callable[[str], bool]

# By model of transformers, its tokenizer and the kit of that; by one of llama.cpp, the ids that it
# does not write, and the kit of its vocabulary, whose ends are llama.cpp's.
_kits: WeakKeyDictionary[Any, tuple[Any, Kit]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Asked:
    """How a text is asked for; see :func:`maskc.generate`."""

    prompt: Prompt
    max_tokens: int
    temperature: float
    seed: int | None


class Source(Protocol):
    """A model that writes."""

    def write(self, wanted: Wanted, asked: Asked, take: Take) -> str:
        """Hand over a text piece by piece; return ``stop`` if it is whole, else ``length``."""


def open_source(model: Any, tokenizer: Any) -> Source:
    """Return what asks a model; WrongTypeError: it is no model, or a tokenizer is missing."""
    if isinstance(model, str):
        model = Endpoint(model)
    if isinstance(model, Endpoint):
        return model
    if any(kind.__module__.partition(".")[0] == "llama_cpp" for kind in type(model).__mro__):
        return LlamaCpp(model)
    if not callable(getattr(model, "generate", None)):
        raise WrongTypeError(
            "a model must be one of transformers, a llama_cpp.Llama, or the URL of a server, not "
            f"{type(model).__name__[:40]}"
        )
    if tokenizer is None:
        raise WrongTypeError("a model of transformers needs its tokenizer, not None")
    return Transformers(model, tokenizer)


def check_fits(compiled: Compiled, max_tokens: int) -> None:
    """Check that a text of a constraint ends within some tokens; TokensLeftError: none does."""
    compiled.matcher().fill_bitmask(
        allocate_bitmask(1, compiled.vocab_size), 0, tokens_left=max_tokens
    )


class Transformers:
    """A model of transformers, with its tokenizer or the name of one."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model, tokenizer
        known = _kits.get(model)
        if known is None or known[0] != tokenizer:
            from maskc.integrations.transformers import open_kit

            known = _kits[model] = tokenizer, open_kit(model, tokenizer)
        self._kit = known[1]

    def write(self, wanted: Wanted, asked: Asked, take: Take) -> str:
        from maskc.integrations.transformers import GrammarProcessor

        torch, compiled = load_engine("torch", "torch"), wanted.constrain(self._kit)
        check_fits(compiled, asked.max_tokens)
        streamer = _Streamer(self._kit, take)
        ids = torch.tensor([self._encode(asked.prompt)], device=self._model.device)
        how: dict[str, Any] = {"do_sample": asked.temperature > 0}
        if asked.temperature > 0:
            how |= {"temperature": asked.temperature, "top_k": 0}
        with _seed(torch, asked.seed):
            self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=asked.max_tokens,
                num_beams=1,
                eos_token_id=list(compiled.eos_ids),
                pad_token_id=compiled.eos_ids[0],
                logits_processor=[GrammarProcessor(compiled, max_new_tokens=asked.max_tokens)],
                stopping_criteria=[streamer.should_stop],
                streamer=streamer,
                **how,
            )
        return "stop" if streamer.is_ended else "length"

    def _encode(self, prompt: Prompt) -> list[int]:
        """Return the tokens of a prompt, at least one."""
        if isinstance(self._tokenizer, str):
            from maskc.vocab import load_encoder

            ids = load_encoder(self._tokenizer).encode(_as_one_text(prompt))
        elif isinstance(prompt, str):
            ids = list(self._tokenizer(prompt)["input_ids"])
        else:
            text = self._tokenizer.apply_chat_template(
                list(prompt), add_generation_prompt=True, tokenize=False
            )
            ids = list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        return ids or [self._model.config.bos_token_id]


class _Streamer:
    """What ``generate()`` hands each token to, the prompt first."""

    def __init__(self, kit: Kit, take: Take) -> None:
        self._text_of, self._ends = kit.tokens.text_of, frozenset(kit.tokens.eos_ids)
        self._take, self._is_prompt, self._is_stopped = take, True, False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.is_ended = False

    def put(self, ids: Any) -> None:
        if not self._is_prompt and not self._is_stopped:
            token = int(ids.flatten()[0])
            self.is_ended = token in self._ends
            text = self._decoder.decode(self._text_of(token) or b"", final=self.is_ended)
            self._is_stopped = self._take(text)
        self._is_prompt = False

    def end(self) -> None:
        """Do nothing: whether the text is whole is told by its last token."""

    def should_stop(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """Return bool[rows], as a stopping criterion of transformers."""
        del scores
        stops = input_ids.new_zeros(input_ids.shape[0]).bool()
        return ~stops if self._is_stopped else stops


class LlamaCpp:
    """A ``llama_cpp.Llama``."""

    def __init__(self, llm: Any) -> None:
        from maskc.compiling import check_compiler
        from maskc.integrations import llama_cpp as api

        check_compiler()
        self._llm, known = llm, _kits.get(llm)
        if known is None:
            from maskc.kit.file import make_kit

            vocabulary = api.read_vocabulary(llm, api.find_end_ids(llm))
            unwritten = api.find_unwritten(llm, vocabulary)
            known = _kits[llm] = unwritten, make_kit(vocabulary)
        self._unwritten: tuple[int, ...] = known[0]
        self._kit = known[1]

    def write(self, wanted: Wanted, asked: Asked, take: Take) -> str:
        from maskc.integrations.llama_cpp import GrammarProcessor, ProcessorList

        compiled = wanted.constrain(self._kit)
        check_fits(compiled, asked.max_tokens)
        processor = GrammarProcessor(
            compiled,
            end_ids=self._kit.tokens.eos_ids,
            unwritten=self._unwritten,
            max_tokens=asked.max_tokens,
        )
        how: dict[str, Any] = {
            "max_tokens": asked.max_tokens,
            "temperature": asked.temperature,
            "seed": asked.seed,
            "logits_processor": ProcessorList([processor]),
            "stream": True,
        }
        is_chat = not isinstance(asked.prompt, str)
        if is_chat:
            chunks = self._llm.create_chat_completion(messages=list(asked.prompt), **how)
        else:
            chunks = self._llm.create_completion(asked.prompt, **how)
        reason = "length"
        for chunk in chunks:
            processor.check()
            (choice,) = chunk["choices"]
            text = choice["delta"].get("content") if is_chat else choice["text"]
            reason = choice["finish_reason"] or reason
            if take(text or ""):
                break
        processor.check()
        return reason


def _as_one_text(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt
    raise WrongTypeError("a chat needs a tokenizer of transformers, not the name of one")


@contextlib.contextmanager
def _seed(torch: Any, seed: int | None) -> Iterator[None]:
    """Draw by a seed, and leave torch's own generators as they were."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a text is to be."""

    read: Callable[[str], Any]  # makes the value of a whole text
    schema: Any = None  # of the text, as parsed JSON; None: it is a text of compiled
    style: str = "any"  # how the JSON text is written; see maskc.compile_json_schema
    compiled: Compiled | None = None  # an artifact, or a constraint of a kit

    def constrain(self, kit: Kit) -> Compiled:
        if self.compiled is not None:
            return self.compiled
        return kit.json_schema(self.schema, style=self.style)


def read_wanted(wanted: Any, style: str | None = None) -> Wanted:
    """Return what is meant by a type, a schema, an artifact or a constraint.

    Raises:
        SchemaError: Pydantic cannot describe the type, or the mapping is not a schema.
        WrongTypeError: it is none of these.
    """
    if is_type(wanted):
        adapted = adapt_type(wanted)
        return Wanted(read_as(adapted), describe_type(adapted), style or "plain")
    if isinstance(wanted, Mapping):
        return Wanted(_read_json, read_schema(dict(wanted)), style or "any")
    if callable(getattr(wanted, "matcher", None)):
        return Wanted(str, compiled=cast("Compiled", wanted))
    raise WrongTypeError(
        f"what is wanted must be a type, a JSON Schema, an artifact or a constraint, not "
        f"{type(wanted).__name__[:40]}"
    )


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fact = f"wrote text that is not JSON ({error})"
        raise IntegrationError(
            "the model", fact, "use a server that supports response_format"
        ) from None
