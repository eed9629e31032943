from pathlib import Path

import maskc
from maskc.artifact.model import FORMAT
from tests.compiled import accepts

FOLDER = Path(__file__).parent.parent / "old_artifacts"


def test_an_artifact_of_this_format_that_an_older_maskc_wrote_is_served():
    artifact = maskc.load(FOLDER / f"format-{FORMAT}.maskc")
    assert accepts(artifact, "[a, bc]")
    assert not accepts(artifact, "[a b]")


def test_an_artifact_of_a_tag_that_an_older_maskc_wrote_is_served():
    artifact = maskc.load(FOLDER / f"format-{FORMAT}-link.maskc")
    assert accepts(artifact, "a <fn=f>12</fn>.")
    assert not accepts(artifact, "a <fn=f>x</fn>.")
    assert not accepts(artifact, "a <fn=g>")
