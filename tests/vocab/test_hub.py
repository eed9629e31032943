"""The hub: the cache's layout and place, and each way a download can fail."""

import sys
import types

import pytest

from maskc.vocab import load_vocabulary
from maskc.vocab.registry import download, find_cached, is_repository
from tests.vocab.conftest import refusal

VARIABLES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Puts a rank file into a cache folder, in the layout of the hub's own package."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def fill(folder, repository="org/name", commit=COMMIT, reference=COMMIT, file="x.tiktoken"):
        root = folder / f"models--{repository.replace('/', '--')}"
        blob = root / "blobs" / "1"
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(b"IQ== 0\n")
        snapshot = root / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / file).symlink_to(blob)
        if reference is not None:
            (root / "refs").mkdir(exist_ok=True)
            (root / "refs" / "main").write_text(reference)
        return snapshot

    return fill


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A stand-in for huggingface_hub whose download does what the test says."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    package = types.ModuleType("huggingface_hub")
    errors = types.ModuleType("huggingface_hub.errors")
    errors.HubError = type("HubError", (Exception,), {})
    monkeypatch.setitem(sys.modules, "huggingface_hub", package)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)

    def install(snapshot_download):
        package.snapshot_download = snapshot_download
        return errors

    return install


def test_an_owner_and_a_name_are_a_repository():
    assert all(map(is_repository, ("org/name", "meta-llama/Llama-3.1-8B", "a/b", "_a/b_c.d-e")))
    others = ("", "a", "a/b/c", "/a/b", "a/", "../b", "a/..", "a b/c", "a/b\n")
    assert not any(map(is_repository, others))


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("HF_HUB_CACHE", ""),
        ("HUGGINGFACE_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
        ("HOME", ".cache/huggingface/hub"),
    ],
)
def test_the_cache_is_where_the_environment_says(cache, monkeypatch, tmp_path, variable, below):
    monkeypatch.setenv(variable, str(tmp_path / "root"))
    snapshot = cache(tmp_path / "root" / below)
    assert find_cached("org/name") == snapshot


def test_the_more_exact_variable_wins(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    cache(tmp_path / "home" / "hub")
    assert find_cached("org/name") is None
    snapshot = cache(tmp_path / "cache")
    assert find_cached("org/name") == snapshot


def test_the_layout_is_that_of_the_hubs_own_package(cache, monkeypatch, tmp_path):
    import huggingface_hub

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = cache(tmp_path)
    found = huggingface_hub.snapshot_download("org/name", cache_dir=tmp_path, local_files_only=True)
    assert found == str(snapshot) == str(find_cached("org/name"))


def test_the_main_reference_or_a_single_snapshot_is_used(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache(tmp_path, "a/b", commit="1" * 40, reference="2" * 40)
    chosen = cache(tmp_path, "a/b", commit="2" * 40, reference="2" * 40)
    assert find_cached("a/b") == chosen
    assert find_cached("org/name") is None
    snapshot = cache(tmp_path, commit="1" * 40, reference=None)
    assert find_cached("org/name") == snapshot
    cache(tmp_path, commit="2" * 40, reference=None)
    assert find_cached("org/name") is None
    cache(tmp_path, "without/tokenizer", file="config.json")
    assert find_cached("without/tokenizer") is None


def test_a_vocabulary_is_loaded_from_the_cache_without_a_network(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache(tmp_path)
    vocabulary = load_vocabulary("org/name", vocab_size=2, eos_ids=(1,))
    assert (vocabulary.name, vocabulary.tokens) == ("org/name", (b"!", None))


def test_without_a_network_or_the_hubs_package_nothing_is_tried(hub, monkeypatch):
    hub(None)
    with monkeypatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "true")
        said = refusal(download, "llama3", "org/name", "pip install x")
    assert "org/name is not in the local hub cache and HF_HUB_OFFLINE is set; pip install x" in said
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    said = refusal(download, "llama3", "org/name", "pip install x")
    assert "and huggingface_hub is not installed; pip install x" in said


def test_a_download_asks_for_tokenizer_files_only(hub, tmp_path):
    asked = {}

    def fetch(repository, *, cache_dir, allow_patterns):
        asked.update(repository=repository, cache_dir=cache_dir, patterns=allow_patterns)
        (tmp_path / "tokenizer.json").write_text("{}")
        return str(tmp_path)

    hub(fetch)
    assert download("x", "org/name", "") == tmp_path
    assert asked["repository"] == "org/name"
    assert asked["cache_dir"] == tmp_path / "hub"
    assert {"tokenizer.json", "generation_config.json"} <= set(asked["patterns"])
    assert not any("safetensors" in pattern or pattern == "*" for pattern in asked["patterns"])


@pytest.mark.parametrize("kind", [OSError, ValueError, None])
def test_a_failed_download_is_one_sentence(hub, kind):
    def fail(*_, **__):
        raise (kind or errors.HubError)("401 Client Error.\nRepository not found")

    errors = hub(fail)
    assert refusal(download, "x", "org/name", "do this") == (
        "tokenizer x: org/name could not be downloaded (401 Client Error); do this"
    )


def test_a_repository_without_a_tokenizer_is_refused(hub, tmp_path):
    hub(lambda *_, **__: str(tmp_path))
    assert "org/name holds no tokenizer file" in refusal(download, "x", "org/name", "")


def test_a_network_that_cannot_be_reached_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    import huggingface_hub

    def fetch(*arguments, **options):
        return original(*arguments, **options, endpoint="http://127.0.0.1:9")

    original = huggingface_hub.snapshot_download
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    message = refusal(download, "x", "org/name", "do this")
    assert message.startswith("tokenizer x: org/name could not be downloaded (")
    assert "\n" not in message
