"""Names become artifacts that fit the model, or a sentence."""

import pickle
import shutil
import threading

import pytest

import maskc
from maskc.compiler.pipeline import compile_contents
from maskc.errors import ArtifactError, UnknownArtifactError, VocabularyMismatchError
from maskc.frontends.source import load_source
from maskc.integrations import registry as module
from maskc.integrations.registry import ArtifactRegistry, ListedArtifact
from maskc.kit.file import make_kit, save_kit
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text

BYTES = tuple(bytes([b]) for b in range(256))
MODEL = Vocabulary((*BYTES, None), (256,), "model")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("artifacts")
    compile_text('start: "yes" | "no"').save(folder / "answer.v1.maskc")
    return folder


@pytest.fixture
def folder(built, tmp_path):
    shutil.copytree(built, tmp_path / "artifacts")
    return tmp_path / "artifacts"


def refusal(registry, name):
    with pytest.raises((ArtifactError, VocabularyMismatchError)) as caught:
        registry.load(name)
    return str(caught.value)


def test_a_name_is_the_file_of_that_name(folder):
    registry = ArtifactRegistry(MODEL, folder)
    assert registry.load("answer.v1").matcher().accept_bytes(b"yes")


def test_an_artifact_is_loaded_once(folder):
    registry = ArtifactRegistry(MODEL, folder)
    assert registry.load("answer.v1") is registry.load("answer.v1")


@pytest.mark.parametrize("mapped", [True, False])
def test_an_artifact_is_read_into_memory_unless_it_is_to_be_mapped(folder, monkeypatch, mapped):
    asked = []
    load = module.load
    monkeypatch.setattr(module, "load", lambda path, **how: asked.append(how) or load(path, **how))
    ArtifactRegistry(MODEL, folder, **({"mapped": True} if mapped else {})).load("answer.v1")
    assert [how["mapped"] for how in asked] == [mapped]


def test_the_listing_has_the_hash_of_what_is_served(folder):
    registry = ArtifactRegistry(MODEL, folder)
    (folder / "odd.maskc").mkdir()
    content = registry.load("answer.v1").content_hash
    assert registry.find("answer.v1").content_hash == content
    assert registry.listing() == (ListedArtifact("answer.v1", content),)


def test_only_what_can_be_served_is_listed_and_listing_loads_nothing(folder, monkeypatch):
    (folder / "broken.maskc").write_bytes(b"?")
    registry = ArtifactRegistry(MODEL, folder)
    reads = []
    load = module.load
    monkeypatch.setattr(module, "load", lambda path, **how: reads.append(path) or load(path, **how))
    assert [listed.name for listed in registry.listing()] == ["answer.v1"]
    assert registry.served() == {}
    registry.listing()
    assert sum(path.name == "answer.v1.maskc" for path in reads) == 1
    assert "available: answer.v1" in refusal(registry, "other")


def test_a_name_that_there_is_not_is_the_requests_fault_and_a_bad_file_is_the_servers(folder):
    (folder / "broken.maskc").write_bytes(b"?")
    registry = ArtifactRegistry(MODEL, folder)
    registry.load("answer.v1")
    (folder / "answer.v1.maskc").unlink()
    for name, is_requests in {
        "other": True,
        "../a": True,
        "broken": False,
        "answer.v1": False,
    }.items():
        with pytest.raises(ArtifactError) as caught:
            registry.load(name)
        assert isinstance(caught.value, UnknownArtifactError) == is_requests


def test_the_folder_is_that_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv("MASKC_ARTIFACTS", str(folder))
    assert ArtifactRegistry(MODEL).names() == ("answer.v1",)


def test_no_folder_is_refused_with_the_variable_to_set(monkeypatch):
    monkeypatch.delenv("MASKC_ARTIFACTS", raising=False)
    with pytest.raises(ArtifactError, match="set MASKC_ARTIFACTS"):
        ArtifactRegistry(MODEL)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="is not a folder"):
        ArtifactRegistry(MODEL, tmp_path / "missing")


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../answer.v1", "a/b", "a\\b", "/etc/passwd", "a\0b", "a\n", ".hidden"),
        *("é", "a b", "x" * 129, "x" * 100_000),
    ],
)
def test_a_name_that_could_leave_the_folder_is_refused_by_its_form(folder, name):
    assert "is not the name of an artifact" in refusal(ArtifactRegistry(MODEL, folder), name)


def test_a_long_name_is_not_repeated_in_full(folder):
    assert len(refusal(ArtifactRegistry(MODEL, folder), "x" * 100_000)) < 300


def test_a_missing_artifact_is_refused_with_those_that_there_are(folder):
    message = refusal(ArtifactRegistry(MODEL, folder), "other")
    assert message == "other: no such artifact; available: answer.v1"


def test_invented_names_take_no_memory(folder):
    registry = ArtifactRegistry(MODEL, folder)
    for i in range(100):
        refusal(registry, f"invented{i}")
    assert not registry._loading


def test_a_broken_artifact_is_refused_without_the_path_of_the_server(folder):
    data = (folder / "answer.v1.maskc").read_bytes()
    (folder / "broken.maskc").write_bytes(data[:-100])
    message = refusal(ArtifactRegistry(MODEL, folder), "broken")
    assert message.startswith("broken: is truncated")
    assert str(folder) not in message


def test_a_folder_of_an_artifacts_name_is_refused(folder):
    (folder / "odd.maskc").mkdir()
    assert refusal(ArtifactRegistry(MODEL, folder), "odd").startswith("odd: is a folder")


def test_a_refused_file_is_not_read_again_until_it_changes(folder, monkeypatch):
    good = (folder / "answer.v1.maskc").read_bytes()
    (folder / "late.maskc").write_bytes(b"no artifact")
    registry = ArtifactRegistry(MODEL, folder)
    calls = []
    load = module.load
    monkeypatch.setattr(module, "load", lambda path, **how: calls.append(path) or load(path, **how))
    monkeypatch.setattr(module, "SETTLED_NS", 0)
    assert refusal(registry, "late") == refusal(registry, "late")
    assert len(calls) == 1
    (folder / "late.maskc").write_bytes(good)
    assert registry.load("late").matcher().accept_bytes(b"no")


def test_a_refusal_survives_the_way_between_processes(folder):
    registry = ArtifactRegistry(Vocabulary((None,) * 257, (256,), "m"), folder)
    with pytest.raises(VocabularyMismatchError) as caught:
        registry.load("answer.v1")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_many_threads_get_one_artifact(folder, monkeypatch):
    calls = []
    load = module.load
    monkeypatch.setattr(module, "load", lambda path, **how: calls.append(path) or load(path, **how))
    registry = ArtifactRegistry(MODEL, folder)
    found = []
    start = threading.Barrier(8)

    def ask():
        start.wait()
        found.append(registry.load("answer.v1"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1
    assert len(calls) == 1


def test_an_artifact_that_leaves_its_vocabulary_to_a_kit_is_served_with_the_servers_kit(
    tmp_path, monkeypatch
):
    (tmp_path / "artifacts").mkdir()
    kit = make_kit(MODEL)
    save_kit(kit, tmp_path / "model.kit")
    artifact = compile_text('start: "yes" | "no"')
    artifact.save(tmp_path / "artifacts" / "lean.maskc", kit=kit)
    monkeypatch.setenv("MASKC_KIT", str(tmp_path / "model.kit"))
    monkeypatch.setattr("maskc.runtime.loading.find_tokens", lambda *_: None)
    registry = ArtifactRegistry(MODEL, tmp_path / "artifacts")
    assert registry.load("lean").matcher().accept_bytes(b"yes")


def test_an_artifact_of_tools_is_served_as_any_other(folder):
    tool = {"type": "function", "function": {"name": "f"}}
    made = maskc.compile_tools([tool], tokenizer="bytes", family="exaone", choice="required")
    made.save(folder / "calls.maskc")
    served = ArtifactRegistry(load_vocabulary("bytes"), folder).load("calls")
    assert served.matcher().forced_bytes() == b'<tool_call>{"name": "f", "arguments": {'


def test_added_tokens_are_taken_as_the_artifact_has_them(folder):
    """It was compiled before they wrote text, or with another choice; other bytes are refused."""
    added = {257: b"yes", 258: b"<x>"}
    model = Vocabulary((*BYTES, None, b"yes", None), (256,), "m", {}, added)
    registry = ArtifactRegistry(model, folder)
    assert registry.load("answer.v1").token_bytes(97) == b"a"

    def save(name, *tokens):
        vocabulary = Vocabulary((*BYTES, None, *tokens), (256,), "compiled")
        contents, _ = compile_contents(load_source('start: "yes"\n'), vocabulary)
        maskc.Artifact(contents).save(folder / f"{name}.maskc")

    for number, tokens in enumerate([(b"yes", None), (None, b"<x>"), (None, None)]):
        save(f"a{number}", *tokens)
        assert registry.load(f"a{number}").token_bytes(257) == tokens[0]
    save("other", b"no", None)
    assert "token 257 is b'no' in the artifact" in refusal(registry, "other")
