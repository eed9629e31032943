"""Requests of vLLM that end within their tokens: after thoughts, and with drafts."""

import pytest

from maskc.errors import ArtifactError
from maskc.integrations import vllm as plugin
from tests.integrations import vllm_parts as parts
from tests.integrations.vllm_parts import start

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def folder(references):
    plugin.register()
    return references


@pytest.fixture(scope="module")
def config(tokenizer):
    return parts.make_config(tokenizer)


@pytest.fixture
def manager(config, tokenizer, monkeypatch):
    made = parts.make_manager(config, tokenizer, monkeypatch)
    yield made
    made.clear_backend()


@pytest.fixture
def text_of(tokenizer):
    return lambda ids: {tokenizer.decode([i]) for i in ids}


def ask(config, tokenizer, max_tokens, **fields):
    return parts.ask(
        config, tokenizer, max_tokens=max_tokens, extra=fields or None, grammar="maskc://list"
    )


def masks(manager, request, drafts=()):
    return parts.masks(manager, [request], {"0": list(drafts)} if drafts else None)


def take(manager, request, tokenizer, text):
    """Have vLLM's scheduler take the tokens of a text."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    request.num_output_tokens += len(ids)
    request.all_token_ids += ids
    assert manager.accept_tokens(request, ids)


def test_masks_leave_room_for_the_end(manager, config, tokenizer, monkeypatch, text_of):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(config, tokenizer, 5)
    start(manager, request)
    take(manager, request, tokenizer, "[")
    assert {"1", "]"} == text_of(masks(manager, request)[0])
    take(manager, request, tokenizer, "1")
    assert text_of(masks(manager, request)[0]) == {",", ",]"}
    take(manager, request, tokenizer, ",")
    assert text_of(masks(manager, request)[0]) == {"]"}
    take(manager, request, tokenizer, "]")
    assert masks(manager, request) == [{tokenizer.eos_token_id}]


def test_nothing_changes_unless_the_operator_wants_it(manager, config, tokenizer, text_of):
    request = ask(config, tokenizer, 3, maskc_finish="true")
    start(manager, request)
    take(manager, request, tokenizer, "[")
    assert "1" in text_of(masks(manager, request)[0])


def test_a_request_may_ask_for_it(manager, config, tokenizer, monkeypatch, text_of):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "asked")
    asking = ask(config, tokenizer, 3, maskc_finish="true")
    other = ask(config, tokenizer, 3)
    for request in (asking, other):
        start(manager, request)
        take(manager, request, tokenizer, "[")
    assert text_of(masks(manager, asking)[0]) == {"]"}
    assert "1" in text_of(masks(manager, other)[0])


def test_drafts_have_fewer_tokens_left_and_are_taken_back(
    manager, config, tokenizer, monkeypatch, text_of
):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    monkeypatch.setattr(config, "num_speculative_tokens", 3)
    request = ask(config, tokenizer, 5)
    start(manager, request)
    take(manager, request, tokenizer, "[")
    # From 0.33 on a request has as many rows as it may have drafts, and one more.
    before = masks(manager, request)[0]
    one, comma = (tokenizer.encode(text, add_special_tokens=False)[-1] for text in "1,")
    rows = masks(manager, request, [one, comma])[:3]
    assert rows[0] == before
    assert [text_of(row) for row in rows[1:]] == [{",", ",]"}, {"]"}]
    assert masks(manager, request)[0] == before
    # What is drafted beyond the limit is masked, too; vLLM does not take it.
    beyond = masks(manager, request, [one, comma, one])
    assert beyond[:3] == rows


def test_thoughts_take_tokens_too(manager, config, tokenizer, monkeypatch, text_of):
    """The grammar is not told of them: vLLM's count of the request's tokens is."""
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(config, tokenizer, 13)
    start(manager, request)
    request.num_output_tokens = 10
    assert text_of(masks(manager, request)[0]) == {"[", "[]"}
    take(manager, request, tokenizer, "[")
    assert text_of(masks(manager, request)[0]) == {"]"}


def test_a_wrong_setting_ends_the_servers_start(monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "always")
    with pytest.raises(ArtifactError, match="choose one of cut, asked, finish"):
        plugin.register()
