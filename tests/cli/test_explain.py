import json


def test_a_text_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[ab")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == "after '[ab'"
    assert "  open lexeme: 'ab'\n  it may become: WORD\n" in outcome.out
    assert "  if it ends here as WORD, next: COMMA, RSQB\n" in outcome.out
    assert "  reading: list -> LSQB . WORD (list…) RSQB\n" in outcome.out
    groups = outcome.out.split("legal tokens: 29 of 256\n")[1].splitlines()
    assert [line.split() for line in groups] == [
        ["WORD", "26", *(f"'{c}'" for c in "abcdefgh"), "and", "18", "more"],
        ["COMMA", "1", "','"],
        ["RSQB", "1", "']'"],
        ["ignored", "only", "1", "'", "'"],
    ]


def test_a_token_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[ab", "--token", "[")
    assert outcome.status == 0
    assert "token 91 '[': illegal\n" in outcome.out
    assert "no terminal that may come begins with '['\n" in outcome.out
    assert "    the parser takes: COMMA, RSQB\n" in outcome.out


def test_an_illegal_text_is_explained(command, artifact):
    outcome = command("explain", artifact, "--text", "[a!b")
    assert outcome.status == 0
    assert "after '[a' every reading dies of the byte '!' (offset 2)\n" in outcome.out


def test_json_has_all_of_an_explanation(command, artifact):
    outcome = command("explain", artifact, "--text", "[a", "--token", "93", "--json")
    found = json.loads(outcome.out)
    assert found["text"] == "[a"
    assert found["readings"][0]["may_become"] == ["WORD"]
    assert found["token"]["token"] == "]"
    assert found["token"]["is_legal"] is True
    assert found["death"] is None


def test_bytes_that_are_no_text_are_shown_escaped(command, artifact):
    outcome = command("explain", artifact, "--text", "[", "--token", r"b'\xff'", "--json")
    assert json.loads(outcome.out)["token"]["token"] == r"\xff"


def test_an_id_that_is_too_large_is_refused(refusal, artifact):
    assert "there is no token 999" in refusal("explain", artifact, "--text", "", "--token", "999")


def test_a_missing_artifact_is_refused(refusal):
    assert "missing.maskc" in refusal("explain", "missing.maskc", "--text", "")


def test_a_text_is_needed(refusal, artifact):
    assert "--text" in refusal("explain", artifact)


def test_a_text_can_come_through_standard_input(command, artifact, stdin):
    stdin(b"[ab")
    outcome = command("explain", artifact, "--text", "-")
    assert (outcome.status, outcome.out.splitlines()[0]) == (0, "after '[ab'")
