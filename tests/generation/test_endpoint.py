"""generate() and stream() with a server: one that keeps schemas by a kit, and ones that are bad."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Literal

import numpy as np
import pytest

import maskc
from maskc.errors import UnfinishedTextError
from maskc.integrations.errors import IntegrationError
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

pydantic = pytest.importorskip("pydantic")


class Order(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: Literal["buy", "sell"]
    amount: int = pydantic.Field(ge=1, le=1000)


class Server:
    """A server whose model takes legal tokens at random.

    Attributes:
        asked: the bodies of requests.
        events: what it sends in the place of a text.
        status: what it refuses with.
        location: where it sends a client.
    """

    def __init__(self):
        self.kit = make_kit(load_vocabulary("bytes"))
        self.asked, self.events, self.status, self.url = [], None, 200, ""
        self.location = ""

    def write(self, body):
        """Yield events of a chat."""
        if self.events is not None:
            yield from self.events
            return
        schema = body["response_format"]["json_schema"]["schema"]
        matcher = self.kit.json_schema(schema, style="plain").matcher()
        draw, bitmask = Random(body.get("seed")), maskc.allocate_bitmask(1, self.kit.vocab_size)
        reason = "length"
        for _ in range(body["max_tokens"]):
            matcher.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
            token = draw.choice(np.flatnonzero(bits).tolist())
            matcher.accept_token(token)
            if matcher.is_terminated:
                reason = "stop"
                break
            text = (self.kit.tokens.text_of(token) or b"").decode()
            yield json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": None}]})
        yield json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]})
        yield "[DONE]"

    @contextmanager
    def run(self):
        """Serve for a block."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(b'{"data": [{"id": "m"}]}')

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                server.asked.append(body | {"key": self.headers["Authorization"]})
                if server.status != 200:
                    self.answer(b'{"error": {"message": "no such model"}}', server.status)
                    return
                events = (f"data: {event}\n\n" for event in server.write(body))
                self.answer("".join(events).encode())

            def answer(self, data, status=200):
                self.send_response(status)
                if server.location:
                    self.send_header("Location", server.location)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
            self.url = f"http://127.0.0.1:{listening.server_port}/v1"
            threading.Thread(target=listening.serve_forever, daemon=True).start()
            try:
                yield self
            finally:
                listening.shutdown()


@pytest.fixture(scope="module")
def running():
    with Server().run() as server:
        yield server


@pytest.fixture
def server(running):
    running.asked, running.events, running.status, running.location = [], None, 200, ""
    return running


def test_a_class_comes_back_as_its_object(server):
    order = maskc.generate(server.url, None, Order, prompt="An order, please.", seed=3)
    assert isinstance(order, Order)
    (asked,) = server.asked
    assert asked["messages"] == [{"role": "user", "content": "An order, please."}]
    assert asked["response_format"]["json_schema"]["schema"] == Order.model_json_schema()
    assert (asked["model"], asked["temperature"], asked["seed"]) == ("m", 0.0, 3)


def test_an_endpoint_has_a_model_a_key_and_fields(server):
    endpoint = maskc.Endpoint(server.url, "big", "secret", {"top_p": 0.5})
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]
    found = maskc.generate(endpoint, None, {"enum": ["a", "b"]}, prompt=chat, seed=1)
    assert found in ("a", "b")
    (asked,) = server.asked
    assert (asked["model"], asked["key"], asked["top_p"]) == ("big", "Bearer secret", 0.5)
    assert asked["messages"] == chat
    assert "secret" not in repr(endpoint)


def test_a_stream_shows_text_and_members_and_ends_with_the_value(server):
    events = list(maskc.stream(server.url, None, Order, prompt="Go.", seed=5))
    last = events[-1]
    assert last.finish_reason == "stop"
    assert last.value == Order.model_validate_json(last.text)
    assert "".join(event.delta for event in events) == last.text
    assert all(event.finish_reason is None for event in events[:-1])
    assert events[0].fields == {}
    assert any(event.fields == {"kind": last.value.kind} for event in events[:-1])
    assert last.fields == json.loads(last.text)


def test_a_stream_that_is_left_ends_the_request(server):
    events = maskc.stream(server.url, None, Order, prompt="Go.", seed=5)
    next(events)
    n_threads = threading.active_count()
    events.close()
    assert threading.active_count() < n_threads


def test_a_text_that_is_cut_is_an_error_that_has_the_text(server):
    with pytest.raises(UnfinishedTextError, match="not whole after 6 tokens") as caught:
        maskc.generate(server.url, None, Order, prompt="Go.", max_tokens=6, seed=5)
    assert caught.value.text == '{"kind'
    assert caught.value.finish_reason == "length"


def test_a_stop_string_ends_a_text(server):
    with pytest.raises(UnfinishedTextError, match="a stop string ended the text"):
        maskc.generate(server.url, None, Order, prompt="Go.", stop="amount", seed=5)
    last = list(maskc.stream(server.url, None, Order, prompt="Go.", stop=["amount"], seed=5))[-1]
    assert (last.finish_reason, last.value) == ("stop_string", None)
    assert last.text.endswith(',"')


def say(text, **more):
    return json.dumps({"choices": [{"delta": {"content": text}, **more}]})


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (["nothing"], "answers what is not JSON"),
        (['{"error": {"message": "overloaded"}}'], r"answers an error: .*overloaded"),
        (['{"choices": 3}'], "answers without 'choices'"),
        (["[]"], "answers without 'choices'"),
        ([say("x" * 200_000)] * 60, "sends more than was requested"),
        ([say("no", finish_reason="stop")], "wrote text that is not JSON"),
    ],
)
def test_a_bad_answer_is_told(server, events, message):
    server.events = events
    with pytest.raises(IntegrationError, match=message):
        maskc.generate(server.url, None, {"type": "string"}, prompt="Go.")


def test_a_refusal_is_told_with_the_servers_words(server):
    server.status = 404
    with pytest.raises(IntegrationError, match=r"answers 404: .*no such model"):
        maskc.generate(server.url, None, {"type": "string"}, prompt="Go.")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://127.0.0.1:x/v1"])
def test_a_server_that_is_not_there_is_told(url):
    with pytest.raises(IntegrationError, match="cannot be reached"):
        maskc.generate(url, None, {}, prompt="Go.")


@pytest.mark.parametrize(
    ("model", "wanted", "more", "message"),
    [
        ("file:///etc/passwd", {}, {}, "is not one of http or https"),
        ("llama3", {}, {}, "is not one of http or https"),
        (3, {}, {}, "a model must be one of transformers"),
        ("http://localhost/v1", 3, {}, "what is wanted must be a type"),
        ("http://localhost/v1", {}, {"max_tokens": 0}, "max_tokens is 0"),
        ("http://localhost/v1", {}, {"stop": [""]}, "a stop string is empty"),
        ("http://localhost/v1", {}, {"stop": [3]}, "a stop string must be a str"),
        ("http://localhost/v1", {}, {"temperature": -1}, "temperature is -1.0; give 0 or more"),
        ("http://localhost/v1", {}, {"temperature": float("nan")}, "temperature is NaN"),
        ("http://localhost/v1", {}, {"temperature": "hot"}, "temperature must be a number"),
        ("http://localhost/v1", {}, {"seed": "x"}, "seed must be an int"),
        ("http://localhost/v1", {}, {"prompt": None}, "a prompt of messages must be a list"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_asked(model, wanted, more, message):
    with pytest.raises((TypeError, ValueError), match=message):
        maskc.generate(model, None, wanted, **{"prompt": "Go.", **more})


def test_a_redirect_is_not_followed_and_no_key_is_found_elsewhere(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    server.status, server.location = 302, f"{server.url}/elsewhere"
    with pytest.raises(IntegrationError, match="answers 302"):
        maskc.generate(server.url, None, {"type": "null"}, prompt="Go.")
    assert [asked["key"] for asked in server.asked] == [None]


def test_an_artifact_is_not_sent_to_a_server(server):
    artifact = maskc.compile_grammar(["a"], tokenizer="bytes")
    with pytest.raises(TypeError, match="takes a type or a JSON Schema"):
        maskc.generate(server.url, None, artifact, prompt="Go.")
