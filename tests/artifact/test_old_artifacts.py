from pathlib import Path

import pytest

import maskc
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError
from tests.compiled import accepts

FOLDER = Path(__file__).parent.parent / "old_artifacts"


def path_of(version: int) -> Path:
    return FOLDER / f"format-{version}.maskc"


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 7, 8])
def test_an_artifact_of_an_older_format_is_refused_with_what_to_do(version):
    with pytest.raises(ArtifactError) as refused:
        maskc.load(path_of(version))
    assert refused.value.reason == f"has format version {version}, and this maskc reads {FORMAT}"
    assert refused.value.remedy == "compile the grammar again"


def test_an_artifact_of_this_format_that_an_older_maskc_wrote_is_served():
    artifact = maskc.load(path_of(FORMAT))
    assert accepts(artifact, "[a, bc]")
    assert not accepts(artifact, "[a b]")


def test_an_artifact_of_a_tag_that_an_older_maskc_wrote_is_served():
    artifact = maskc.load(FOLDER / f"format-{FORMAT}-link.maskc")
    assert accepts(artifact, "a <fn=f>12</fn>.")
    assert not accepts(artifact, "a <fn=f>x</fn>.")
    assert not accepts(artifact, "a <fn=g>")


def test_every_format_has_its_file():
    found = sorted(path.name for path in FOLDER.glob("*.maskc"))
    every = [f"format-{version}.maskc" for version in range(1, FORMAT + 1)]
    assert found == sorted(
        [*every, *(f"format-{version}-link.maskc" for version in range(6, FORMAT + 1))]
    )
