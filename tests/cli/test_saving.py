"""What is compiled is written and reported in one way, or nothing is left."""

import json

import pytest

import maskc
from maskc.cli.saving import check_target, save_compiled
from maskc.errors import MaskcError
from maskc.limits import Limits


def compile_tag():
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}
    return maskc.compile_structural_tag(tag, tokenizer="bytes").contents


def test_the_report_has_the_file_that_was_written(tmp_path, capsys):
    target = str(tmp_path / "a.maskc")
    shown = []

    def show(path, n_bytes, header, *, seconds):
        shown.append((path, n_bytes, header["grammar"]["name"], seconds >= 0))

    save_compiled(compile_tag, target, show, kit=None, as_json=False, limits=Limits())
    n_bytes = (tmp_path / "a.maskc").stat().st_size
    assert shown == [(target, n_bytes, maskc.load(target).header["grammar"]["name"], True)]
    save_compiled(compile_tag, target, show, kit=None, as_json=True, limits=Limits())
    report = json.loads(capsys.readouterr().out)
    assert (report["path"], report["n_bytes"], len(shown)) == (target, n_bytes, 1)


def test_what_cannot_be_written_is_known_before_any_work(tmp_path):
    with pytest.raises(MaskcError, match="cannot be written"):
        check_target(str(tmp_path / "none" / "a.maskc"), None)
    with pytest.raises(MaskcError, match="cannot be read"):
        check_target(str(tmp_path / "a.maskc"), str(tmp_path / "missing.kit"))
    assert list(tmp_path.iterdir()) == []
