"""A minimal server of completions and chats, with a field ``grammar`` that names an artifact.

It shows how the pieces fit together: a registry of artifacts, a kit for the schemas of requests, a
model of transformers, and a ``GrammarProcessor`` for each request. It is an example; it batches
nothing and has no users.

    python examples/serve.py --random --artifacts artifacts/
    curl localhost:8000/v1/completions -d '{"prompt": "An order:", "grammar": "order"}'

In the place of a grammar, ``response_format`` has a JSON Schema, as OpenAI's interface does; an
``openai`` client or ``maskc.generate("http://localhost:8000/v1", None, Order, …)`` sends it.
``/v1/chat/completions`` takes messages, ``/v1/models`` and ``/v1/grammars`` say what there is,
``/health`` that it is alive, and ``/metrics`` what was served, for Prometheus.
"""

from __future__ import annotations

import argparse
import asyncio
import codecs
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import prometheus_client
import torch
import transformers
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ValidationError
from serve_bodies import CHAT, TEXT, Asked, Chat, Completion, Form, write_plainly

import maskc
from maskc.errors import MaskcError, UnknownArtifactError
from maskc.generation import Writing
from maskc.generation.models import Wanted
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.transformers import GrammarProcessor, open_registry
from maskc.integrations.usage import PrometheusCollector
from maskc.kit.file import make_kit
from maskc.runtime.artifact import Compiled
from maskc.vocab import load_encoder

MAX_BODY_BYTES = 1 << 20
MAX_WAITING = 256
N_WORKERS = 4


class RefusedError(Exception):
    """A request that is the client's fault, or one too many, or that failed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status, self.message = status, message


@dataclass
class Generation:
    """One running request: ids come from a thread, and go out as text."""

    loop: asyncio.AbstractEventLoop
    stop: tuple[str, ...] = ()
    content_hash: str | None = None  # of the artifact that it follows
    n_prompt: int = 0
    n_tokens: int = 0
    ids: asyncio.Queue[int | Exception | None] = field(default_factory=asyncio.Queue)
    cancelled: threading.Event = field(default_factory=threading.Event)
    seen_prompt: bool = False

    def put(self, value: torch.Tensor) -> None:
        """Take what ``generate()`` streams: first the prompt, then a token a call."""
        if self.seen_prompt:
            self.n_tokens += 1
            self.send(int(value.flatten()[0]))
        self.seen_prompt = True

    def end(self) -> None:
        """Do nothing: the end is told when the thread is done."""

    def usage(self) -> dict[str, int]:
        """Return how many tokens were read and written."""
        return {
            "prompt_tokens": self.n_prompt,
            "completion_tokens": self.n_tokens,
            "total_tokens": self.n_prompt + self.n_tokens,
        }

    def send(self, value: int | Exception | None) -> None:
        """Pass a value from the thread to the server's loop, which may be gone."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.ids.put_nowait, value)


class Server:
    """A model, the artifacts that fit it, and the requests that wait for it."""

    def __init__(
        self,
        model: Any,
        encode: Callable[[str], list[int]],
        registry: ArtifactRegistry,
        *,
        write_chat: Callable[[list[dict[str, str]]], str] | None = None,
        name: str = "model",
    ) -> None:
        self.model, self.encode, self.registry, self.name = model, encode, registry, name
        self.write_chat = write_chat or write_plainly
        self.vocabulary = registry.vocabulary
        self.workers = ThreadPoolExecutor(N_WORKERS)
        self.kit = make_kit(self.vocabulary)
        self.n_running = 0

    async def start(self, asked: Completion) -> Generation:
        """Return a generation that has begun, or waits for a thread."""
        if self.n_running >= MAX_WAITING:
            raise RefusedError(429, "too many requests are waiting; try again later")
        compiled, content = await asyncio.to_thread(self.find_constraint, asked)
        processors = [] if compiled is None else [GrammarProcessor(compiled)]
        stop = (asked.stop,) if isinstance(asked.stop, str) else tuple(asked.stop)
        if not all(stop):
            raise RefusedError(400, "stop: a text is empty")
        prompt = await asyncio.to_thread(self.encode, asked.prompt)
        prompt = prompt or [self.model.config.bos_token_id]
        room = self.model.config.max_position_embeddings - len(prompt)
        if room < asked.max_tokens:
            raise RefusedError(400, f"the prompt leaves room for {max(room, 0)} tokens only")
        generation = Generation(asyncio.get_running_loop(), stop, content, len(prompt))
        self.n_running += 1
        self.workers.submit(self._run, asked, prompt, processors, generation)
        return generation

    def find_constraint(self, asked: Asked) -> tuple[Compiled | None, str | None]:
        """Return what a text has to be, and the hash of the artifact that says so."""
        form = asked.response_format
        has_form = form is not None and form.type != "text"
        if has_form and asked.grammar is not None:
            raise RefusedError(400, "response_format: goes without grammar")
        try:
            if asked.grammar is not None:
                served = self.registry.find(asked.grammar)
                return served.artifact, served.content_hash
            if form is None or not has_form:
                return None, None
            if form.type == "json_schema" and form.json_schema is None:
                raise RefusedError(400, "response_format.json_schema: is missing")
            schema = form.json_schema.json_schema if form.json_schema else {"type": "object"}
            return self.kit.json_schema(schema), None
        except MaskcError as error:
            if asked.grammar is None:
                raise RefusedError(400, f"response_format: {error}") from None
            # A file that cannot be served is not the client's fault.
            status = 400 if isinstance(error, UnknownArtifactError) else 503
            raise RefusedError(status, f"grammar {error}") from None

    async def texts(self, generation: Generation) -> AsyncIterator[tuple[str, str | None]]:
        """Yield pieces of text, and with the last the reason to finish; stop it when left."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        writing = Writing(Wanted(str), generation.stop)
        reason = "length"
        try:
            while (token := await generation.ids.get()) is not None:
                if isinstance(token, Exception):
                    raise RefusedError(500, "the generation failed") from token
                if token in self.vocabulary.eos_ids:
                    reason = "stop"
                    continue
                event = writing.take(decoder.decode(self.vocabulary.tokens[token] or b""))
                if event.delta:
                    yield event.delta, None
                if writing.is_stopped:
                    break
            rest = "" if writing.is_stopped else writing.take(decoder.decode(b"", final=True)).delta
            last = writing.finish(reason)
            yield rest + last.delta, "stop" if writing.is_stopped else reason
        finally:
            generation.cancelled.set()

    def _run(
        self,
        asked: Completion,
        prompt: list[int],
        processors: list[GrammarProcessor],
        generation: Generation,
    ) -> None:
        def is_left(input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:  # noqa: ARG001
            stop = generation.cancelled.is_set()
            return torch.full((input_ids.shape[0],), stop, device=input_ids.device)

        try:
            if not generation.cancelled.is_set():
                ids = torch.tensor([prompt], device=self.model.device)
                if asked.seed is not None:
                    torch.manual_seed(asked.seed)
                how: dict[str, Any] = {"do_sample": False}
                if asked.temperature > 0:
                    how = {"do_sample": True, "temperature": asked.temperature, "top_k": 0}
                self.model.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=asked.max_tokens,
                    eos_token_id=list(self.vocabulary.eos_ids),
                    pad_token_id=self.vocabulary.eos_ids[0],
                    logits_processor=processors,
                    stopping_criteria=[is_left],
                    streamer=generation,
                    **how,
                )
        except Exception as error:  # noqa: BLE001 - it is the request's, and the server lives on
            generation.send(error)
        for processor in processors:
            self.registry.usage.add(
                asked.grammar or "",
                tokens=generation.n_tokens,
                masks=processor.n_masks,
                refused_tokens=processor.n_refused,
                seconds=processor.seconds,
            )
        generation.send(None)
        if not generation.loop.is_closed():
            generation.loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        self.n_running -= 1


def build_app(server: Server) -> FastAPI:
    """Return the application; what it answers to is told at the top of this file."""
    app = FastAPI(title="maskc example", version=maskc.__version__)

    @app.exception_handler(RefusedError)
    def refuse(_: Request, error: RefusedError) -> JSONResponse:
        body = {"error": {"message": error.message, "type": "invalid_request_error"}}
        return JSONResponse(body, error.status)

    @app.get("/v1/grammars")
    def grammars() -> dict[str, list[dict[str, str | None]]]:
        listed = server.registry.listing()
        return {"grammars": [{"name": a.name, "content_hash": a.content_hash} for a in listed]}

    @app.get("/health")
    def health() -> dict[str, Any]:
        return {"status": "ok", "running": server.n_running}

    @app.get("/metrics")
    def metrics() -> Response:
        own = prometheus_client.CollectorRegistry()
        own.register(PrometheusCollector(server.registry.usage, server.registry.served))
        text = prometheus_client.generate_latest(own)
        return Response(text, media_type=prometheus_client.CONTENT_TYPE_LATEST)

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        model = {"id": server.name, "object": "model", "owned_by": "maskc example"}
        return {"object": "list", "data": [model]}

    @app.post("/v1/completions")
    async def complete(request: Request) -> Any:
        asked = await _read(request, Completion)
        return await _answer(server, request, asked, TEXT)

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Any:
        given = await _read(request, Chat)
        fields = given.model_dump(exclude={"messages"}, by_alias=True)
        messages = [message.model_dump() for message in given.messages]
        asked = Completion(prompt=server.write_chat(messages)[:100_000], **fields)
        return await _answer(server, request, asked, CHAT)

    return app


async def _answer(server: Server, request: Request, asked: Completion, form: Form) -> Any:
    generation = await server.start(asked)
    head = {
        "id": f"{form.prefix}-{uuid.uuid4().hex}",
        "object": form.stream_object if asked.stream else form.object,
        "created": int(time.time()),
        "model": asked.model or server.name,
    }
    if asked.grammar is not None:
        head["grammar"] = {"name": asked.grammar, "content_hash": generation.content_hash}
    if asked.stream:
        events = _stream(server, generation, head, form)
        return StreamingResponse(events, media_type="text/event-stream")
    watch = asyncio.create_task(_cancel_when_left(request, generation))
    try:
        pieces = [piece async for piece in server.texts(generation)]
    finally:
        watch.cancel()
    text = "".join(piece for piece, _ in pieces)
    return head | {"choices": [form.choice(text, pieces[-1][1])], "usage": generation.usage()}


B = TypeVar("B", bound=BaseModel)


async def _read(request: Request, form: type[B]) -> B:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RefusedError(413, f"the body is larger than {MAX_BODY_BYTES:,} bytes")
    try:
        return form.model_validate_json(bytes(body))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise RefusedError(400, f"{where}: {first['msg']}") from None


async def _stream(
    server: Server, generation: Generation, head: dict[str, Any], form: Form
) -> AsyncIterator[str]:
    async for text, reason in server.texts(generation):
        usage = {} if reason is None else {"usage": generation.usage()}
        yield f"data: {json.dumps(head | {'choices': [form.delta(text, reason)]} | usage)}\n\n"
    yield "data: [DONE]\n\n"


async def _cancel_when_left(request: Request, generation: Generation) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(0.05)
    generation.cancelled.set()


def build_random_model() -> Any:
    """Return a small Llama with the llama3 vocabulary and random weights, to try things with."""
    config = transformers.LlamaConfig(
        vocab_size=128_256,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=2048,
        bos_token_id=128_000,
        eos_token_id=[128_001, 128_008, 128_009],
    )
    return transformers.LlamaForCausalLM(config).eval()


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", help="folder of a model and its tokenizer")
    which.add_argument("--random", action="store_true", help="a small model of random weights")
    parser.add_argument("--artifacts", help="folder of artifacts; default: MASKC_ARTIFACTS")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--preload", action="store_true", help="load all artifacts before serving")
    options = parser.parse_args()
    # What maskc loads, refuses and replaces is said on standard error.
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("maskc").setLevel(logging.INFO)
    write_chat = None
    try:
        if options.random:
            model = build_random_model()
            registry = open_registry(model, "llama3", options.artifacts)
            encode = load_encoder("llama3").encode
        else:
            model = transformers.AutoModelForCausalLM.from_pretrained(options.model).eval()
            tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
            registry, encode = open_registry(model, tokenizer, options.artifacts), tokenizer.encode
            if tokenizer.chat_template:
                write_chat = partial(
                    tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=True
                )
    except MaskcError as error:
        parser.error(str(error))
    if options.preload:
        registry.preload()
    name = "random" if options.random else os.path.basename(os.path.normpath(options.model))
    app = build_app(Server(model, encode, registry, write_chat=write_chat, name=name))
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
