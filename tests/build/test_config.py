"""What a file names, and what is compiled of each entry."""

import pickle
from dataclasses import replace

import pytest

import maskc
from maskc.build.config import Entry, load_config
from maskc.build.units import load_job, read_imports
from maskc.errors import ConfigError, GrammarError
from maskc.jobs import GrammarJob, LinkJob
from maskc.limits import Limits
from maskc.vocab import load_vocabulary

TOKENIZERS = '[tokenizers]\nbytes = "bytes"\n'


def config_of(folder, text):
    (folder / "maskc.toml").write_text(text, encoding="utf-8")
    return load_config(str(folder / "maskc.toml"))


def test_a_file_names_grammars_tokenizers_a_folder_and_limits(tmp_path):
    found = config_of(
        tmp_path,
        'output = "out"\n[limits]\nseconds = 9\nmemory-mb = 2\n'
        '[tokenizers]\nmine = { source = "t.json", eos-ids = [2, 3], kit = true }\n'
        '[grammars]\njson = "json"\npython = { source = "python", start = ["a", "b"] }\n',
    )
    assert found.output == tmp_path / "out"
    assert found.limits == Limits(seconds=9, bytes=2_000_000)
    (mine,) = found.tokenizers
    assert (mine.source, mine.settings) == ("t.json", {"eos-ids": (2, 3), "kit": True})
    json, python = found.grammars
    assert (json.name, json.source, json.settings) == ("json", "json", {})
    assert python.settings == {"start": ("a", "b")}


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    assert config_of(tmp_path, "\ufeff" + TOKENIZERS + '[grammars]\njson = "json"\n').grammars


@pytest.mark.parametrize(
    ("text", "location", "said"),
    [
        ("a = [", "", "it is not TOML"),
        ('[grammars]\njson = "json"\n', "", "it names no tokenizers"),
        (TOKENIZERS, "", "it names no grammars"),
        (TOKENIZERS + '[grammar]\njson = "json"', "", "did you mean 'grammars'"),
        (TOKENIZERS + "[grammars]\njson = 1", "grammars.json", "neither a string nor a table"),
        (TOKENIZERS + "[grammars]\njson = {}", "grammars.json", "not one source or regex"),
        (
            TOKENIZERS + '[grammars]\n"a/b" = "json"',
            "grammars.a/b",
            "is not allowed in a file name",
        ),
        (
            TOKENIZERS + '[grammars]\njson = { source = "json", strat = "a" }',
            "grammars.json",
            "did you mean 'start'",
        ),
        (
            TOKENIZERS + '[grammars]\njson = { source = "json", tokenizers = ["byte"] }',
            "grammars.json.tokenizers",
            "did you mean 'bytes'",
        ),
        (
            '[tokenizers]\na = { source = "bytes", vocab-size = -1 }\n[grammars]\njson = "json"',
            "tokenizers.a.vocab-size",
            "not a whole number above 0",
        ),
        (
            '[tokenizers]\na = { source = "bytes", eos-ids = 2 }\n[grammars]\njson = "json"',
            "tokenizers.a.eos-ids",
            "not a list of ids",
        ),
        (
            '[tokenizers]\na = { source = "bytes", kit = 1 }\n[grammars]\njson = "json"',
            "tokenizers.a.kit",
            "neither true nor false",
        ),
        (
            TOKENIZERS + '[grammars]\na = "json"\n[limits]\nseconds = "1"',
            "limits.seconds",
            "above 0",
        ),
    ],
)
def test_what_is_unknown_or_of_another_kind_is_refused_with_its_location(
    tmp_path, text, location, said
):
    with pytest.raises(ConfigError, match=said) as raised:
        config_of(tmp_path, text)
    assert raised.value.location == location


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read .*give the path"):
        load_config("no.toml")


TAG = '{"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}'


@pytest.fixture
def job_of(load):
    """Return a function that loads the job of an entry."""
    config = load()
    return lambda source="", **settings: load_job(config, Entry("it", source, settings))


def test_a_grammar_is_sent_without_its_folder(job_of, project):
    job = job_of("list.lark")
    assert job.find_imports() == {"words.lark": (project / "words.lark").read_text()}
    whole = pickle.loads(pickle.dumps(job.with_imports(job.find_imports())))
    (project / "words.lark").unlink()
    contents = whole.compile(load_vocabulary("bytes"), Limits())[0]
    assert contents.header["grammar"]["imports"] == dict(
        job.with_imports({"words.lark": 'WORD: "a" | "b"\n'}).sources[0].imports
    )


def test_the_library_of_lark_is_not_read_to_find_imports(job_of, project, monkeypatch):
    monkeypatch.setattr("maskc.jobs.load_grammar", None)
    (project / "common.lark").write_text("%import common.WORD\nstart: WORD\n")
    assert job_of("common.lark").find_imports() == {}


def test_imports_are_read_again_where_they_were(job_of):
    job = job_of("list.lark")
    assert read_imports(job, ("words.lark",)) == job.find_imports()
    assert read_imports(job, ("gone.lark",)) is None


def test_a_name_is_a_grammar_of_maskc_unless_there_is_a_file(job_of, project):
    assert job_of("json").sources[0].name == "json.lark"
    (project / "json").write_text('start: "a"\n')
    assert job_of("json").sources[0].name == "json"


def test_several_start_symbols_are_several_sources(job_of):
    sources = job_of("json", start=("value", "object")).sources
    assert [source.start for source in sources] == ["value", "object"]


def test_a_tag_and_tools_are_told_by_what_the_file_holds(job_of, project):
    (project / "tag.json").write_text(TAG)
    (project / "tools.json").write_text("[]")
    tag = job_of("tag.json")
    assert isinstance(tag, LinkJob)
    vocabulary = load_vocabulary("bytes")
    alone = maskc.compile_structural_tag(TAG, tokenizer="bytes").contents.header
    assert tag.compile(vocabulary, Limits())[0].header["link"] == alone["link"]
    assert job_of("tools.json", family="qwen_3").settings == {"family": "qwen_3"}


@pytest.mark.parametrize(
    ("source", "settings", "said"),
    [
        ("list.lark", {"blanks": "any"}, "a grammar has no blanks"),
        ("order.schema.json", {"start": ("a",)}, "a JSON Schema has no start"),
        ("order.schema.json", {"formats": "maybe"}, "give assert or annotate"),
        ("order.schema.json", {"blanks": "maybe"}, "blanks"),
        ("order.schema.json", {"resources": ("a.json",)}, "write URI=FILE"),
        ("", {"regex": "a", "start": ("a",)}, "a regular expression has no start"),
        ("plain.json", {}, "neither a structural tag nor a list of tools"),
        ("tools.json", {}, "tools have a family"),
        ("broken.json", {}, "is not JSON"),
    ],
)
def test_what_does_not_go_together_is_refused(job_of, project, source, settings, said):
    (project / "plain.json").write_text('{"type": "object"}')
    (project / "tools.json").write_text("[]")
    (project / "broken.json").write_text("{")
    with pytest.raises(ConfigError, match=said):
        job_of(source, **settings)


def test_a_file_that_is_not_there_is_named(job_of):
    with pytest.raises(GrammarError, match=r"gone\.lark"):
        job_of("gone.lark")
    with pytest.raises(GrammarError, match=r"gone\.schema\.json"):
        job_of("gone.schema.json")


def test_whatever_decides_a_language_is_part_of_what_a_job_says(job_of):
    job = job_of("list.lark")
    (source,) = job.sources
    changes = {"start": "x", "lexer": "basic", "flags": 2, "priority": "invert", "regex": True}
    said = [job.describe()]
    said += [GrammarJob((replace(source, **{k: v}),)).describe() for k, v in changes.items()]
    assert all(a != b for n, a in enumerate(said) for b in said[:n])
