"""Requests that bring their constraint: served where the operator says so, or refused."""

import json

import pytest

from maskc.errors import ArtifactError, GrammarError, MaskcError, SchemaError
from maskc.integrations import requests
from maskc.integrations.requests import RequestConstraints, falls_back, read_kinds, read_unsupported
from maskc.kit.file import make_kit, save_kit
from maskc.limits import Limits
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.integrations.orders import TAG


@pytest.fixture(scope="module")
def constraints():
    return RequestConstraints(load_vocabulary("bytes"), limits=Limits(seconds=2))


@pytest.mark.parametrize(
    ("setting", "kinds"),
    [
        ("", set()),
        ("json", {"json", "json_object"}),
        ("regex, choice", {"regex", "choice"}),
        ("all", set(requests.KINDS)),
    ],
)
def test_the_operator_says_which_kinds_are_served(setting, kinds, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", setting)
    assert read_kinds() == kinds


@pytest.mark.costly
@pytest.mark.parametrize(
    ("setting", "fills", "prepares"),
    [
        ("json", True, True),
        ("structural_tag", True, True),
        ("json", False, False),
        ("regex,choice,grammar", True, False),
    ],
)
def test_what_schemas_and_tags_share_is_made_ahead(setting, fills, prepares, monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", setting)
    made = RequestConstraints(load_vocabulary("bytes"), fills_masks=fills)
    assert (made.statistics()["masks"] > 1) == prepares  # one is that of the end
    made.close()


def test_an_unknown_setting_is_refused(monkeypatch):
    with pytest.raises(ArtifactError, match="'jsno' is not a kind of request"):
        read_kinds("jsno")
    monkeypatch.setenv("MASKC_REFUSED", "maybe")
    with pytest.raises(ArtifactError, match="choose backend or error"):
        falls_back()
    monkeypatch.setenv("MASKC_UNSUPPORTED", "drop")
    with pytest.raises(ArtifactError, match="choose loosen or refuse"):
        read_unsupported()


def test_where_the_operator_says_so_a_schema_is_loosened_logged_once_and_counted(
    monkeypatch, caplog
):
    monkeypatch.setenv("MASKC_UNSUPPORTED", "loosen")
    made = RequestConstraints(load_vocabulary("bytes"), limits=Limits(seconds=2))
    schema = json.dumps({"type": "string", "pattern": "(a)\\1"})
    tag = {"type": "json_schema", "json_schema": json.loads(schema)}
    tag_text = json.dumps({"type": "structural_tag", "format": tag})
    for kind, text in (("json", schema), ("json", schema), ("structural_tag", tag_text)):
        (note,) = made.make(kind, text).notes
        assert "read without pattern" in note
    counts = made.statistics()
    assert (counts["json loosened"], counts["structural_tag loosened"]) == (2, 1)
    assert len(caplog.records) == 2
    made.close()


@pytest.mark.parametrize(
    ("kind", "text", "legal", "illegal"),
    [
        ("json", '{"type": "integer"}', "12", "true"),
        ("json_object", "", '{"a": [1]}', "[1]"),
        ("regex", "a+b?", "aab", "b"),
        ("choice", '["yes", "no"]', "yes", "ye"),
        ("grammar", 'root ::= "a" root | "b"', "aab", "aa"),
        ("grammar", 'start: "a" start | "b"', "aab", "aa"),
        ("grammar", 'root ::= a "c"\na ::= "b"{0,-1} (=("c"))', "bbc", "bb"),
        ("structural_tag", json.dumps(TAG), "so <f=a>12</f>.", "so <f=a>x</f>"),
    ],
)
def test_each_kind_is_served(kind, text, legal, illegal, constraints):
    made = constraints.make(kind, text)
    for written, is_legal in ((legal, True), (illegal, False)):
        matcher = made.matcher()
        assert (matcher.accept_bytes(written.encode()) and matcher.is_accepting) == is_legal


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json", "{"),
        ("json", '{"type": "nothing"}'),
        ("json", "[" * 100_000),
        ("json", "0"),
        ("json", "[]"),
        ("regex", "("),
        ("regex", "((a{1,500}){1,500}){1,500}(?!b)"),
        ("choice", "[]"),
        ("choice", '"yes"'),
        ("choice", "yes"),
        ("choice", "[1]"),
        ("grammar", "root ::= x"),
        ("grammar", "start: nothing"),
        ("grammar", "%import .secrets.A\nstart: A"),
        ("grammar", '// maskc: postlex=os:path\nstart: "a"\n'),
        ("regex", "a" * 2_000_000),
        ("structural_tag", "{"),
        ("structural_tag", '{"type": "structural_tag", "format": {"type": "nothing"}}'),
        ("structural_tag", json.dumps(TAG).replace("integer", "nothing")),
    ],
)
def test_what_is_wrong_is_a_sentence_and_counted(kind, text, constraints):
    before = constraints.statistics().get(f"{kind} refused", 0)
    with pytest.raises(MaskcError) as raised:
        constraints.make(kind, text)
    assert len(str(raised.value)) < 1_000
    assert constraints.statistics()[f"{kind} refused"] == before + 1


def test_a_kit_in_a_file_is_taken_if_it_is_the_models(tmp_path, monkeypatch):
    vocabulary = load_vocabulary("bytes")
    save_kit(make_kit(vocabulary), tmp_path / "a.kit")
    monkeypatch.setenv("MASKC_KIT", str(tmp_path / "a.kit"))
    assert RequestConstraints(vocabulary).make("regex", "a").matcher().accept_bytes(b"a")
    with pytest.raises(ArtifactError, match="another tokenizer"):
        RequestConstraints(load_vocabulary("bytes", vocab_size=300))


def test_a_choice_that_is_no_list_says_so(constraints):
    with pytest.raises(GrammarError, match="not a JSON list of texts"):
        constraints.make("choice", "{}")


def test_a_kit_says_which_added_tokens_are_text(tmp_path, monkeypatch):
    """What is compiled for its requests is compiled for the same tokens."""
    tokens = (*(bytes([byte]) for byte in range(256)), None, b"ab", None)
    model = Vocabulary(tokens, (256,), "m", {}, {257: b"ab", 258: b"<a>"})
    save_kit(make_kit(model.take_added(lambda token: token == 258)), tmp_path / "a.kit")
    monkeypatch.setenv("MASKC_KIT", str(tmp_path / "a.kit"))
    made = RequestConstraints(model).make("grammar", 'start: "ab" | "<a>" | "(" start ")"\n')
    assert made.matcher().accept_token(258)
    assert not made.matcher().accept_token(257)


def test_what_would_hold_up_other_requests_is_refused_and_can_be_compiled_ahead(constraints):
    """A mask inside a host name in Unicode takes tenths of a second."""
    schema = {"properties": {"a": {"format": "idn-hostname-exact"}}}
    tag = {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": schema}}
    for kind, asked in (("json", schema), ("structural_tag", tag)):
        with pytest.raises(SchemaError, match="compile the schema ahead of time"):
            constraints.make(kind, json.dumps(asked))
    assert make_kit(load_vocabulary("bytes")).json_schema(schema).matcher().accept_bytes(b'{"a"')


def test_strings_that_are_patterns_are_served(constraints):
    schema = {"properties": {"a": {"format": "regex", "type": "string"}}}
    made = constraints.make("json", json.dumps(schema))
    assert made.matcher().accept_bytes(b'{"a":"(a"') is False
    assert made.matcher().accept_bytes(b'{"a":"(a)"') is True
