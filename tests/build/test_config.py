import pytest

from maskc.build.config import load_config
from maskc.errors import ConfigError
from maskc.limits import Limits

TOKENIZERS = '[tokenizers]\nbytes = "bytes"\n'


def config_of(folder, text):
    (folder / "maskc.toml").write_text(text)
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


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a = [", "", "it is no TOML"),
        ('[grammars]\njson = "json"\n', "", "it names no tokenizers"),
        (TOKENIZERS, "", "it names no grammars"),
        (TOKENIZERS + '[grammar]\njson = "json"', "", "did you mean 'grammars'"),
        (TOKENIZERS + "[grammars]\njson = 1", "grammars.json", "neither a text nor a table"),
        (TOKENIZERS + "[grammars]\njson = {}", "grammars.json", "not one source or regex"),
        (TOKENIZERS + '[grammars]\n"a/b" = "json"', "grammars.a/b", "cannot be that of a file"),
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
            "no whole number above 0",
        ),
        (
            '[tokenizers]\na = { source = "bytes", eos-ids = 2 }\n[grammars]\njson = "json"',
            "tokenizers.a.eos-ids",
            "no list of ids",
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
def test_what_is_unknown_or_of_another_kind_is_refused_at_its_place(tmp_path, text, place, said):
    with pytest.raises(ConfigError, match=said) as raised:
        config_of(tmp_path, text)
    assert raised.value.place == place


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read .*give the path"):
        load_config("no.toml")
