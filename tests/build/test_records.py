import json

import pytest

from maskc.build.building import check_build, run_build
from maskc.build.config import load_config
from maskc.build.records import MANIFEST, make_manifest, read_record
from maskc.build.units import plan_units
from tests.build.conftest import CONFIG, FILES, LIST


@pytest.fixture
def built(project):
    """Return a project that was built, and a function that says what is out of date now."""
    run_build(load_config(str(project / "maskc.toml")))
    return project, lambda: check_build(load_config(str(project / "maskc.toml"))).out_of_date


def test_nothing_is_out_of_date_after_a_build(built):
    assert built[1]() == {}


def test_each_change_puts_out_of_date_what_it_touches_and_says_why(built):
    project, old = built
    (project / "words.lark").write_text('WORD: "c"\n')
    assert old() == dict.fromkeys(FILES[:2], "the grammar is another one")
    (project / "words.lark").unlink()
    assert set(old().values()) == {"what its grammar imports is not there any more"}


def test_another_setting_of_a_schema_is_another_grammar(built):
    project, old = built
    (project / "maskc.toml").write_text(CONFIG.replace("compact", "any"))
    assert old() == {"order.bytes.maskc": "the grammar is another one"}


def test_another_tokenizer_is_named(built):
    project, old = built
    (project / "maskc.toml").write_text(CONFIG.replace("300", "301"))
    assert old() == {"list.wide.maskc": "the tokenizer is another one"}


def test_another_version_is_named(built, monkeypatch):
    monkeypatch.setattr("maskc.__version__", "99")
    assert set(built[1]().values()) == {"the version of maskc, Lark or Unicode is another one"}


def test_a_file_that_is_gone_or_damaged_or_has_no_record_is_out_of_date(built):
    project, old = built
    folder = project / "artifacts"
    (folder / FILES[0]).unlink()
    (folder / FILES[1]).write_bytes(b"?")
    (folder / f"{FILES[2]}.json").write_text('{"key": 1}')
    (folder / f"{FILES[3]}.json").unlink()
    assert [*old().values()] == [
        "it is not there",
        "the file is not the one that was built",
        *["there is no record of what it was made from"] * 2,
    ]


def test_blanks_and_comments_of_the_configuration_change_nothing(built):
    project, old = built
    (project / "maskc.toml").write_text(f"# ours\n{CONFIG}\n")
    assert old() == {}


def test_the_manifest_lists_every_file_with_its_hash(built):
    project, old = built
    manifest = json.loads((project / "artifacts" / MANIFEST).read_text())
    assert sorted(manifest["files"]) == FILES
    units = plan_units(load_config(str(project / "maskc.toml")))
    record = read_record(units[0], project / "artifacts")
    assert manifest["files"][FILES[0]]["sha256"] == record.sha256
    (project / "artifacts" / MANIFEST).write_text("{}")
    assert old() == {MANIFEST: "it does not list these files"}


def test_there_is_no_manifest_as_long_as_a_record_is_missing(built):
    project, _ = built
    units = plan_units(load_config(str(project / "maskc.toml")))
    (project / "artifacts" / f"{FILES[0]}.json").unlink()
    assert make_manifest(units, project / "artifacts") is None


def test_what_nothing_asks_for_any_more_is_named(built):
    project, _ = built
    (project / "maskc.toml").write_text(CONFIG.replace("phone", "fax"))
    (project / "list.lark").write_text(LIST)
    report = check_build(load_config(str(project / "maskc.toml")))
    assert report.left_over == ["phone.bytes.maskc"]
