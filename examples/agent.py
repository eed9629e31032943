"""An agent that calls Python functions, and a small server of it.

Functions become tool definitions by their signatures (Pydantic); a model answers in rounds. In each
one its reply is constrained to text and calls of these tools with arguments that fit, the calls are
run, and what they return goes into the next round. Three models can answer:

- ``--random``: a stand-in that draws random legal tokens, to see that whatever a model wants, each
  call fits its function;
- ``--model FOLDER``: a model of transformers, asked through its own chat template;
- ``--endpoint URL``: any server with OpenAI's interface, such as vLLM with maskc, which constrains
  and reads the calls itself.

    python examples/agent.py --random
    curl localhost:8000/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hi"}]}'
"""

from __future__ import annotations

import argparse
import inspect
import json
import random
import re
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

import maskc
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab import load_vocabulary

FAMILY = "qwen_3"  # how the local models write calls
MAX_ROUNDS = 4
MAX_BODY_BYTES = 1 << 20
_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)

Message = dict[str, Any]


def add(a: Annotated[int, Field(ge=-1000, le=1000)], b: Annotated[int, Field(ge=0)] = 1) -> int:
    """Add two numbers."""
    return a + b


def convert(amount: float, unit: Literal["km", "kg", "l"]) -> str:
    """Convert a length, a weight or a volume to miles, pounds or gallons."""
    factor, name = {"km": (0.6214, "mi"), "kg": (2.2046, "lb"), "l": (0.2642, "gal")}[unit]
    return f"{amount * factor:.2f} {name}"


def search(words: list[Literal["mask", "grammar", "token"]], most: int = 3) -> list[str]:
    """Find lines of this project's first page that have all the words."""
    page = Path(__file__).parents[1] / "README.md"
    lines = page.read_text().splitlines() if page.exists() else []
    return [line for line in lines if all(word in line for word in words)][: max(most, 0)]


@dataclass(frozen=True)
class Tool:
    """A function that may be called.

    Attributes:
        function: the function.
        arguments: the class of its arguments, which checks them.
    """

    function: Callable[..., Any]
    arguments: type[BaseModel]

    @property
    def name(self) -> str:
        """Its name."""
        return self.function.__name__

    def definition(self) -> dict[str, Any]:
        """Return it as OpenAI's interface defines a tool."""
        function = {
            "name": self.name,
            "description": inspect.getdoc(self.function) or "",
            "parameters": self.arguments.model_json_schema(),
            "strict": True,
        }
        return {"type": "function", "function": function}

    def run(self, arguments: str) -> str:
        """Return what the function returns for arguments in JSON, or why it did not run."""
        try:
            asked = self.arguments.model_validate_json(arguments)
        except ValidationError as error:
            return f"error: {error.errors()[0]['msg']}"
        return json.dumps(self.function(**dict(asked)))


def make_tool(function: Callable[..., Any]) -> Tool:
    """Return a function as a tool; its parameters need annotations."""
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        has_default = parameter.default is not inspect.Parameter.empty
        fields[name] = (parameter.annotation, parameter.default if has_default else ...)
    config = ConfigDict(extra="forbid")
    return Tool(function, create_model(function.__name__, __config__=config, **fields))


@dataclass(frozen=True)
class Call:
    """A call that a model wrote."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Attributes:
        text: beside the calls.
        calls: in order.
        is_whole: whether it came to its end; else nothing of it is run.
    """

    text: str
    calls: tuple[Call, ...]
    is_whole: bool = True


class Model(Protocol):
    """Answers a chat."""

    def reply(self, messages: Sequence[Message], tools: Sequence[Any], choice: str) -> Reply:
        """Return the answer to some messages, with tools that may be called, or must be."""
        ...


def read_reply(text: str, *, is_whole: bool) -> Reply:
    r"""Return the calls in a text, and what stands beside them.

    >>> read_reply('Hm. <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', is_whole=True)
    Reply(text='Hm. ', calls=(Call(name='f', arguments='{}'),), is_whole=True)
    """
    calls = []
    for found in _CALL.findall(text) if is_whole else ():
        value = json.loads(found)  # the constraint has it so
        calls.append(Call(value["name"], json.dumps(value["arguments"])))
    return Reply(_CALL.sub("", text), tuple(calls), is_whole)


class RandomModel:
    """Writes random legal tokens, and closes what it opened sooner or later.

    Args:
        kit: of the tokens.
        seed: of the random choices.
        max_tokens: after which it stops, wherever it is.
    """

    def __init__(self, kit: Kit, seed: int = 0, max_tokens: int = 2_000) -> None:
        self._kit, self._max_tokens = kit, max_tokens
        self._draw = random.Random(seed)  # noqa: S311 - nothing is secret
        self._closing = frozenset(b'"}],<')

    def reply(self, messages: Sequence[Message], tools: Sequence[Any], choice: str) -> Reply:  # noqa: ARG002
        """Return random text and calls."""
        text, is_whole = self.write(self._kit.tools(list(tools), family=FAMILY, choice=choice))
        return read_reply(text, is_whole=is_whole)

    def write(self, constraint: Constraint) -> tuple[str, bool]:
        """Return a random text of a constraint, and whether it is whole."""
        matcher, written = constraint.matcher(), bytearray()
        bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
        text_of = self._kit.tokens.text_of
        for _ in range(self._max_tokens):
            matcher.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
            legal = [int(token) for token in np.flatnonzero(bits)]
            token = self._choose(legal)
            matcher.accept_token(token)
            if matcher.is_terminated:
                return written.decode(errors="replace"), True
            written += text_of(token) or b""
        return written.decode(errors="replace"), False

    def _choose(self, legal: list[int]) -> int:
        text_of = self._kit.tokens.text_of
        ends = [token for token in legal if token in self._kit.tokens.ends]
        closing = [t for t in legal if (text_of(t) or b" ")[0] in self._closing]
        for chosen in (ends, closing):
            if chosen and self._draw.random() < 0.3:
                return self._draw.choice(chosen)
        return self._draw.choice(legal)


class TransformersModel:
    """A model of transformers, asked through its own chat template.

    Args:
        folder: of the model and its tokenizer.
        max_tokens: of one reply.
    """

    def __init__(self, folder: str, max_tokens: int = 512) -> None:
        import transformers

        from maskc.integrations.transformers import open_kit

        self._model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self._kit, self._max_tokens = open_kit(self._model, self._tokenizer), max_tokens

    def reply(self, messages: Sequence[Message], tools: Sequence[Any], choice: str) -> Reply:
        """Return what the model writes, constrained to the tools."""
        from maskc.integrations.transformers import GrammarProcessor

        inputs = self._tokenizer.apply_chat_template(
            list(messages),
            tools=list(tools),
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )
        constraint = self._kit.tools(list(tools), family=FAMILY, choice=choice)
        output = self._model.generate(
            **inputs,
            logits_processor=[GrammarProcessor(constraint)],
            max_new_tokens=self._max_tokens,
        )
        ids = output[0, inputs["input_ids"].shape[1] :].tolist()
        is_whole = bool(ids) and ids[-1] in self._kit.tokens.ends
        text = self._tokenizer.decode(ids[:-1] if is_whole else ids)
        return read_reply(text, is_whole=is_whole)


class EndpointModel:
    """A server with OpenAI's interface, which constrains and reads the calls itself.

    Args:
        url: of the server, up to ``/v1``.
        name: of the model there.
    """

    def __init__(self, url: str, name: str) -> None:
        self._url, self._name = f"{url.rstrip('/')}/chat/completions", name

    def reply(self, messages: Sequence[Message], tools: Sequence[Any], choice: str) -> Reply:
        """Return what the server answers."""
        body = {"model": self._name, "messages": list(messages), "max_tokens": 512}
        body |= {"tools": list(tools), "tool_choice": choice}
        request = urllib.request.Request(  # noqa: S310 - the address is the user's own
            self._url, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310
            found = json.load(answer)["choices"][0]
        message = found["message"]
        calls = [Call(**{k: c["function"][k] for k in ("name", "arguments")})
                 for c in message.get("tool_calls") or ()]  # fmt: skip
        return Reply(message.get("content") or "", tuple(calls), found["finish_reason"] != "length")


class Agent:
    """A model and the functions that it may call.

    Args:
        model: any.
        functions: with annotated parameters.
    """

    def __init__(self, model: Model, functions: Sequence[Callable[..., Any]]) -> None:
        self._model = model
        self._tools = {tool.name: tool for tool in map(make_tool, functions)}

    def run(self, messages: Sequence[Message], choice: str = "auto") -> list[Message]:
        """Return what was said after some messages: replies, and what calls returned.

        Args:
            messages: of the chat.
            choice: ``required`` if the first reply has to call a tool.
        """
        definitions = [tool.definition() for tool in self._tools.values()]
        said: list[Message] = []
        for number in range(MAX_ROUNDS):
            # The last reply is text, so that there is an end.
            now = choice if number == 0 else "auto" if number < MAX_ROUNDS - 1 else "none"
            reply = self._model.reply([*messages, *said], definitions, now)
            calls = [
                {
                    "id": f"call_{number}_{n}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for n, call in enumerate(reply.calls)
            ]
            said.append({"role": "assistant", "content": reply.text, "tool_calls": calls})
            if not reply.is_whole or not calls:
                break
            for call, listed in zip(reply.calls, calls, strict=True):
                result = self._tools[call.name].run(call.arguments)
                said.append({"role": "tool", "tool_call_id": listed["id"], "content": result})
        return said


def build_handler(agent: Agent) -> type[BaseHTTPRequestHandler]:
    """Return what answers ``POST /v1/chat/completions``: the last reply, and all that was said."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = self.headers.get("Content-Length", "")
            if self.path != "/v1/chat/completions":
                return self.send_json(404, {"error": {"message": "there is no such page"}})
            if not size.isdecimal() or int(size) > MAX_BODY_BYTES:
                return self.send_json(413, {"error": {"message": "the body is too large"}})
            try:
                asked = Chat.model_validate_json(self.rfile.read(int(size)))
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the body"
                return self.send_json(400, {"error": {"message": f"{where}: {first['msg']}"}})
            said = agent.run(asked.messages, asked.tool_choice)
            choice = {"index": 0, "message": said[-1], "finish_reason": "stop"}
            return self.send_json(200, {"choices": [choice], "said": said})

        def send_json(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    return Handler


class Chat(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="ignore")

    messages: list[Message] = Field(min_length=1)
    tool_choice: Literal["auto", "required"] = "auto"


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--random", action="store_true", help="random legal tokens")
    which.add_argument("--model", help="folder of a model of transformers and its tokenizer")
    which.add_argument("--endpoint", help="URL of a server with OpenAI's interface, up to /v1")
    parser.add_argument("--name", default="", help="of the model at the endpoint")
    parser.add_argument("--tokenizer", default="bytes", help="of the random tokens")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    model: Model
    if options.random:
        model = RandomModel(make_kit(load_vocabulary(options.tokenizer)))
    elif options.model:
        model = TransformersModel(options.model)
    else:
        model = EndpointModel(options.endpoint, options.name)
    handler = build_handler(Agent(model, [add, convert, search]))
    with ThreadingHTTPServer(("127.0.0.1", options.port), handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
