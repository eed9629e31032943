"""The example agent: definitions of functions, replies of random legal tokens, and its server."""

import importlib.util
import json
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

pytest.importorskip("pydantic")
EXAMPLE = Path(__file__).parents[2] / "examples" / "agent.py"
ASKED = [{"role": "user", "content": "How far is it?"}]


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("agent", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kit():
    return make_kit(load_vocabulary("bytes"))


@contextmanager
def serving(handler):
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()


def post(url, body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Scripted:
    """Answers as it was told, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    def reply(self, messages, tools, choice):
        assert tools
        self.asked.append((list(messages), choice))
        return self.replies.pop(0)


def test_a_function_is_a_tool_by_its_signature(example):
    definition = example.make_tool(example.add).definition()["function"]
    assert (definition["name"], definition["description"]) == ("add", "Add two numbers.")
    schema = definition["parameters"]
    assert schema["required"] == ["a"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["a"] | {"title": "A"} == {
        "type": "integer",
        "minimum": -1000,
        "maximum": 1000,
        "title": "A",
    }


@pytest.mark.parametrize("seed", range(12))
def test_whatever_random_tokens_say_every_call_fits_its_function(seed, example, kit):
    agent = example.Agent(
        example.RandomModel(kit, seed), [example.add, example.convert, example.search]
    )
    said = agent.run(ASKED, "required")
    first = said[0]
    if said[-1]["role"] == "assistant" and not first["tool_calls"]:
        assert len(said) == 1  # it was cut
        return
    results = [message["content"] for message in said if message["role"] == "tool"]
    assert results
    assert not any(result.startswith("error") for result in results)


def test_a_reply_of_random_tokens_comes_to_its_end_sooner_or_later(example, kit):
    definitions = [example.make_tool(example.add).definition()]
    replies = [
        example.RandomModel(kit, seed).reply(ASKED, definitions, "required") for seed in range(8)
    ]
    assert any(reply.is_whole and reply.calls for reply in replies)
    assert not example.RandomModel(kit, 0, 5).reply(ASKED, definitions, "required").is_whole


def test_what_a_call_returns_goes_into_the_next_round(example):
    call = example.Call("add", '{"a": 2, "b": 3}')
    model = Scripted(example.Reply("Hm.", (call,)), example.Reply("It is 5.", ()))
    said = example.Agent(model, [example.add]).run(ASKED, "required")
    assert [message["role"] for message in said] == ["assistant", "tool", "assistant"]
    assert said[1] == {"role": "tool", "tool_call_id": "call_0_0", "content": "5"}
    assert [choice for _, choice in model.asked] == ["required", "auto"]
    assert model.asked[1][0] == [*ASKED, *said[:2]]


def test_a_reply_that_was_cut_is_not_run(example):
    cut = example.read_reply('<tool_call>\n{"name": "add", "arg', is_whole=False)
    assert cut.calls == ()
    said = example.Agent(Scripted(cut), [example.add]).run(ASKED)
    assert [message["role"] for message in said] == ["assistant"]


def test_the_rounds_come_to_an_end(example):
    call = example.Call("add", '{"a": 2}')
    model = Scripted(*[example.Reply("", (call,))] * 4)
    example.Agent(model, [example.add]).run(ASKED)
    assert [choice for _, choice in model.asked] == ["auto", "auto", "auto", "none"]


def test_arguments_that_another_server_got_wrong_are_told_and_not_run(example):
    result = example.make_tool(example.add).run('{"a": 5000}')
    assert result.startswith("error: Input should be less than or equal to 1000")


def test_the_server_answers_and_refuses_with_a_sentence(example):
    reply = example.Reply("", (example.Call("convert", '{"amount": 10, "unit": "km"}'),))
    agent = example.Agent(Scripted(reply, example.Reply("6 miles.", ())), [example.convert])
    with serving(example.build_handler(agent)) as url:
        status, answer = post(f"{url}/chat/completions", {"messages": ASKED})
        assert status == 200
        assert answer["choices"][0]["message"]["content"] == "6 miles."
        assert answer["said"][1]["content"] == '"6.21 mi"'
        assert post(f"{url}/other", {})[0] == 404
        status, answer = post(f"{url}/chat/completions", b"[")
        assert (status, "Invalid JSON" in answer["error"]["message"]) == (400, True)
        status, answer = post(f"{url}/chat/completions", {"messages": []})
        assert status == 400
        assert answer["error"]["message"].startswith("messages: ")


def test_an_endpoint_is_asked_as_openais_interface_has_it(example, kit):
    agent = example.Agent(example.RandomModel(kit, 3), [example.add])
    with serving(example.build_handler(agent)) as url:
        model = example.EndpointModel(url, "m")
        reply = model.reply(ASKED, [example.make_tool(example.add).definition()], "required")
    assert reply.is_whole
    assert all(call.name == "add" for call in reply.calls)
