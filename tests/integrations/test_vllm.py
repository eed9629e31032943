"""The plug-in inside vLLM's own classes: parameters, requests and the structured-output manager."""

import json
import shutil
import threading
from types import SimpleNamespace

import pytest

from maskc.errors import MaskcError
from maskc.integrations import vllm as plugin
from maskc.integrations.patches import ORIGINAL
from tests.integrations.orders import TAG
from tests.integrations.vllm_parts import (
    WIDTH,
    ChatCompletionRequest,
    ParserManager,
    StructuredOutputManager,
    VLLMValidationError,
    ask,
    make_config,
    make_manager,
    masks,
    start,
    structured_output,
)

BACKENDS = ["xgrammar", "guidance"]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def folder(references):
    with pytest.MonkeyPatch.context() as patch:
        # The plug-in tests itself when it is registered, whatever it is to serve.
        patch.setenv("MASKC_REQUESTS", "all")
        plugin.register()
    return references


@pytest.fixture(scope="module")
def config(tokenizer):
    return make_config(tokenizer)


@pytest.fixture
def manager(config, tokenizer, monkeypatch):
    made = make_manager(config, tokenizer, monkeypatch)
    yield made
    made.clear_backend()


def texts(tokenizer, ids):
    return {tokenizer.decode([i]) for i in ids}


def test_artifacts_follow_their_examples_when_an_engine_starts(
    config, tokenizer, folder, monkeypatch, tmp_path
):
    shutil.copy(folder / "answer.maskc", tmp_path)
    tokens = tokenizer.encode("yes", add_special_tokens=False)
    (tmp_path / "answer.examples.jsonl").write_text(f"{tokens}\n")
    monkeypatch.setenv("MASKC_ARTIFACTS", str(tmp_path))
    monkeypatch.setattr(structured_output, "cached_tokenizer_from_config", lambda **_: tokenizer)
    model = SimpleNamespace(**vars(config.model_config))
    StructuredOutputManager(SimpleNamespace(**vars(config) | {"model_config": model}))
    artifact = plugin.open_registry(model, tokenizer).served()["answer"]
    assert len(artifact.mask_table()) == 1 + len(tokens)  # with the one that has no token


@pytest.mark.parametrize("backend", [*BACKENDS, "auto"])
def test_a_reference_passes_the_front_end_and_stays_as_it_was(config, tokenizer, backend):
    request = ask(config, tokenizer, backend, grammar="maskc://answer")
    asked = request.sampling_params.structured_outputs
    assert asked.grammar == "maskc://answer"
    assert asked._backend == (backend if backend != "auto" else "xgrammar")


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing", "missing: no such artifact"), ("../answer", "is not the name of an artifact")],
)
def test_a_bad_reference_is_the_clients_error(config, tokenizer, name, message):
    with pytest.raises(VLLMValidationError, match=message):
        ask(config, tokenizer, grammar=f"maskc://{name}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "broken: is not a maskc artifact"),
        ("other", "other: compiled for tokenizer bytes"),
    ],
)
def test_an_artifact_that_cannot_be_served_is_the_servers_fault(config, tokenizer, name, message):
    with pytest.raises(MaskcError, match=message):
        ask(config, tokenizer, grammar=f"maskc://{name}")


def test_a_grammar_that_is_none_is_still_the_backends_to_refuse(config, tokenizer):
    with pytest.raises(VLLMValidationError, match="Invalid grammar specification"):
        ask(config, tokenizer, grammar="no grammar ::= ::=")


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_batch_mixes_artifacts_and_the_backends_own(manager, config, tokenizer, backend):
    ours = ask(config, tokenizer, backend, grammar="maskc://answer")
    theirs = ask(config, tokenizer, backend, choice=["left", "right"])
    assert type(start(manager, ours)).__name__ == "MaskcGrammar"
    assert type(start(manager, theirs)).__name__ != "MaskcGrammar"
    first, second = masks(manager, [ours, theirs])
    assert texts(tokenizer, first) == {"y", "ye", "yes", "n", "no"}
    assert "left" in texts(tokenizer, second)


@pytest.mark.skipif(
    not hasattr(structured_output, "VLLMValidationError"), reason="before 0.33 vLLM takes any"
)
def test_an_artifact_fits_an_engine_that_began_with_another_backend(manager, config, tokenizer):
    """With ``auto`` the front end resolves a reference to xgrammar; engines keep to one backend."""
    theirs = ask(config, tokenizer, "guidance", choice=["left", "right"])
    start(manager, theirs)
    assert manager.backend_name == "guidance"
    ours = ask(config, tokenizer, "auto", grammar="maskc://answer")
    assert type(start(manager, ours)).__name__ == "MaskcGrammar"
    with pytest.raises(VLLMValidationError, match="only supports one backend"):
        start(manager, ask(config, tokenizer, "auto", choice=["left", "right"]))


def test_a_request_runs_to_its_end(manager, config, tokenizer):
    request = ask(config, tokenizer, grammar="maskc://answer")
    grammar = start(manager, request)
    word = tokenizer.encode("yes", add_special_tokens=False)
    assert manager.accept_tokens(request, word)
    assert masks(manager, [request]) == [{tokenizer.eos_token_id}]
    assert manager.accept_tokens(request, [tokenizer.eos_token_id])
    assert grammar.is_terminated()
    # Behind the end vLLM asks for no mask, and takes what comes.
    assert manager.accept_tokens(request, [5])


def test_an_illegal_token_is_rejected(manager, config, tokenizer):
    request = ask(config, tokenizer, grammar="maskc://answer")
    start(manager, request)
    assert not manager.accept_tokens(request, tokenizer.encode("x", add_special_tokens=False))


def test_drafts_are_cut_and_masked_and_taken_back(manager, config, tokenizer, monkeypatch):
    monkeypatch.setattr(config, "num_speculative_tokens", 4)
    request = ask(config, tokenizer, grammar="maskc://list")
    start(manager, request)
    ids = [tokenizer.encode(c, add_special_tokens=False)[-1] for c in "[1,]"]
    eos = tokenizer.eos_token_id
    assert manager.validate_tokens(request, [ids[0], ids[2], ids[1]]) == ids[:1]
    assert manager.validate_tokens(request, [ids[0], ids[3], eos, 7]) == [ids[0], ids[3], eos]
    before = masks(manager, [request])
    rows = masks(manager, [request], {"0": [ids[0], ids[3], eos]})
    assert rows[0] == before[0]
    assert rows[2] == {eos}
    # Behind the end a row is free: the manager itself says so.
    assert len(rows[3]) == WIDTH
    assert masks(manager, [request])[0] == before[0]


def test_stop_tokens_of_the_request_wait_for_the_end(manager, config, tokenizer):
    request = ask(config, tokenizer, grammar="maskc://answer")
    request.sampling_params._all_stop_token_ids.add(77)
    start(manager, request)
    assert 77 not in masks(manager, [request])[0]
    manager.accept_tokens(request, tokenizer.encode("no", add_special_tokens=False))
    assert masks(manager, [request]) == [{77, tokenizer.eos_token_id}]


def test_a_batch_filled_by_many_threads_is_filled_right(manager, config, tokenizer):
    requests = [ask(config, tokenizer, grammar="maskc://answer") for _ in range(150)]
    for request in requests:
        start(manager, request)
    found = masks(manager, requests)
    assert len(found) == 150
    assert all(row == found[0] for row in found)


@pytest.mark.costly
def test_hundreds_of_generations_in_batches_all_parse(manager, config, tokenizer, folder):
    # The oracle needs a later Lark than the one that vLLM asks for.
    generations = pytest.importorskip("tests.integrations.generations", exc_type=ImportError)
    subjects = [generations.Subject(name, "deepseek", folder) for name in generations.NAMES]
    finished = []
    for batch in range(14):
        going = {}
        for number in range(15):
            subject = subjects[number % len(subjects)]
            request = ask(config, tokenizer, grammar=f"maskc://{subject.name}")
            start(manager, request)
            going[str(number)] = (request, generations.Generation(subject, f"{batch}:{number}"))
        for _ in range(300):
            requests = {key: request for key, (request, _) in going.items()}
            bitmask = manager.grammar_bitmask(requests, list(requests), {})
            for row, (key, (request, generation)) in enumerate(list(going.items())):
                token = generation.choose(bitmask[row])
                assert manager.validate_tokens(request, [token]) == [token]
                assert manager.accept_tokens(request, [token])
                generation.take(token)
                if generation.text is not None:
                    finished.append(going.pop(key)[1])
            if not going:
                break
        assert not going
    assert len(finished) == 210
    assert all(generation.parses() for generation in finished)


def test_an_artifact_that_went_bad_fails_its_request_only(manager, config, tokenizer, folder):
    late = folder / "late.maskc"
    late.write_bytes((folder / "answer.maskc").read_bytes())
    request = ask(config, tokenizer, grammar="maskc://answer")
    request.sampling_params.structured_outputs.grammar = "maskc://gone"
    assert "gone: no such artifact" in str(start(manager, request))
    good = ask(config, tokenizer, grammar="maskc://late")
    assert start(manager, good).session


def test_registering_again_changes_nothing():
    before = StructuredOutputManager._create_grammar
    threads = [threading.Thread(target=plugin.register) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert StructuredOutputManager._create_grammar is before


def test_a_changed_method_is_told_by_name(monkeypatch, caplog):
    def renamed(self, request, priority):
        """A later version's."""

    monkeypatch.setattr(StructuredOutputManager, "_create_grammar", renamed)
    plugin.register()
    assert "_create_grammar takes (self, request, priority" in caplog.text


def test_a_manager_that_goes_another_way_is_left_alone(monkeypatch, caplog):
    monkeypatch.setattr(
        StructuredOutputManager,
        "_create_grammar",
        getattr(StructuredOutputManager._create_grammar, ORIGINAL),
    )
    monkeypatch.setattr(
        StructuredOutputManager,
        "grammar_init",
        lambda self, request: setattr(  # noqa: ARG005 - vLLM's own names
            request.structured_output_request, "grammar", "other"
        ),
    )
    plugin.register()
    assert "vLLM does not ask maskc" in caplog.text


def test_a_manager_that_asks_for_what_a_request_has_not_is_told(monkeypatch, caplog):
    def grammar_init(self, request):  # noqa: ARG001 - vLLM's own names
        return request.priority

    monkeypatch.setattr(
        StructuredOutputManager,
        "_create_grammar",
        getattr(StructuredOutputManager._create_grammar, ORIGINAL),
    )
    monkeypatch.setattr(StructuredOutputManager, "grammar_init", grammar_init)
    plugin.register()
    assert "our self-test failed with AttributeError" in caplog.text
    # What was put in place is taken back.
    assert StructuredOutputManager.grammar_init is grammar_init
    assert not hasattr(StructuredOutputManager._create_grammar, ORIGINAL)


SCHEMA = {"type": "object", "properties": {"a": {"enum": ["x"]}}, "additionalProperties": False}


@pytest.fixture
def all_kinds(monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "all")


@pytest.mark.usefixtures("all_kinds")
@pytest.mark.parametrize(
    ("constraint", "written"),
    [
        ({"json": SCHEMA}, '{"a": "x"}'),
        ({"json": json.dumps(SCHEMA)}, '{"a":"x"}'),
        ({"json_object": True}, '{"b": [1, null]}'),
        ({"regex": "[a-c]{2}!"}, "ab!"),
        ({"choice": ["yes", "no"]}, "no"),
        ({"grammar": 'root ::= "a" root | "b"'}, "aab"),
        ({"grammar": 'start: "a" start | "b"'}, "aab"),
        ({"structural_tag": json.dumps(TAG)}, "so <f=a>12</f>."),
    ],
)
def test_a_requests_own_constraint_is_served(manager, config, tokenizer, constraint, written):
    request = ask(config, tokenizer, "auto", **constraint)
    assert type(start(manager, request)).__name__ == "MaskcGrammar"
    ids = tokenizer.encode(written, add_special_tokens=False)
    for number in ids:
        assert number in masks(manager, [request])[0]
        assert manager.accept_tokens(request, [number])
    assert tokenizer.eos_token_id in masks(manager, [request])[0]
    assert manager.accept_tokens(request, [tokenizer.eos_token_id])


@pytest.mark.usefixtures("all_kinds")
@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"json": {"type": "nothing"}}, "nothing"),
        ({"json": {"enum": []}}, "no value"),
        ({"regex": r"(a*)\1"}, "refers back"),
        ({"grammar": "root ::= missing"}, "missing"),
        ({"choice": ["\ud800"]}, "UTF-8"),
        ({"structural_tag": json.dumps(TAG).replace("integer", "nothing")}, "nothing"),
    ],
)
def test_what_is_refused_is_the_clients_error(config, tokenizer, constraint, message):
    with pytest.raises(VLLMValidationError, match=message):
        ask(config, tokenizer, **constraint)


def test_what_is_refused_can_go_to_the_backend(manager, config, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "json")
    monkeypatch.setenv("MASKC_REFUSED", "backend")
    # No schema of any dialect; xgrammar takes what it does not know for no constraint.
    refused = ask(config, tokenizer, json={"type": "integer", "maxLength": -1})
    assert type(start(manager, refused)).__name__ != "MaskcGrammar"
    pattern = ask(config, tokenizer, regex="[a-c]")
    assert type(start(manager, pattern)).__name__ != "MaskcGrammar"


@pytest.mark.usefixtures("all_kinds")
def test_one_batch_mixes_names_and_requests(manager, config, tokenizer):
    requests = [
        ask(config, tokenizer, grammar="maskc://answer"),
        ask(config, tokenizer, json=SCHEMA),
        ask(config, tokenizer, choice=["left", "right"]),
    ]
    for request in requests:
        start(manager, request)
    first, second, third = masks(manager, requests)
    assert texts(tokenizer, first) == {"y", "ye", "yes", "n", "no"}
    assert "{" in texts(tokenizer, second)
    assert "left" in texts(tokenizer, third)


@pytest.mark.usefixtures("all_kinds")
def test_drafts_of_a_request_are_cut_and_taken_back(manager, config, tokenizer, monkeypatch):
    monkeypatch.setattr(config, "num_speculative_tokens", 4)
    request = ask(config, tokenizer, json=SCHEMA)
    start(manager, request)
    ids = tokenizer.encode('{"a": "x"}', add_special_tokens=False)
    assert manager.validate_tokens(request, [*ids[:2], 5]) == ids[:2]
    before = masks(manager, [request])
    assert masks(manager, [request], {"0": ids[:3]})[0] == before[0]
    assert masks(manager, [request])[0] == before[0]


@pytest.mark.usefixtures("all_kinds")
def test_a_wrong_setting_of_the_operator_is_told(config, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "jsno")
    with pytest.raises(VLLMValidationError, match="'jsno' is not a kind of request"):
        ask(config, tokenizer, json=SCHEMA)


def chat(tokenizer, **fields):
    """Return the structural tag that vLLM makes of a chat with a tool for ``hermes``."""
    function = {"name": "f", "parameters": SCHEMA, "strict": True}
    tools = [{"type": "function", "function": function}]
    messages = [{"role": "user", "content": "?"}]
    asked = ChatCompletionRequest(messages=messages, tools=tools, **fields)
    parser = ParserManager.get_parser(
        tool_parser_name="hermes", reasoning_parser_name=None, enable_auto_tools=True
    )
    adjusted = parser(tokenizer, asked.tools).adjust_request(asked)
    return json.loads(adjusted.extract_structured_outputs().structural_tag)["format"]


def list_excludes(form):
    """Return what each JSON Schema of a format excludes."""
    if isinstance(form, list):
        return [words for inner in form for words in list_excludes(inner)]
    if not isinstance(form, dict):
        return []
    if form.get("type") == "json_schema":
        return [form["excludes"]]
    return list_excludes(list(form.values()))


@pytest.mark.usefixtures("all_kinds")
def test_what_ends_a_call_is_barred_from_arguments_and_from_nothing_else(tokenizer):
    wanted = {"name": "answer", "schema": {"type": "string"}}
    shape = {"type": "json_schema", "json_schema": wanted}
    found = list_excludes(chat(tokenizer, tool_choice="auto", response_format=shape))
    assert sorted(found) == [[], *[["<tool_call>", "</tool_call>"]] * 2]


def test_a_tag_that_is_the_backends_stays_as_it_is(tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "json,regex")
    assert list_excludes(chat(tokenizer, tool_choice="required")) == [[], []]


@pytest.mark.usefixtures("all_kinds")
def test_a_tag_that_a_client_sends_stays_as_it_is(manager, config, tokenizer):
    call = {
        "type": "tag",
        "begin": "<tool_call>",
        "content": {"type": "json_schema", "json_schema": {"type": "string"}},
        "end": "</tool_call>",
    }
    asked = json.dumps({"type": "structural_tag", "format": call})
    request = ask(config, tokenizer, structural_tag=asked)
    grammar = start(manager, request)
    assert request.sampling_params.structured_outputs.structural_tag == asked
    ids = tokenizer.encode('<tool_call>"</tool_call>"', add_special_tokens=False)
    assert grammar.accept_tokens("r", ids)
