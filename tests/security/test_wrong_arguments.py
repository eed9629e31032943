"""Whatever a caller hands over, what comes out is a MaskcError of one line."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import maskc
from maskc.bounded import QUIET
from maskc.errors import GrammarError, WrongTypeError, WrongValueError
from maskc.integrations.registry import ArtifactRegistry
from maskc.kit.file import make_kit
from maskc.vocab import load_encoder, load_vocabulary
from tests.fuzz.api import Calls, run_call

KIT = make_kit(load_vocabulary("bytes"))


def _force(encode):
    KIT.choice(["ab"]).matcher().forced_tokens(encode)


@pytest.mark.costly
def test_calls_with_hostile_arguments_raise_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = Calls(tmp_path)
    found = [(n, *outcome[:2]) for n in range(150) if (outcome := run_call(calls, n))[1]]
    assert found == []


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: KIT.choice([None]), "a choice must be a str, not None"),
        (lambda: KIT.choice("yes"), "choices must be a list, not str"),
        (lambda: KIT.choice(b"yes"), "choices must be a list, not bytes; decode it"),
        (lambda: KIT.choice({"yes": 1}), "choices must be a list, not a mapping"),
        (lambda: maskc.compile_grammar(b"start:", tokenizer="bytes"), "what is neither a grammar"),
        (lambda: maskc.compile_grammar(None, tokenizer="bytes"), "what is neither a grammar"),
        (lambda: load_encoder(None), "a tokenizer must be a path, not None"),
        (lambda: maskc.Endpoint(None), "the address must be a str, not None"),
        (lambda: maskc.Endpoint("http://a", fields=1), "fields must be a mapping, not int"),
        (lambda: make_kit("bytes"), "a vocabulary is one of maskc.vocab.load_vocabulary"),
        (lambda: _force(lambda _: None), "tokens must be a list, not None"),
        (lambda: _force(lambda _: {"input_ids": [97]}), "a token of encode must be an int"),
        (lambda: KIT.text(without="ab"), "without must be a list, not str"),
        (lambda: KIT.regex(b"a"), "a pattern must be a str, not bytes; decode it"),
        (lambda: KIT.lark('start: "a"', starts="a"), "a Lark grammar has no setting 'starts'"),
        (lambda: KIT.regex("a", limits=5), "limits must be a maskc.Limits, not int"),
        (lambda: maskc.Limits(seconds="5"), "seconds must be a number, not str"),
        (lambda: maskc.load(None), "an artifact must be a path, not None"),
        (lambda: maskc.load_kit(3), "a kit must be a path, not int"),
        (lambda: KIT.regex("a").matcher().accept_tokens(7), "tokens must be a list"),
    ],
)
def test_a_wrong_type_is_named(call, sentence):
    with pytest.raises(WrongTypeError) as raised:
        call()
    assert str(raised.value).startswith(sentence)


def test_a_name_of_an_artifact_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(WrongTypeError, match="the name of an artifact must be a str"):
        ArtifactRegistry(load_vocabulary("bytes"), tmp_path).load(None)


def test_a_bitmask_that_does_not_fit_into_memory_is_refused():
    with pytest.raises(WrongValueError, match="does not fit into memory; give a smaller batch"):
        maskc.allocate_bitmask(2, 2**63)


def test_half_of_a_surrogate_pair_in_a_grammar_is_named_with_its_line():
    with pytest.raises(GrammarError) as raised:
        KIT.lark('start: A\nA: "\ud800"\n')
    assert str(raised.value) == (
        "<text>:2: U+D800 is half of a surrogate pair, which no text holds; "
        "write the character itself"
    )


@pytest.mark.parametrize("shared", [KIT, KIT.regex("a"), maskc.compile_pattern("a")])
def test_what_is_shared_is_its_own_copy_and_not_pickled(shared):
    assert copy.deepcopy([shared])[0] is shared
    assert copy.copy(shared) is shared
    with pytest.raises(WrongTypeError, match="is not pickled, as it shares tables; "):
        pickle.dumps(shared)


def test_a_matcher_is_not_pickled():
    with pytest.raises(WrongTypeError, match="a matcher is not pickled"):
        pickle.dumps(KIT.regex("a").matcher())


@pytest.mark.parametrize(
    "make",
    [
        lambda pattern: KIT.lark(f"start: A\nA: /{pattern}/\n"),
        lambda pattern: KIT.json_schema({"type": "string", "pattern": f"^{pattern}$"}),
    ],
)
def test_a_bracket_inside_brackets_means_what_re_reads_and_nobody_is_warned(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matcher = make("[[:alpha:]]").matcher()
    quotes = b'"' if matcher.accept_bytes(b'"') else b""
    assert not matcher.fork().accept_bytes(b"z")
    assert matcher.accept_bytes(b"a]" + quotes)


def test_filters_of_warnings_are_as_before_whatever_threads_compile():
    quiet = type(QUIET)()  # a compiling thread of another test may still be in the one of maskc
    before = list(warnings.filters)
    both = threading.Barrier(2)

    def compile_some():
        for _ in range(20):
            with quiet:
                both.wait()

    threads = [threading.Thread(target=compile_some) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before


def test_numbers_of_numpy_are_taken():
    matcher = KIT.repeat(KIT.choice(["a"]), np.int64(1), np.int8(2)).matcher()
    assert matcher.accept_tokens(np.array([97, 97], dtype=np.int16)) == 2
