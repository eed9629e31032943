"""The plug-in inside SGLang's own classes: backends, requests, masks and draft trees."""

import json
import shutil

import numpy as np
import pytest

from maskc.errors import ArtifactError
from maskc.integrations import sglang as plugin
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.integrations.generations import NAMES, Generation, Subject
from tests.integrations.orders import TAG
from tests.integrations.sglang_parts import (
    GRAMMAR_BACKEND_CHOICES,
    WIDTH,
    FunctionCallParser,
    ReasonerGrammarBackend,
    SamplingBatchInfo,
    Tool,
    ask,
    base,
    create,
    torch,
    traverse_tree,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def folder(references):
    plugin.register()
    return references


@pytest.fixture(params=["maskc", "maskc-llguidance"])
def backend(request, monkeypatch, tokenizer):
    return create(monkeypatch, tokenizer, request.param)


def masked(grammars):
    """Return the ids that SGLang's own batch leaves of logits of zero."""
    info = SamplingBatchInfo.__new__(SamplingBatchInfo)
    info.grammars, info.vocab_size, info.device = grammars, WIDTH, "cpu"
    info.temperatures = torch.ones(len(grammars))
    info.update_regex_vocab_mask()
    logits = torch.zeros(len(grammars), WIDTH)
    info.grammar_mask.apply(logits)
    return [set(row.isfinite().nonzero().flatten().tolist()) for row in logits]


def texts(tokenizer, ids):
    return {tokenizer.decode([i]) for i in ids}


def encode(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False)


def test_the_names_are_choices_of_the_server():
    assert {"maskc", "maskc-llguidance"} <= set(GRAMMAR_BACKEND_CHOICES)


def test_registering_again_adds_nothing():
    before = list(GRAMMAR_BACKEND_CHOICES)
    plugin.register()
    assert before == GRAMMAR_BACKEND_CHOICES


def test_artifacts_follow_their_examples_when_a_server_starts(
    monkeypatch, tokenizer, folder, tmp_path
):
    shutil.copy(folder / "answer.maskc", tmp_path)
    tokens = encode(tokenizer, "yes")
    (tmp_path / "answer.examples.jsonl").write_text(f"{tokens}\n")
    monkeypatch.setenv("MASKC_ARTIFACTS", str(tmp_path))
    artifact = create(monkeypatch, tokenizer, "maskc").registry.served()["answer"]
    assert len(artifact.mask_table()) == 1 + len(tokens)  # with the one that has no token


def test_one_batch_mixes_artifacts_and_the_delegates_own(backend, tokenizer):
    ours = ask(backend, ebnf="maskc://answer").grammar
    theirs = ask(backend, regex="left|right").grammar
    for grammars in ([ours, theirs, None], [theirs, ours, None]):
        found = masked(grammars)
        assert texts(tokenizer, found[grammars.index(ours)]) == {"y", "ye", "yes", "n", "no"}
        assert "left" in texts(tokenizer, found[grammars.index(theirs)])
        assert len(found[2]) == WIDTH


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "no such artifact"),
        ("../answer", "is not the name of an artifact"),
        ("other", "compiled for tokenizer bytes"),
    ],
)
@pytest.mark.parametrize("parser", [None, "deepseek-r1"])
def test_a_bad_reference_fails_its_request_and_is_not_remembered(
    monkeypatch, tokenizer, parser, name, message
):
    """With a reasoning parser, the cache in use is that of the backend around ours."""
    backend = create(monkeypatch, tokenizer, "maskc", parser)
    request = ask(backend, ebnf=f"maskc://{name}")
    assert message in request.errors[0]
    assert not backend.cache


def test_the_second_request_of_an_artifact_starts_at_the_start(backend, tokenizer):
    first = ask(backend, ebnf="maskc://answer").grammar
    for token in encode(tokenizer, "no"):
        first.accept_token(token)
    second = ask(backend, ebnf="maskc://answer").grammar
    assert masked([first]) == [{tokenizer.eos_token_id}]
    assert "yes" in texts(tokenizer, masked([second])[0])


def test_a_request_ends_and_an_illegal_token_raises(backend, tokenizer):
    grammar = ask(backend, ebnf="maskc://answer").grammar
    with pytest.raises(ValueError, match="is not legal here"):
        grammar.accept_token(encode(tokenizer, "x")[0])
    for token in [*encode(tokenizer, "yes"), tokenizer.eos_token_id]:
        grammar.accept_token(token)
    assert grammar.is_terminated()
    grammar.rollback(1)
    assert masked([grammar]) == [{tokenizer.eos_token_id}]


def test_a_draft_tree_is_masked_and_leaves_no_trace(backend, tokenizer):
    grammar = ask(backend, ebnf="maskc://list").grammar
    left, one, comma, right = (encode(tokenizer, c)[-1] for c in "[1,]")
    before = masked([grammar])
    # 0 is the root; 1 its child `[`; 2 and 3 are `]` and `1` after it; 4 is `,` after 3.
    child = torch.tensor([1, 2, -1, 4, -1])
    sibling = torch.tensor([-1, -1, 3, -1, -1])
    bitmask = grammar.allocate_vocab_mask(WIDTH, 5, "cpu")
    draft = torch.tensor([0, left, right, one, comma])
    traverse_tree(child, sibling, draft, grammar, bitmask, vocab_size=WIDTH)
    bits = np.unpackbits(bitmask.numpy().view(np.uint8), axis=1, bitorder="little")
    rows = [set(np.flatnonzero(row[:WIDTH]).tolist()) for row in bits]
    assert rows[0] == before[0]
    assert {one, right} <= rows[1]
    assert rows[2] == {tokenizer.eos_token_id}
    assert right not in rows[3]
    assert comma in rows[3]
    assert right in rows[4]
    assert masked([grammar]) == before


@pytest.mark.costly
def test_hundreds_of_generations_in_batches_all_parse(monkeypatch, tokenizer, folder):
    backend = create(monkeypatch, tokenizer, "maskc")
    subjects = [Subject(name, "deepseek", folder) for name in NAMES]
    finished = []
    for batch in range(14):
        chosen = [subjects[number % len(subjects)] for number in range(15)]
        going = [
            (
                ask(backend, ebnf=f"maskc://{subject.name}").grammar,
                Generation(subject, f"{batch}:{n}"),
            )
            for n, subject in enumerate(chosen)
        ]
        for _ in range(300):
            bitmask = going[0][0].allocate_vocab_mask(WIDTH, len(going), "cpu")
            for row, (grammar, _) in enumerate(going):
                grammar.fill_vocab_mask(bitmask, row)
            for row, (grammar, generation) in enumerate(going):
                token = generation.choose(bitmask[row].numpy())
                grammar.accept_token(token)
                generation.take(token)
                assert grammar.is_terminated() == (generation.text is not None)
            finished += [generation for _, generation in going if generation.text is not None]
            going = [pair for pair in going if pair[1].text is None]
            if not going:
                break
        assert not going
    assert len(finished) == 210
    assert all(generation.parses() for generation in finished)


def test_forced_text_is_jumped_over(backend, tokenizer):
    grammar = ask(backend, ebnf="maskc://answer").grammar
    grammar.accept_token(encode(tokenizer, "y")[0])
    helper = grammar.try_jump_forward(tokenizer)
    assert grammar.jump_forward_str_state(helper) == ("es", -1)
    grammar.jump_and_retokenize(encode(tokenizer, "y"), encode(tokenizer, "yes"), -1)
    assert masked([grammar]) == [{tokenizer.eos_token_id}]
    assert grammar.try_jump_forward(tokenizer) is None


def test_reasoning_comes_before_the_grammar(monkeypatch, tokenizer):
    backend = create(monkeypatch, tokenizer, "maskc", reasoning_parser="deepseek-r1")
    assert isinstance(backend, ReasonerGrammarBackend)
    grammar = ask(backend, ebnf="maskc://answer").grammar
    grammar.maybe_init_reasoning(True)
    think = encode(tokenizer, "hm")
    for token in [*think, *backend.think_end_ids]:
        grammar.accept_token(token)
    assert texts(tokenizer, masked([grammar])[0]) == {"y", "ye", "yes", "n", "no"}


def test_a_changed_method_leaves_all_requests_to_the_other_backend(monkeypatch, tokenizer, caplog):
    def changed(self, vocab_mask, idx, stream):
        """A later version's."""

    with monkeypatch.context() as patch:
        patch.setattr(base.BaseGrammarObject, "fill_vocab_mask", changed)
        plugin.register()
    assert "fill_vocab_mask takes" in caplog.text
    backend = create(monkeypatch, tokenizer)
    plugin.register()
    assert not hasattr(backend, "delegate")


def test_a_missing_hook_is_told(monkeypatch, caplog):
    monkeypatch.delattr(base, "register_grammar_backend")
    plugin.register()
    assert "has no register_grammar_backend" in caplog.text


SCHEMA = '{"type": "object", "properties": {"a": {"const": "x"}}, "required": ["a"]}'


@pytest.fixture
def serving_all(monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "all")


@pytest.mark.usefixtures("serving_all")
@pytest.mark.parametrize(
    ("constraint", "written"),
    [
        ({"json_schema": SCHEMA}, '{"a": "x"}'),
        ({"json_schema": "$$ANY$$"}, '{"b": [1, null]}'),
        ({"regex": "[a-c]{2}!"}, "ab!"),
        ({"regex": "(yes|no)"}, "no"),
        ({"ebnf": 'root ::= "a" root | "b"'}, "aab"),
        ({"ebnf": 'start: "a" start | "b"'}, "aab"),
        ({"structural_tag": json.dumps(TAG)}, "so <f=a>12</f>."),
    ],
)
@pytest.mark.parametrize("parser", [None, "deepseek-r1"])
def test_a_requests_own_constraint_is_served(monkeypatch, tokenizer, constraint, written, parser):
    backend = create(monkeypatch, tokenizer, "maskc", parser)
    grammar = ask(backend, **constraint).grammar
    inner = grammar if parser is None else grammar.grammar
    assert type(inner).__name__ == "MaskcGrammar"
    for token in encode(tokenizer, written):
        assert token in masked([inner])[0]
        inner.accept_token(token)
    assert tokenizer.eos_token_id in masked([inner])[0]
    assert not backend.cache


@pytest.mark.usefixtures("serving_all")
@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"json_schema": '{"type": "nothing"}'}, "nothing"),
        ({"regex": r"(a*)\1"}, "refers back"),
        ({"ebnf": "root ::= missing"}, "missing"),
        ({"structural_tag": json.dumps(TAG).replace("integer", "nothing")}, "nothing"),
    ],
)
def test_what_is_refused_fails_its_request_and_is_not_remembered(backend, constraint, message):
    assert message in ask(backend, **constraint).errors[0]
    assert not backend.cache


def test_what_is_refused_can_go_to_the_delegate(monkeypatch, tokenizer):
    monkeypatch.setenv("MASKC_REQUESTS", "json,regex")
    monkeypatch.setenv("MASKC_REFUSED", "backend")
    backend = create(monkeypatch, tokenizer, "maskc")
    refused = ask(backend, json_schema='{"type": "integer", "maxLength": -1}')
    assert type(refused.grammar).__name__ == "XGrammarGrammar"
    assert backend.constraints.statistics()["json refused"] == 1
    assert type(ask(backend, regex="[ab]").grammar).__name__ == "MaskcGrammar"


def test_kinds_that_are_not_ours_go_to_the_delegate(monkeypatch, tokenizer):
    monkeypatch.setenv("MASKC_REQUESTS", "json")
    backend = create(monkeypatch, tokenizer, "maskc")
    assert type(ask(backend, regex="[ab]").grammar).__name__ == "XGrammarGrammar"
    assert set(backend.cache) == {("regex", "[ab]")}


@pytest.mark.usefixtures("serving_all")
def test_a_grammar_that_is_given_up_is_not_compiled(monkeypatch, tokenizer):
    backend = create(monkeypatch, tokenizer, "maskc")
    future, _ = backend.get_cached_or_future_value(
        ("regex", "((a{1,500}){1,500}){1,500}(?!b)"), False
    )
    future.cancel()
    assert "cancelled" in future.result(timeout=60).error_message


def test_a_wrong_setting_ends_the_servers_start(monkeypatch, tokenizer):
    monkeypatch.setenv("MASKC_REQUESTS", "jsno")
    with pytest.raises(ArtifactError, match="'jsno' is not a kind of request"):
        create(monkeypatch, tokenizer, "maskc")


OBJECT = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def constrain(parser):
    """Return SGLang's structural tag of a tool, as it sends it."""
    function = {"name": "f", "parameters": OBJECT, "strict": True}
    tools = [Tool(type="function", function=function)]
    kind, tag = FunctionCallParser(tools, parser).get_structure_constraint("required")
    assert kind == "structural_tag"
    return json.dumps(tag.model_dump(by_alias=True))


@pytest.mark.parametrize(
    ("parser", "before", "word"),
    [
        ("qwen25", '<tool_call>\n{"name":"f", "arguments":{"q": "a', "</tool_call>"),
        ("hermes", '<tool_call>{"name":"f", "arguments":{"q": "a', "</tool_call>"),
        ("kimi_k2", None, "<|tool_call_end|>"),
        ("qwen3_coder", "<tool_call>\n<function=f>\n<parameter=q>a", "</function>"),
    ],
)
def test_what_ends_a_call_is_barred_from_arguments(monkeypatch, parser, before, word):
    monkeypatch.delenv("MASKC_REQUESTS", raising=False)
    plain = constrain(parser)
    monkeypatch.setenv("MASKC_REQUESTS", "structural_tag")
    forbidden = constrain(parser)
    assert f'"{word}"' in forbidden
    assert f'"excludes": ["{word}' not in plain
    if before is not None:
        kit = make_kit(load_vocabulary("bytes"))
        for tag, expected in ((plain, True), (forbidden, False)):
            matcher = kit.structural_tag(tag).matcher()
            assert matcher.accept_bytes(before.encode())
            assert matcher.accept_bytes(word.encode()) is expected
