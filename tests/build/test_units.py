import pytest

from maskc.artifact.container import encode
from maskc.build.config import load_config
from maskc.build.units import describe_versions, make_file, make_key, plan_units, take_shard
from maskc.errors import ConfigError, ExecutorError
from maskc.limits import Limits
from tests.build.conftest import CONFIG, FILES


def units_of(project, text=CONFIG):
    (project / "maskc.toml").write_text(text)
    return plan_units(load_config(str(project / "maskc.toml")))


def test_there_is_a_unit_for_each_grammar_with_each_of_its_tokenizers(project):
    assert [unit.file for unit in units_of(project)] == FILES


def test_each_unit_is_in_one_shard(project):
    units = units_of(project)
    for n_shards in (1, 2, 3, 7):
        shards = [take_shard(units, number, n_shards) for number in range(1, n_shards + 1)]
        assert sorted(unit.file for shard in shards for unit in shard) == FILES


def test_a_key_tells_what_is_made_from_what_else_could_be(project):
    texts = [
        CONFIG,
        CONFIG.replace("[0-9]{3}", "[0-9]{4}"),
        CONFIG.replace('regex = "[0-9]{3}"', 'source = "list.lark"'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", vocab-size = 270 }'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", kit = true }'),
        CONFIG.replace('bytes = "bytes"', 'bytes = { source = "bytes", eos-ids = [7] }'),
    ]
    keys = [make_key(units_of(project, text)[-1].parts({})) for text in texts]
    assert len(set(keys)) == len(texts)


def test_two_files_of_one_name_are_refused(project):
    text = '[tokenizers]\nc = "bytes"\n"b.c" = "bytes"\n[grammars]\n"a.b" = "json"\na = "json"\n'
    with pytest.raises(ConfigError, match=r"a\.b\.c\.maskc is made of others too"):
        units_of(project, text)


def test_a_machine_with_other_versions_makes_nothing(project):
    unit = units_of(project)[-1]
    other = {**describe_versions(), "lark": "0.1"}
    with pytest.raises(ExecutorError, match=r"build was started with .*lark 0\.1"):
        make_file(unit.job, unit.vocabulary, Limits(), other, leaves_tokens=False)


def test_an_artifact_that_leaves_its_tokens_to_a_kit_is_the_same_otherwise(project):
    unit = units_of(project)[-1]
    versions = describe_versions()
    small = make_file(unit.job, unit.vocabulary, Limits(), versions, leaves_tokens=True)
    whole = make_file(unit.job, unit.vocabulary, Limits(), versions, leaves_tokens=False)
    contents = unit.job.compile(unit.vocabulary, Limits())
    assert whole == encode(contents.header, contents.arrays)
    assert len(small) < len(whole)
