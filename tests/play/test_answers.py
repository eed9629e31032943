import maskc
from maskc.play.answers import MAX_TEXT, answer


def by_name(found):
    return {group["name"]: group["n_tokens"] for group in found["groups"]}


def test_what_may_come_next_is_told_by_terminal_with_its_reason(json_bytes):
    found = answer(json_bytes, '{"a"')
    assert found["is_legal"]
    assert by_name(found) == {"COLON": 1, "ignored only": 4}
    assert "if it ends here as STRING, next: COLON" in found["readings"]
    assert found["groups"][0]["examples"] == [{"shown": ":", "text": ":"}]


def test_an_illegal_text_is_pointed_at(json_bytes):
    found = answer(json_bytes, '{"a",\n')
    assert not found["is_legal"]
    assert (found["death"]["line"], found["death"]["column"]) == (1, 5)
    assert found["death"]["pointed"] == ['  {"a",', "      ^"]
    assert found["groups"] == []
    assert [part["token"] for part in found["heat"]] == ["{", '"', "a", '"']


def test_a_token_is_explained_beside(json_bytes):
    assert answer(json_bytes, "[", "}")["token"][0] == "token 125 '}': illegal"
    assert answer(json_bytes, "[", "999999")["problem"].startswith("there is no token 999999")
    assert "problem" in answer(json_bytes, "[", r"\x")


def test_heat_is_how_many_tokens_were_legal(json_bytes):
    assert [part["n_legal"] for part in answer(json_bytes, "true")["heat"]] == [21, 1, 1, 1]


def test_all_kinds_of_artifacts_are_answered():
    schema = maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes")
    assert by_name(answer(schema, "1"))["number"] > 9
    assert "forbidden" in answer(schema, "x")["death"]["why"][0]
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "ab"}}
    linked = maskc.compile_structural_tag(tag, tokenizer="bytes")
    assert answer(linked, "a")["forced"] == "b"
    general = maskc.compile_grammar(
        'start: "a" start "b" | "c"\n', tokenizer="bytes", parser="earley"
    )
    assert by_name(answer(general, "ac")) == {"B": 1}


def test_what_is_hostile_is_a_sentence(json_bytes):
    assert "takes 4,000 characters" in answer(json_bytes, "x" * (MAX_TEXT + 1))["problem"]
    assert not answer(json_bytes, "\ud800")["is_legal"]
    assert answer(json_bytes, "[" * MAX_TEXT)["is_legal"]
