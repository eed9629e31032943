"""Requests of SGLang that end within their tokens, after its own grammar manager."""

from types import SimpleNamespace

import numpy as np
import pytest

from maskc.integrations import sglang as plugin
from tests.integrations import sglang_parts as parts
from tests.integrations.sglang_parts import WIDTH, GrammarManager, create

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def folder(references):
    plugin.register()
    return references


@pytest.fixture(params=[(None, None), ("deepseek-r1", 4)], ids=["plain", "thinking, drafts"])
def backend(request, monkeypatch, tokenizer):
    parser, n_drafted = request.param
    options = SimpleNamespace(speculative_num_draft_tokens=n_drafted)
    return create(monkeypatch, tokenizer, "maskc", parser, options)


def ask(backend, max_new_tokens, **fields):
    request = parts.ask(
        backend, ebnf="maskc://list", custom_params=fields or None, max_new_tokens=max_new_tokens
    )
    assert not request.errors
    return request


def legal(request, tokenizer):
    mask = request.grammar.allocate_vocab_mask(WIDTH, 1, "cpu")
    request.grammar.fill_vocab_mask(mask, 0)
    bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")
    return {tokenizer.decode([i]) for i in np.flatnonzero(bits)}


def take(request, tokenizer, text):
    for token in tokenizer.encode(text, add_special_tokens=False):
        request.output_ids.append(token)
        request.grammar.accept_token(token)


def spare(backend):
    """Return how many tokens are kept back for what drafts may hide."""
    return getattr(backend, "grammar_backend", backend).n_drafted


def test_masks_leave_room_for_the_end(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(backend, 5 + spare(backend))
    take(request, tokenizer, "[")
    assert {"1", "]"} == legal(request, tokenizer)
    copy = request.grammar.copy()
    take(request, tokenizer, "1")
    assert legal(request, tokenizer) == {",", ",]"}
    request.grammar.rollback(1)
    assert {"1", "]"} == legal(request, tokenizer)
    request.grammar = copy
    assert {"1", "]"} == legal(request, tokenizer)


def test_each_request_has_its_own_limit(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "asked")
    asking = ask(backend, 3 + spare(backend), maskc_finish=True)
    longer = ask(backend, 9 + spare(backend), maskc_finish=True)
    other = ask(backend, 3 + spare(backend))
    for request in (asking, longer, other):
        take(request, tokenizer, "[")
    assert legal(asking, tokenizer) == {"]"}
    assert "1" in legal(longer, tokenizer)
    assert "1" in legal(other, tokenizer)


def test_nothing_changes_unless_the_operator_wants_it(backend, tokenizer):
    request = ask(backend, 3, maskc_finish=True)
    take(request, tokenizer, "[")
    assert "1" in legal(request, tokenizer)


def test_thoughts_take_tokens_too(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(backend, 13 + spare(backend))
    request.output_ids += [5] * 10
    assert legal(request, tokenizer) == {"[", "[]"}
    take(request, tokenizer, "[")
    assert legal(request, tokenizer) == {"]"}


def test_following_requests_twice_changes_nothing():
    before = GrammarManager.process_req_with_grammar
    plugin.register()
    assert GrammarManager.process_req_with_grammar is before


def test_a_changed_manager_is_told_by_name(monkeypatch, caplog):
    def renamed(self, req, priority):
        """A later version's."""

    monkeypatch.setattr(GrammarManager, "process_req_with_grammar", renamed)
    plugin.register()
    assert "process_req_with_grammar takes (self, req, pri" in caplog.text
