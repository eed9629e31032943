"""What is built of a configuration, in shards; whether it is out of date; its records."""

import json

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.build.building import MANIFEST, check_build, make_manifest, read_record, run_build
from maskc.build.units import describe_versions, make_file, make_key, plan_units, take_shard
from maskc.errors import ConfigError, ExecutorError, LimitError
from maskc.limits import Limits
from tests.build.conftest import CONFIG, FILES


@pytest.fixture
def build(load):
    return lambda text=None, **arguments: run_build(load(text), **arguments)


def contents_of(project):
    return {path.name: path.read_bytes() for path in (project / "artifacts").iterdir()}


def test_only_what_is_out_of_date_is_made(build):
    assert sorted(build().built) == FILES
    assert build().built == {}
    changed = CONFIG.replace("[0-9]{3}", "[0-9]{4}")
    assert [*build(changed).built] == ["phone.bytes.maskc"]


def test_the_files_are_those_of_compile_grammar(project, build):
    build()
    maskc.compile_grammar(project / "list.lark", tokenizer="bytes").save(project / "alone")
    assert (project / "artifacts" / FILES[0]).read_bytes() == (project / "alone").read_bytes()


def test_the_bytes_are_the_same_for_any_number_of_shards_in_any_order(project, build):
    build()
    expected = contents_of(project)
    for shards in ([(3, 3), (1, 3), (2, 3)], [(2, 2), (1, 2)]):
        for path in (project / "artifacts").iterdir():
            path.unlink()
        for shard in shards:
            build(shard=shard)
        assert contents_of(project) == expected


def test_a_shard_knows_of_its_own_files_only(build, load):
    build(shard=(1, 2))
    config = load()
    assert check_build(config, (1, 2)).out_of_date == {}
    assert len(check_build(config, (2, 2)).out_of_date) == 2


def test_one_that_fails_does_not_keep_the_others_from_being_made(project, build):
    (project / "words.lark").write_text("WORD: /(/\n")
    report = build()
    assert sorted(report.failed) == FILES[:2]
    assert sorted(report.built) == FILES[2:]
    assert "manifest.json" not in contents_of(project)


def test_a_build_that_is_interrupted_leaves_whole_files_and_the_next_one_makes_the_rest(
    project, build, load
):
    def interrupt(_file, n_done, _n_files):
        if n_done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(progress=interrupt)
    names = set(contents_of(project))
    assert len(names) == 4
    assert all(f"{name}.json" in names for name in names if name.endswith(".maskc"))
    report = build()
    assert len(report.current) == len(report.built) == 2
    assert check_build(load()).out_of_date == {}


def test_limits_of_the_file_hold_for_reading_a_grammar_too(build):
    with pytest.raises(LimitError, match="more than 60 characters"):
        build(f"{CONFIG}[limits]\ntext = 60\n")


def test_a_kit_is_built_too_and_artifacts_leave_their_tokens_to_it(project, build):
    text = (
        '[tokenizers]\nbytes = { source = "bytes", kit = true }\n[grammars]\nlist = "list.lark"\n'
    )
    assert sorted(build(text).built) == ["bytes.kit", FILES[0]]
    folder = project / "artifacts"
    assert maskc.load_kit(folder / "bytes.kit").vocab_size == 257
    assert maskc.load(folder / FILES[0]).matcher().accept_text("[a,b]")


@pytest.fixture
def units_of(load):
    return lambda text=CONFIG: plan_units(load(text))


def test_there_is_a_unit_for_each_grammar_with_each_of_its_tokenizers(units_of):
    assert [unit.file for unit in units_of()] == FILES


def test_each_unit_is_in_one_shard(units_of):
    units = units_of()
    for n_shards in (1, 2, 3, 7):
        shards = [take_shard(units, number, n_shards) for number in range(1, n_shards + 1)]
        assert sorted(unit.file for shard in shards for unit in shard) == FILES


def test_a_key_tells_what_is_made_from_what_else_could_be(units_of):
    texts = [
        CONFIG,
        CONFIG.replace("[0-9]{3}", "[0-9]{4}"),
        CONFIG.replace('regex = "[0-9]{3}"', 'source = "list.lark"'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", vocab-size = 270 }'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", kit = true }'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", eos-ids = [7] }'),
    ]
    keys = [make_key(units_of(text)[-1].parts({})) for text in texts]
    assert len(set(keys)) == len(texts)


def test_two_files_of_one_name_are_refused(units_of):
    text = '[tokenizers]\nc = "bytes"\n"b.c" = "bytes"\n[grammars]\n"a.b" = "json"\na = "json"\n'
    with pytest.raises(ConfigError, match=r"a\.b\.c\.maskc is the file of another"):
        units_of(text)


def test_a_machine_with_other_versions_makes_nothing(units_of):
    unit = units_of()[-1]
    other = {**describe_versions(), "lark": "0.1"}
    with pytest.raises(ExecutorError, match=r"build was started with .*lark 0\.1"):
        make_file(unit.job, unit.vocabulary, Limits(), other, leaves_tokens=False)


def test_an_artifact_that_leaves_its_tokens_to_a_kit_is_the_same_otherwise(units_of):
    unit = units_of()[-1]
    versions = describe_versions()
    small = make_file(unit.job, unit.vocabulary, Limits(), versions, leaves_tokens=True)
    whole = make_file(unit.job, unit.vocabulary, Limits(), versions, leaves_tokens=False)
    contents = unit.job.compile(unit.vocabulary, Limits())[0]
    assert whole == encode(contents.header, contents.arrays)
    assert len(small) < len(whole)


@pytest.fixture
def built(project, load):
    """Return a project that was built, and a function that says what is out of date now."""
    run_build(load())
    return project, lambda text=None: check_build(load(text)).out_of_date


def test_each_change_puts_out_of_date_what_it_touches_and_says_why(built, monkeypatch):
    project, old = built
    assert old() == {}
    # Blanks and comments of the configuration change nothing.
    assert old(f"# ours\n{CONFIG}\n") == {}
    (project / "words.lark").write_text('WORD: "c"\n')
    assert old() == dict.fromkeys(FILES[:2], "the grammar is another one")
    (project / "words.lark").unlink()
    assert set(old().values()) == {"an imported text no longer exists"}
    monkeypatch.setattr("maskc.__version__", "99")
    assert "the version of maskc, Lark or Unicode is another one" in old().values()


@pytest.mark.parametrize(
    ("before", "after", "files"),
    [
        ("compact", "any", {"order.bytes.maskc": "the grammar is another one"}),
        ("300", "301", {"list.wide.maskc": "the tokenizer is another one"}),
    ],
)
def test_another_setting_or_tokenizer_is_named(built, before, after, files):
    assert built[1](CONFIG.replace(before, after)) == files


def test_a_file_that_is_gone_or_damaged_or_has_no_record_is_out_of_date(built):
    project, old = built
    folder = project / "artifacts"
    (folder / FILES[0]).unlink()
    (folder / FILES[1]).write_bytes(b"?")
    (folder / f"{FILES[2]}.json").write_text('{"key": 1}')
    (folder / f"{FILES[3]}.json").unlink()
    assert [*old().values()] == [
        "it does not exist",
        "the file has changed since it was built",
        *["its record is missing"] * 2,
    ]


def test_the_manifest_lists_every_file_with_its_hash(built, load):
    project, old = built
    manifest = json.loads((project / "artifacts" / MANIFEST).read_text())
    assert sorted(manifest["files"]) == FILES
    units = plan_units(load())
    record = read_record(units[0], project / "artifacts")
    assert manifest["files"][FILES[0]]["sha256"] == record.sha256
    (project / "artifacts" / MANIFEST).write_text("{}")
    assert old() == {MANIFEST: "it does not list these files"}


def test_there_is_no_manifest_as_long_as_a_record_is_missing(built, load):
    project, _ = built
    units = plan_units(load())
    (project / "artifacts" / f"{FILES[0]}.json").unlink()
    assert make_manifest(units, project / "artifacts") is None


@pytest.mark.usefixtures("built")
def test_what_nothing_asks_for_any_more_is_named(load):
    assert check_build(load(CONFIG.replace("phone", "fax"))).left_over == ["phone.bytes.maskc"]
