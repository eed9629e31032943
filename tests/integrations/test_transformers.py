"""generate() of a real model of random weights: whatever it wants, the output parses."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc.errors import VocabularyMismatchError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.integrations.errors import IntegrationError
from maskc.integrations.transformers import GrammarProcessor, open_kit, open_registry
from maskc.vocab import load_encoder
from tests.engines.steering import Steering
from tests.engines.transformers_runs import run

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

GRAMMARS = Path(__file__).parents[2] / "grammars"
PAD, ENDS = 128004, {128001, 128008, 128009}
# Loading a Llama on the CPU warns of nothing of ours.
pytestmark = pytest.mark.filterwarnings("default")

HOW_TO_RAISE = {
    "greedy": {"do_sample": False},
    "sampling": {"do_sample": True, "top_k": 0},
    "top k and top p": {"do_sample": True, "top_k": 5, "top_p": 0.9, "temperature": 1.5},
    "beams": {"do_sample": False, "num_beams": 4},
    "beams, all returned": {"do_sample": False, "num_beams": 3, "num_return_sequences": 3},
    "sampled beams": {"do_sample": True, "num_beams": 3, "top_k": 0},
    "several samples": {"do_sample": True, "num_return_sequences": 3, "top_k": 0},
}


class Haste:
    """Makes ends, and what leads to them, likelier after some tokens."""

    supports_continuous_batching = False

    def __init__(self, artifact, after):
        closing = [i for i in range(artifact.vocab_size) if is_closing(artifact.token_bytes(i))]
        self.ids, self.ends, self.after, self.n = closing, list(artifact.eos_ids), after, 0

    def __call__(self, input_ids, scores):  # noqa: ARG002
        self.n += 1
        if self.n > self.after:
            scores = scores.clone()
            scores[:, self.ids] += 1000
            scores[:, self.ends] += 2000
        return scores


def is_closing(token):
    return token is not None and len(token) <= 2 and not token.strip(b'"]}0.\n:')


def prompts(*lengths):
    """Return prompts of random tokens, padded on the left, and their attention mask."""
    ids = torch.full((len(lengths), max(lengths)), PAD)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, -length:] = torch.randint(0, 1000, (length,))
        mask[row, -length:] = 1
    return {"input_ids": ids, "attention_mask": mask}


def generate(model, processors, inputs, seed=0, **options):
    torch.manual_seed(seed)
    options = {"max_new_tokens": 40, "pad_token_id": PAD, **options}
    found = model.generate(**inputs, logits_processor=processors, **options)
    return [row[inputs["input_ids"].shape[1] :].tolist() for row in found]


def is_finished(ids):
    return bool(ENDS & set(ids))


def text_of(artifact, ids):
    """Return the text before the end; after it there is nothing but padding and ends."""
    n = next((i for i, token in enumerate(ids) if token in ENDS), len(ids))
    assert set(ids[n:]) <= ENDS | {PAD}
    return b"".join(artifact.token_bytes(i) for i in ids[:n])


def check(artifact, parser, ids):
    text = text_of(artifact, ids)
    if is_finished(ids):
        parser.parse(text.decode())
    else:
        assert artifact.matcher().accept_bytes(text)


@pytest.mark.parametrize("way", HOW_TO_RAISE)
def test_outputs_of_a_small_language_finish_and_parse(model, artifacts, parsers, way):
    artifact = artifacts["order"]
    outputs = generate(model, [GrammarProcessor(artifact)], prompts(5, 3), **HOW_TO_RAISE[way])
    assert all(map(is_finished, outputs))
    for ids in outputs:
        check(artifact, parsers["order"], ids)


@pytest.mark.parametrize("way", HOW_TO_RAISE)
def test_what_a_request_brings_is_followed(model, way):
    kit = open_kit(model, "llama3")
    schema = {"enum": [{"n": 1}, {"n": 2}]}
    constraint = kit.sequence(
        kit.choice(["yes", "no"]), kit.regex("[!?]"), kit.json_schema(schema, numbers="plain")
    )
    for ids in generate(model, [GrammarProcessor(constraint)], prompts(5, 3), **HOW_TO_RAISE[way]):
        n = next((i for i, token in enumerate(ids) if token in ENDS), len(ids))
        text = b"".join(kit.tokens.text_of(token) for token in ids[:n])
        assert constraint.matcher().accept_bytes(text)
        if is_finished(ids):
            answer, value = re.fullmatch(rb"\s*(yes|no)[!?](.*)", text, re.DOTALL).groups()
            assert answer in (b"yes", b"no")
            assert json.loads(value) in schema["enum"]


@pytest.mark.parametrize("way", HOW_TO_RAISE)
def test_json_parses_under_every_way_to_choose(model, artifacts, parsers, way):
    artifact = artifacts["json"]
    processors = [Haste(artifact, 20), GrammarProcessor(artifact)]
    outputs = generate(model, processors, prompts(2, 7), **HOW_TO_RAISE[way])
    assert any(map(is_finished, outputs))
    for ids in outputs:
        check(artifact, parsers["json"], ids)


def test_sequences_of_one_batch_follow_their_own_artifacts(model, artifacts, parsers):
    given = [artifacts["order"], None, artifacts["json"], artifacts["order"]]
    processors = [GrammarProcessor(given)]
    outputs = generate(model, processors, prompts(4, 2, 6, 1), num_beams=2, do_sample=False)
    check(given[0], parsers["order"], outputs[0])
    check(given[2], parsers["json"], outputs[2])
    check(given[3], parsers["order"], outputs[3])
    assert not given[0].matcher().accept_tokens(outputs[1][:1])


def test_python_parses(model, parsers):
    artifact = maskc.compile_grammar(GRAMMARS / "python.lark", tokenizer="llama3")
    outputs = []
    for seed in range(2):
        processors = [Haste(artifact, 6), GrammarProcessor(artifact)]
        outputs += generate(model, processors, prompts(3, 3), seed=seed, do_sample=True, top_k=0)
    assert any(map(is_finished, outputs))
    for ids in outputs:
        check(artifact, parsers["python"], ids)


@pytest.mark.parametrize("way", ["greedy", "sampling", "beams"])
def test_outputs_that_are_led_to_an_end_all_parse(model, artifacts, way):
    artifact = artifacts["json"]
    lark = build_lark(source_from_header(artifact.header["grammar"]))
    subjects = {"json": (artifact, lark, Steering(artifact, lark, "llama3"))}
    found = run(model, ["json"] * 4, subjects, way, seed=1)
    assert (found["outputs"], found["ended"], found["parsed"]) == (4, 4, 4)


def test_assisted_generation_gives_what_greedy_gives(model, artifacts):
    inputs = prompts(12)
    artifact = artifacts["json"]
    plain = generate(model, [GrammarProcessor(artifact)], inputs)
    assisted = generate(model, [GrammarProcessor(artifact)], inputs, prompt_lookup_num_tokens=4)
    assert assisted == plain


def test_a_constraint_that_binds_nothing_changes_nothing(model):
    everything = maskc.compile_grammar("start: /[\\s\\S]+/\n", tokenizer="llama3")
    inputs = prompts(4)
    free = generate(model, [], inputs, suppress_tokens=list(range(128000, 128256)))
    held = generate(model, [GrammarProcessor(everything)], inputs, suppress_tokens=list(ENDS))
    # Without the grammar a token may be bytes that are no UTF-8; up to there both agree.
    n = everything.matcher().accept_tokens(free[0])
    assert held[0][:n] == free[0][:n]
    assert n > 0


def scores_of(processor, rows):
    found = processor(torch.tensor(rows), torch.zeros(len(rows), 128256))
    return [set(torch.isfinite(row).nonzero().flatten().tolist()) for row in found]


def legal(artifact, ids):
    matcher = artifact.matcher()
    assert matcher.accept_tokens(ids) == len(ids)
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


def ids_of(artifact, text):
    by_bytes = {artifact.token_bytes(i): i for i in range(256)}
    return [by_bytes[bytes([b])] for b in text]


def test_rows_that_move_and_repeat_are_found_by_their_tokens(artifacts):
    artifact = artifacts["json"]
    processor = GrammarProcessor(artifact)
    first, second, string = (ids_of(artifact, text) for text in (b"[1", b"{ ", b'"a'))
    scores_of(processor, [[7]] * 3)
    scores_of(processor, [[7, ids[0]] for ids in (first, second, string)])
    found = scores_of(processor, [[7, *ids] for ids in (string, first, first)])
    assert found == [legal(artifact, ids) for ids in (string, first, first)]


def test_a_row_that_goes_back_or_jumps_is_followed(artifacts):
    artifact = artifacts["json"]
    processor = GrammarProcessor(artifact)
    text = ids_of(artifact, b'{"key": [1, 2, {"other": null}], "more": "' + b"x" * 80)
    for n in (0, 40, 3, 120, 60, 61):
        assert scores_of(processor, [[7, 7, *text[:n]]]) == [legal(artifact, text[:n])]


def test_a_row_with_an_illegal_token_is_left_its_ends(artifacts):
    artifact = artifacts["json"]
    processor = GrammarProcessor(artifact)
    scores_of(processor, [[7]])
    assert scores_of(processor, [[7, *ids_of(artifact, b"x")]]) == [ENDS]


def test_a_processor_serves_one_call_only(model, artifacts):
    processor = GrammarProcessor(artifacts["order"])
    inputs = prompts(6)
    generate(model, [processor], inputs)
    inputs["input_ids"][0, 0] += 1
    with pytest.raises(IntegrationError, match="make a GrammarProcessor for each call"):
        generate(model, [processor], inputs)


def test_artifacts_that_do_not_divide_the_batch_are_refused(model, artifacts):
    processor = GrammarProcessor([artifacts["order"]] * 2)
    with pytest.raises(IntegrationError, match="2 artifacts are given for a batch of 3 rows"):
        generate(model, [processor], prompts(1, 1, 1))


def test_logits_that_are_too_narrow_are_refused(artifacts):
    with pytest.raises(IntegrationError, match="the model's logits only 100"):
        GrammarProcessor(artifacts["order"])(torch.tensor([[1]]), torch.zeros(1, 100))


def test_logits_that_are_wider_are_never_legal_beyond_the_artifact(artifacts):
    found = GrammarProcessor(artifacts["order"])(torch.tensor([[1]]), torch.zeros(1, 128300))
    assert torch.isneginf(found[0, 128256:]).all()


def test_a_registry_is_opened_for_a_model(model, artifacts):
    registry = open_registry(model, "llama3", artifacts.folder)
    # Other tests put more into the folder.
    assert {"json", "order"} <= set(registry.names())
    assert registry.load("json").vocab_size == 128256


def test_a_registry_follows_examples_before_the_first_request(model, artifacts, tmp_path):
    artifacts["order"].save(tmp_path / "order.maskc")
    tokens = load_encoder("llama3").encode("buy 2 of tea.")
    (tmp_path / "order.examples.jsonl").write_text(f"{tokens}\n")
    registry = open_registry(model, "llama3", tmp_path)
    assert registry.preload() == {}
    artifact = registry.load("order")
    n_masks = len(artifact.mask_table())
    processor = GrammarProcessor(artifact)
    for n in range(len(tokens)):
        processor(torch.tensor([[1, *tokens[:n]]]), torch.zeros(1, 128256))
    assert len(artifact.mask_table()) == n_masks > len(tokens) // 2


def test_a_registry_refuses_another_tokenizers_artifact(model, tmp_path):
    maskc.compile_grammar('start: "a"\n', tokenizer="mistral").save(tmp_path / "m.maskc")
    with pytest.raises(VocabularyMismatchError, match="m: compiled for tokenizer mistral"):
        open_registry(model, "llama3", tmp_path).load("m")
