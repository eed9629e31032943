"""An artifact without its vocabulary: where it is found, and what is said where it is not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode, load_container
from maskc.errors import ArtifactError
from maskc.kit.file import make_kit, save_kit
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary

GRAMMAR = 'start: "yes" ("," "no")*\n'
OTHER = Vocabulary((b"y", b"e", b"s", None), (3,), "other")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a kit, the same artifact with its tokens and without, and a foreign kit."""
    folder = tmp_path_factory.mktemp("lent")
    kit = make_kit(load_vocabulary("bytes"))
    save_kit(kit, folder / "bytes.kit")
    artifact = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")
    artifact.save(folder / "whole.maskc")
    artifact.save(folder / "lean.maskc", kit=kit)
    save_kit(make_kit(OTHER), folder / "other.kit")
    return folder


@pytest.fixture
def nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kit that another test has open is found."""
    monkeypatch.setattr("maskc.runtime.loading.find_tokens", lambda *_: None)


def _alone(folder: Path, tmp_path: Path) -> Path:
    target = tmp_path / "lean.maskc"
    target.write_bytes((folder / "lean.maskc").read_bytes())
    return target


def _masks(artifact: Artifact) -> list[list[int]]:
    bitmask, rows = maskc.allocate_bitmask(1, artifact.vocab_size), []
    for text in (b"", b"ye", b"yes", b"yes,n"):
        matcher = artifact.matcher()
        assert matcher.accept_bytes(text)
        matcher.fill_bitmask(bitmask, 0)
        rows.append(bitmask[0].tolist())
    return rows


def test_an_artifact_leaves_its_vocabulary_to_a_kit(folder: Path) -> None:
    arrays = load_container(folder / "lean.maskc")[1]
    assert {"token_first", "token_bytes"}.isdisjoint(arrays)


@pytest.mark.parametrize("mapped", [False, True])
def test_a_lean_artifact_has_the_masks_of_a_whole_one(folder: Path, *, mapped: bool) -> None:
    lean = maskc.load(folder / "lean.maskc", mapped=mapped)
    assert _masks(lean) == _masks(maskc.load(folder / "whole.maskc"))


@pytest.mark.usefixtures("nothing_open")
def test_the_kit_beside_an_artifact_is_found(folder: Path) -> None:
    maskc.load(folder / "lean.maskc")


@pytest.mark.usefixtures("nothing_open")
def test_a_kit_that_is_given_serves(folder: Path, tmp_path: Path) -> None:
    maskc.load(_alone(folder, tmp_path), kit=folder / "bytes.kit")


def test_a_kit_that_is_open_serves(folder: Path, tmp_path: Path) -> None:
    kit = maskc.load_kit(folder / "bytes.kit")
    artifact = maskc.load(_alone(folder, tmp_path))
    assert artifact.tokens is kit.tokens.table


@pytest.fixture
def foreign() -> Vocabulary:
    """Tokens that no other test has open."""
    tokens = (*(bytes([byte]) for byte in range(256)), b"foreign", None)
    return Vocabulary(tokens, (257,), "foreign")


def _compile_lean(vocabulary: Vocabulary, target: Path) -> None:
    from maskc.compiler.pipeline import compile_contents
    from maskc.frontends.source import load_source

    contents = compile_contents(load_source(GRAMMAR, dialect="lark"), vocabulary, None)[0]
    Artifact(contents).save(target, kit=make_kit(vocabulary))


@pytest.mark.usefixtures("nothing_open")
def test_without_its_kit_an_artifact_is_refused(foreign: Vocabulary, tmp_path: Path) -> None:
    _compile_lean(foreign, tmp_path / "lean.maskc")
    with pytest.raises(
        ArtifactError, match=r"leaves its vocabulary foreign \(\w{12}\) to a kit, and that is not"
    ) as caught:
        maskc.load(tmp_path / "lean.maskc")
    assert "NAME.kit" in caught.value.remedy


def test_a_kit_of_another_tokenizer_is_refused(folder: Path) -> None:
    with pytest.raises(ArtifactError, match="the one given is for another tokenizer"):
        maskc.load(folder / "lean.maskc", kit=folder / "other.kit")


def test_nothing_is_left_to_a_kit_of_another_tokenizer(folder: Path, tmp_path: Path) -> None:
    artifact = maskc.load(folder / "whole.maskc")
    with pytest.raises(ArtifactError, match="is a kit for another tokenizer than the artifact's"):
        artifact.save(tmp_path / "x.maskc", kit=folder / "other.kit")
    assert not (tmp_path / "x.maskc").exists()


def test_an_artifact_is_no_kit_to_borrow_from(folder: Path) -> None:
    with pytest.raises(ArtifactError, match="is an artifact, not a kit"):
        maskc.load(folder / "lean.maskc", kit=folder / "whole.maskc")


def test_a_lean_artifact_is_saved_lean_again(folder: Path, tmp_path: Path) -> None:
    artifact = maskc.load(folder / "lean.maskc")
    artifact.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (folder / "lean.maskc").read_bytes()
    assert artifact.content_hash == (folder / "lean.maskc").read_bytes()[-32:].hex()


@pytest.mark.parametrize(
    "change",
    [
        {"eos_ids": ["1"]},
        {"eos_ids": [-1]},
        {"eos_ids": None},
        {"fingerprint": 5},
        {"fingerprint": None},
    ],
)
def test_a_lean_artifact_that_names_no_vocabulary_is_refused(
    folder: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    header, arrays = load_container(folder / "lean.maskc")
    header["tokenizer"] |= change
    (tmp_path / "forged").write_bytes(encode(header, arrays))
    with pytest.raises(ArtifactError, match="does not name its vocabulary"):
        maskc.load(tmp_path / "forged", kit=folder / "bytes.kit")


@pytest.mark.usefixtures("nothing_open")
def test_a_damaged_kit_in_the_folder_is_passed_over(foreign: Vocabulary, tmp_path: Path) -> None:
    _compile_lean(foreign, tmp_path / "lean.maskc")
    (tmp_path / "a.kit").write_bytes(b"no kit")
    (tmp_path / "b.kit").mkdir()
    save_kit(make_kit(foreign), tmp_path / "c.kit")
    assert maskc.load(tmp_path / "lean.maskc").token_bytes(256) == b"foreign"


def test_a_kit_whose_tokens_do_not_ascend_is_refused(folder: Path, tmp_path: Path) -> None:
    header, arrays = load_container(folder / "bytes.kit")
    forged = np.array(arrays["token_first"])
    forged[3] = 200
    (tmp_path / "forged.kit").write_bytes(encode(header, {**arrays, "token_first": forged}))
    with pytest.raises(ArtifactError, match="it holds no tokens"):
        maskc.load(folder / "lean.maskc", kit=tmp_path / "forged.kit")
