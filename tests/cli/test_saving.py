"""What is compiled is written and reported in one way, or nothing is left."""

import pytest

import maskc
from maskc.cli.saving import Saving, save_compiled
from maskc.errors import MaskcError
from maskc.limits import Limits


def compile_tag():
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}
    return maskc.compile_structural_tag(tag, tokenizer="bytes").contents


def test_what_was_written_is_returned(tmp_path):
    target = str(tmp_path / "a.maskc")
    made = save_compiled(compile_tag, target, Saving(), Limits())
    assert made.to_dict() == {
        "path": target,
        "n_bytes": (tmp_path / "a.maskc").stat().st_size,
        "seconds": made.seconds,
    }
    assert maskc.load(target).header["grammar"]["name"] == made.header["grammar"]["name"]


def test_what_cannot_be_written_is_known_before_any_work(tmp_path):
    with pytest.raises(MaskcError, match="cannot be written"):
        Saving().check(str(tmp_path / "none" / "a.maskc"))
    with pytest.raises(MaskcError, match="cannot be read"):
        Saving(kit=str(tmp_path / "missing.kit")).check(str(tmp_path / "a.maskc"))
    assert list(tmp_path.iterdir()) == []
