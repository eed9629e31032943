"""Continuous batching of a real model: requests name artifacts, and come and go on their own."""

import time

import pytest

from maskc.integrations import continuous_batching
from maskc.integrations.continuous_batching import Requests, check_interface, open_manager
from maskc.integrations.errors import IntegrationError
from maskc.integrations.transformers import open_registry

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("transformers.generation.continuous_batching.cb_logits_processors")

pytestmark = pytest.mark.filterwarnings("default")

ENDS = {128001, 128008, 128009}


@pytest.fixture(scope="module")
def registry(model, artifacts):
    return open_registry(model, "llama3", artifacts.folder)


def small(**options):
    """Return a configuration that takes little memory."""
    return transformers.ContinuousBatchingConfig(
        page_size=16, num_blocks=256, max_batch_tokens=256, max_requests_per_batch=32, **options
    )


def generation(**options):
    options = {"do_sample": True, "top_k": 0, "max_new_tokens": 40, **options}
    return transformers.GenerationConfig(eos_token_id=sorted(ENDS), pad_token_id=128004, **options)


def serve(model, registry, requests, config=None, **options):
    """Return the output of each request, in order."""
    torch.manual_seed(0)
    manager = open_manager(
        model,
        registry,
        generation_config=generation(**options),
        continuous_batching_config=config or small(),
    )
    manager.start()
    try:
        names = [manager.add_request(ids, **named) for ids, named in requests]
        found, until = {}, time.monotonic() + 120
        while len(found) < len(names) and time.monotonic() < until:
            result = manager.get_result(timeout=1)
            if result is not None and result.is_finished():
                found[result.request_id] = result
    finally:
        manager.stop(block=True, timeout=60)
        manager.destroy()
    return [found[name] for name in names]


def prompt(length):
    return list(range(100, 100 + length))


def text_of(artifact, ids):
    n = next((i for i, token in enumerate(ids) if token in ENDS), len(ids))
    return b"".join(artifact.token_bytes(i) for i in ids[:n])


def is_finished(ids):
    return bool(ENDS & set(ids))


@pytest.mark.parametrize(
    "way", [{"do_sample": False}, {}, {"top_k": 3, "temperature": 1.5}, {"top_p": 0.5}]
)
def test_requests_of_one_batch_follow_the_artifacts_they_name(
    model, registry, artifacts, parsers, way
):
    asked = [(prompt(3 + n), {"grammar": ("order", "json")[n % 2]}) for n in range(8)]
    outputs = serve(model, registry, asked, **way)
    for (_, named), output in zip(asked, outputs, strict=True):
        name = named["grammar"]
        assert output.error is None
        text = text_of(artifacts[name], output.generated_tokens)
        if is_finished(output.generated_tokens):
            parsers[name].parse(text.decode())
        else:
            assert artifacts[name].matcher().accept_bytes(text)
    orders = outputs[::2]
    assert all(is_finished(output.generated_tokens) for output in orders)


def test_a_request_without_a_grammar_is_free_beside_one_that_has_one(model, registry, artifacts):
    free, bound = serve(model, registry, [(prompt(4), {}), (prompt(4), {"grammar": "order"})])
    assert free.error is None
    assert not artifacts["order"].matcher().accept_tokens(free.generated_tokens[:1])
    assert artifacts["order"].matcher().accept_tokens(bound.generated_tokens[:1])


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"grammar": "missing"}, "missing: no such artifact"),
        ({"grammar": "../order"}, "is not the name of an artifact"),
        ({"grammar": 5}, "has type int, expected str"),
        ({"gramar": "order"}, "Unknown logit_processor_kwargs"),
    ],
)
def test_a_bad_name_fails_its_request_and_no_other(
    model, registry, artifacts, parsers, named, message
):
    bad, good = serve(model, registry, [(prompt(4), named), (prompt(4), {"grammar": "order"})])
    assert message in bad.error
    assert good.error is None
    parsers["order"].parse(text_of(artifacts["order"], good.generated_tokens).decode())


def test_more_requests_than_the_cache_holds_are_followed_all_the_same(
    model, registry, artifacts, parsers
):
    crowded = transformers.ContinuousBatchingConfig(
        page_size=4, num_blocks=24, max_batch_tokens=64, max_requests_per_batch=16
    )
    asked = [(prompt(2 + n % 5), {"grammar": "order"}) for n in range(24)]
    outputs = serve(model, registry, asked, crowded)
    for output in outputs:
        assert output.error is None
        parsers["order"].parse(text_of(artifacts["order"], output.generated_tokens).decode())


def test_several_outputs_of_one_request_part_ways(model, registry, artifacts, parsers):
    config = generation(num_return_sequences=3)
    manager = open_manager(
        model, registry, generation_config=config, continuous_batching_config=small()
    )
    manager.start()
    try:
        manager.add_request(prompt(5), grammar="order")
        outputs = []
        until = time.monotonic() + 60
        while len(outputs) < 3 and time.monotonic() < until:
            result = manager.get_result(timeout=1)
            if result is not None and result.is_finished():
                outputs.append(result.generated_tokens)
    finally:
        manager.stop(block=True, timeout=60)
        manager.destroy()
    assert len(outputs) == 3
    for ids in outputs:
        parsers["order"].parse(text_of(artifacts["order"], ids).decode())


class State:
    """What is read of transformers' ``RequestState``."""

    def __init__(self, name, generated, eos=128009):
        self.request_id, self.generated_tokens, self.eos_token_id = "r", generated, eos
        self.logit_processor_kwargs = {"grammar": name}
        self.older = []

    def to_generation_output(self):
        output = transformers.generation.continuous_batching.requests.GenerationOutput("r")
        output.generated_tokens = self.older + self.generated_tokens
        return output


def legal(requests, state):
    (row,) = requests.fill([state])
    bits = requests.masks[row].view("u1")
    return {i for i in range(128_256) if bits[i // 8] >> i % 8 & 1}


def tokens_of(artifact, *texts):
    ids = {artifact.token_bytes(i): i for i in range(artifact.vocab_size)}
    return [ids[text] for text in texts]


def test_a_request_that_begins_again_goes_on_where_it_was(registry, artifacts):
    buy, space, three, of = tokens_of(artifacts["order"], b"buy", b" ", b"3", b" of")
    first = State("order", [buy, space])
    requests = Requests(registry)
    before = legal(requests, first)
    again = State("order", [])
    again.older = [buy, space]
    assert legal(requests, again) == before
    again.generated_tokens.append(three)
    assert of in legal(requests, again)


def test_a_request_keeps_to_the_artifact_that_was_there_when_it_came(model, artifacts, tmp_path):
    path = tmp_path / "order.maskc"
    artifacts["order"].save(path)
    requests = Requests(open_registry(model, "llama3", tmp_path))
    requests.check("order")
    path.unlink()
    state = State("order", [])
    (buy,) = tokens_of(artifacts["order"], b"buy")
    assert buy in legal(requests, state)
    state.generated_tokens.append(buy)
    assert buy not in legal(requests, state)


def test_a_request_that_is_gone_is_forgotten(registry):
    requests = Requests(registry)
    state = State("order", [])
    requests.fill([state])
    assert len(requests._followed) == 1
    del state
    assert not requests._followed


def test_only_the_requests_own_ends_are_legal_and_at_the_end_only(registry, artifacts):
    text = [b"buy", b" ", b"3", b" of", b" tea"]
    state = State("order", tokens_of(artifacts["order"], *text), eos=[128001, -1])
    requests = Requests(registry)
    assert not legal(requests, state) & ENDS
    state.generated_tokens += tokens_of(artifacts["order"], b".")
    assert legal(requests, state) == {128001}


def test_after_an_illegal_token_only_the_end_is_left(registry, artifacts):
    state = State("order", tokens_of(artifacts["order"], b"tea"))
    assert legal(Requests(registry), state) == set(artifacts["order"].eos_ids)


@pytest.mark.parametrize("option", [{"use_async_batching": True}, {"use_cuda_graph": True}])
def test_what_begins_a_step_too_early_is_refused(model, registry, option):
    with pytest.raises(IntegrationError, match="start a step before its masks are known"):
        open_manager(model, registry, continuous_batching_config=small(**option))


def test_a_manager_that_was_opened_without_grammars_is_refused(model, registry):
    manager = model.init_continuous_batching(generation(), small())
    manager.start()
    manager.stop(block=True, timeout=60, keep_for_next_session=True)
    try:
        with pytest.raises(IntegrationError, match="still has a manager that was opened without"):
            open_manager(model, registry)
    finally:
        model.destroy_cached_continuous_batching_manager()


def test_another_interface_is_refused(monkeypatch):
    check_interface()
    many = continuous_batching._list_class()
    monkeypatch.setattr(many, "check_kwargs", lambda self, kwargs, more: None)  # noqa: ARG005
    with pytest.raises(IntegrationError, match=r"check_kwargs takes \(self, kwargs, more\)"):
        check_interface()
