import pytest

import maskc
from maskc.report.json_schema import describe_schema, list_facts, print_schema


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes", blanks="compact")


def test_the_facts_name_schema_layout_and_tokenizer(artifact):
    facts = dict(list_facts("a.maskc", 2_000, artifact.header))
    assert facts["layout"] == "key order any, blanks compact, escapes any, numbers usual"
    assert facts["tokenizer"] == "bytes"
    assert facts["size"] == "2.00 kB (2,000 bytes)"


def test_the_time_is_printed_if_it_is_known(artifact, capsys):
    print_schema("a.maskc", 2_000, artifact.header, seconds=2)
    assert capsys.readouterr().out.splitlines()[-1].startswith("in 2")
    print_schema("a.maskc", 2_000, artifact.header)
    assert not capsys.readouterr().out.splitlines()[-1].startswith("in ")


def test_the_parts_of_the_plan_are_counted(artifact):
    report = describe_schema("a.maskc", 2_000, artifact.header, artifact.contents.arrays)
    assert (report["counts"]["positions"], report["counts"]["numbers"]) == (1, 1)
