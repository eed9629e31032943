from pathlib import Path

import pytest

import maskc
from maskc.artifact.model import FORMAT
from tests.compiled import accepts

FOLDER = Path(__file__).parent.parent / "old_artifacts"


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [("", "[a, bc]", ["[a b]"]), ("-link", "a <fn=f>12</fn>.", ["a <fn=f>x</fn>.", "a <fn=g>"])],
)
def test_an_artifact_of_this_format_that_an_older_maskc_wrote_is_served(name, text, others):
    artifact = maskc.load(FOLDER / f"format-{FORMAT}{name}.maskc")
    assert accepts(artifact, text)
    assert not any(accepts(artifact, other) for other in others)
