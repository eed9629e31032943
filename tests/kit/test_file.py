"""A kit is written and read back; a file that is damaged is refused."""

from pathlib import Path

import pytest

import maskc
from maskc.errors import ArtifactError
from maskc.kit.file import load_kit, make_kit, save_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary

TEXTS = (b"a", b"ab", b'"', b'",', b'a"}', b"b", b" ", b"  ", None, b"{", b'{"', b"}", b":", b"1")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kit = make_kit(Vocabulary((*TEXTS, None), (len(TEXTS),), "small"))
    target = tmp_path_factory.mktemp("kit") / "small.kit"
    assert save_kit(kit, target) == target.stat().st_size
    return target


def _fill(kit: Kit, texts: tuple[bytes, ...] = (b"", b'{"', b'{"a": 1')) -> list[list[int]]:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    piece = kit.json_schema(schema)
    made = [piece, kit.sequence(piece, kit.choice(["a", "ab"])), kit.regex(' *"[ab]*"')]
    rows = []
    for constraint in made:
        for text in texts:
            matcher = constraint.matcher()
            if matcher.accept_bytes(text):
                bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
                matcher.fill_bitmask(bitmask, 0)
                rows.append(bitmask[0].tolist())
    return rows


@pytest.mark.parametrize("mapped", [False, True])
def test_a_kit_that_is_loaded_has_the_masks_of_one_that_is_made(
    path: Path, *, mapped: bool
) -> None:
    made = make_kit(Vocabulary((*TEXTS, None), (len(TEXTS),), "small"))
    loaded = maskc.load_kit(path, mapped=mapped)
    assert loaded.fingerprint == made.fingerprint
    assert _fill(loaded) == _fill(made)


def test_the_same_kit_has_the_same_bytes(path: Path, tmp_path: Path) -> None:
    save_kit(load_kit(path), tmp_path / "again.kit")
    assert (tmp_path / "again.kit").read_bytes() == path.read_bytes()


def test_an_artifact_is_no_kit_and_a_kit_no_artifact(path: Path, tmp_path: Path) -> None:
    artifact = maskc.compile_grammar('start: "a"\n', tokenizer="bytes")
    artifact.save(tmp_path / "a.maskc")
    with pytest.raises(ArtifactError, match="is an artifact, and no kit"):
        load_kit(tmp_path / "a.maskc")
    with pytest.raises(ArtifactError, match="is a kit, and no artifact"):
        maskc.load(path)


def test_a_kit_that_is_cut_off_is_refused(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.kit").write_bytes(data[:length])
        with pytest.raises(ArtifactError):
            load_kit(tmp_path / "cut.kit")
