"""maskc.generate with a Llama of random weights in transformers."""

import threading
from typing import Literal

import pytest

import maskc
from maskc.errors import TokensLeftError, UnfinishedTextError
from maskc.integrations.errors import IntegrationError
from maskc.integrations.transformers import GrammarProcessor, open_kit
from tests.engines.transformers_runs import build_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("llama_models")
pydantic = pytest.importorskip("pydantic")

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.costly]


class Order(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: Literal["buy", "sell"]
    symbol: str = pydantic.Field(pattern="^[A-Z]{1,5}$")
    amount: int = pydantic.Field(ge=1, le=1000)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return build_model(128_256, 64, 2)


def test_a_class_comes_back_as_its_object(model):
    for seed in range(4):
        order = maskc.generate(
            model, "llama3", Order, prompt="An order:", max_tokens=40, temperature=1.0, seed=seed
        )
        assert isinstance(order, Order)
    greedy = [maskc.generate(model, "llama3", Order, prompt="An order:") for _ in range(2)]
    assert greedy[0] == greedy[1]


def test_a_seed_draws_the_same_and_leaves_the_callers_generator(model):
    torch.manual_seed(5)
    wanted = torch.rand(1)
    torch.manual_seed(5)
    drawn = [
        maskc.generate(model, "llama3", list[int], prompt="a", temperature=2.0, seed=7)
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert torch.rand(1) == wanted


def test_a_stream_has_whole_characters_and_ends_with_the_value(model):
    kinds = {"type": "object", "properties": {"a": {"enum": ["日本語", "é"]}}, "required": ["a"]}
    schema = kinds | {"additionalProperties": False}
    events = list(maskc.stream(model, "llama3", schema, prompt="x", style="plain", seed=1))
    assert events[-1].finish_reason == "stop"
    assert events[-1].value["a"] in ("日本語", "é")
    assert "".join(event.delta for event in events) == events[-1].text


def test_a_stream_that_is_left_stops_the_model(model):
    events = maskc.stream(model, "llama3", {"type": "string"}, prompt="x", max_tokens=900)
    next(events)
    events.close()
    assert not [thread for thread in threading.enumerate() if "maskc.stream" in thread.name]


def test_a_text_ends_within_its_tokens_or_is_refused_before_the_model_runs(model):
    text = maskc.generate(
        model, "llama3", {"type": "string"}, prompt="x", max_tokens=9, temperature=1.0, seed=2
    )
    assert isinstance(text, str)
    with pytest.raises(TokensLeftError):
        maskc.generate(model, "llama3", Order, prompt="x", max_tokens=3)


def test_a_constraint_gives_a_text_and_stop_strings_end_it(model):
    kit = open_kit(model, "llama3")
    digits = kit.regex("[0-9]{40}")
    text = maskc.generate(model, "llama3", digits, prompt="x", seed=1, temperature=1.0)
    assert len(text) == 40
    cut = maskc.generate(
        model, "llama3", digits, prompt="x", seed=1, temperature=1.0, stop=[text[5:7]]
    )
    assert cut == text[: text.index(text[5:7])]
    with pytest.raises(UnfinishedTextError):
        maskc.generate(model, "llama3", Order, prompt="x", stop="kind")


def test_the_kit_is_made_once_for_a_model(model, monkeypatch):
    maskc.generate(model, "llama3", bool, prompt="x")
    monkeypatch.setattr("maskc.integrations.transformers.open_kit", None)
    assert maskc.generate(model, "llama3", bool, prompt="x") in (True, False)


def test_a_processor_tells_how_its_texts_ended(model):
    kit = open_kit(model, "llama3")
    processor = GrammarProcessor([kit.choice(["a"]), None, kit.regex("b{300}")])
    ids = torch.tensor([[1, 2]] * 3)
    with pytest.raises(IntegrationError, match="has not been used yet"):
        processor.finish_reasons(ids)
    out = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=20,
        do_sample=False,
        logits_processor=[processor],
        eos_token_id=list(kit.tokens.eos_ids),
        pad_token_id=128_004,
    )
    assert processor.finish_reasons(out) == ["stop", None, "length"]
    assert processor.is_complete(out) == [True, None, False]
    with pytest.raises(IntegrationError, match="other prompts"):
        processor.finish_reasons(out + 1)


def test_the_rows_of_beams_are_told_too(model):
    kit = open_kit(model, "llama3")
    processor = GrammarProcessor([kit.regex("[ab]{3}"), kit.regex("c{300}")])
    ids = torch.tensor([[1, 2], [3, 4]])
    out = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=9,
        num_beams=3,
        num_return_sequences=2,
        logits_processor=[processor],
        eos_token_id=list(kit.tokens.eos_ids),
        pad_token_id=128_004,
    )
    assert processor.finish_reasons(out) == ["stop", "stop", "length", "length"]


@pytest.mark.parametrize("given", [None, [], [None, None]])
def test_a_processor_without_an_artifact_is_refused(given):
    with pytest.raises(IntegrationError, match="has no artifact"):
        GrammarProcessor(given)
