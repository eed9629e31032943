import pytest

import maskc
from maskc.build.building import check_build, run_build
from maskc.build.config import load_config
from maskc.errors import LimitError
from tests.build.conftest import CONFIG, FILES


def build(project, **arguments):
    return run_build(load_config(str(project / "maskc.toml")), **arguments)


def contents_of(project):
    return {path.name: path.read_bytes() for path in (project / "artifacts").iterdir()}


def test_only_what_is_out_of_date_is_made(project):
    assert sorted(build(project).built) == FILES
    assert build(project).built == {}
    (project / "maskc.toml").write_text(CONFIG.replace("[0-9]{3}", "[0-9]{4}"))
    assert [*build(project).built] == ["phone.bytes.maskc"]


def test_the_files_are_those_of_compile_grammar(project):
    build(project)
    maskc.compile_grammar(project / "list.lark", tokenizer="bytes").save(project / "alone")
    assert (project / "artifacts" / FILES[0]).read_bytes() == (project / "alone").read_bytes()


def test_the_bytes_are_the_same_for_any_number_of_shards_in_any_order(project):
    build(project)
    expected = contents_of(project)
    for shards in ([(3, 3), (1, 3), (2, 3)], [(2, 2), (1, 2)]):
        for path in (project / "artifacts").iterdir():
            path.unlink()
        for shard in shards:
            build(project, shard=shard)
        assert contents_of(project) == expected


def test_a_shard_knows_of_its_own_files_only(project):
    build(project, shard=(1, 2))
    config = load_config(str(project / "maskc.toml"))
    assert check_build(config, (1, 2)).out_of_date == {}
    assert len(check_build(config, (2, 2)).out_of_date) == 2


def test_one_that_fails_does_not_keep_the_others_from_being_made(project):
    (project / "words.lark").write_text("WORD: /(/\n")
    report = build(project)
    assert sorted(report.failed) == FILES[:2]
    assert sorted(report.built) == FILES[2:]
    assert "manifest.json" not in contents_of(project)


def test_a_build_that_is_interrupted_leaves_whole_files_and_the_next_one_makes_the_rest(project):
    def interrupt(_file, n_done, _n_files):
        if n_done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(project, progress=interrupt)
    names = set(contents_of(project))
    assert len(names) == 4
    assert all(f"{name}.json" in names for name in names if name.endswith(".maskc"))
    report = build(project)
    assert len(report.current) == len(report.built) == 2
    assert check_build(load_config(str(project / "maskc.toml"))).out_of_date == {}


def test_limits_of_the_file_hold_for_reading_a_grammar_too(project):
    (project / "maskc.toml").write_text(f"{CONFIG}[limits]\ntext = 60\n")
    with pytest.raises(LimitError, match="more than 60 characters"):
        build(project)


def test_a_kit_is_built_too_and_artifacts_leave_their_tokens_to_it(project):
    text = (
        '[tokenizers]\nbytes = { source = "bytes", kit = true }\n[grammars]\nlist = "list.lark"\n'
    )
    (project / "maskc.toml").write_text(text)
    assert sorted(build(project).built) == ["bytes.kit", FILES[0]]
    folder = project / "artifacts"
    assert maskc.load_kit(folder / "bytes.kit").vocab_size == 257
    assert maskc.load(folder / FILES[0]).matcher().accept_text("[a,b]")
