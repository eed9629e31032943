"""Jobs: the same artifact of the same source, whoever asks for it and wherever it is compiled."""

import pickle

import pytest

import maskc
from maskc.errors import MaskcError
from maskc.jobs import ChoicesJob, GrammarJob, LinkJob, SchemaJob, name_choice, read_grammar
from maskc.limits import Limits
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab import load_vocabulary

FAR = "[ab]{1,5000}c"


def compiled(job):
    return job.compile(load_vocabulary("bytes"), Limits())[0]


def test_a_pattern_that_counts_far_is_followed_with_counters():
    assert isinstance(read_grammar("a{3}", Limits(), dialect="regex"), GrammarJob)
    job = read_grammar(FAR, Limits(), dialect="regex", name="far")
    assert isinstance(job, LinkJob)
    alone = maskc.compile_grammar(FAR, tokenizer="bytes", dialect="regex").contents
    assert compiled(job).header["link"] == alone.header["link"]
    assert compiled(job).header["grammar"]["name"] == "far"


def test_settings_of_a_grammar_are_refused_beside_any_pattern():
    for pattern in ("a{3}", FAR):
        with pytest.raises(MaskcError, match="role"):
            read_grammar(pattern, Limits(), dialect="regex", roles={"start.A": "b"})


def test_a_schema_is_the_same_when_it_is_read_from_its_description():
    job = SchemaJob({"$ref": "u:a"}, {"u:a": {"type": "null"}}, JsonLayout(blanks="compact"), True)
    read = SchemaJob.read(job.describe())
    assert read.plan().data == job.plan().data
    assert read.describe() == job.describe()
    assert pickle.loads(pickle.dumps(read)).layout == job.layout


def test_each_job_describes_itself_as_json_and_names_its_artifact():
    jobs = [
        SchemaJob("true", {}, JsonLayout(), True, "any.schema.json"),
        LinkJob("tag.json", {"format": {"type": "any_text"}}),
        ChoicesJob(["a", "b"], "words.txt"),
    ]
    for job in jobs:
        described = job.describe()
        assert compiled(job).header["grammar"]["name"] == described["name"]
    assert [job.describe()["kind"] for job in jobs] == ["schema", "link", "choices"]


def test_a_choice_is_one_of_three_words_or_a_tool():
    assert name_choice("required") == "required"
    assert name_choice("get") == {"name": "get"}
