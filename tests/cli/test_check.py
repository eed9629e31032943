import json


def test_files_that_are_right_and_wrong(command, artifact, tmp_path):
    (tmp_path / "right").write_text("[a, b]\n")
    (tmp_path / "wrong").write_text("[a,\n")
    outcome = command("check", artifact, "right", "wrong")
    assert outcome.status == 1
    assert outcome.out.startswith("wrong:1:4: ")
    assert "expected: WORD\n" in outcome.out
    assert outcome.out.count("\n") == 1
    assert outcome.err == "1 of 2 files are right\n"
    assert command("check", artifact, "right").status == 0


def test_quiet_leaves_the_exit_status(command, artifact, tmp_path):
    (tmp_path / "wrong").write_text("[a,\n")
    outcome = command("check", artifact, "wrong", "--quiet")
    assert (outcome.status, outcome.out, outcome.err) == (1, "", "")


def test_json_has_a_result_for_each_file(command, artifact, tmp_path):
    (tmp_path / "right").write_text("[]")
    (tmp_path / "wrong").write_text("[a b]")
    outcome = command("check", artifact, "right", "wrong", "--json")
    right, wrong = json.loads(outcome.out)
    assert right == {"file": "right", "is_right": True}
    assert (wrong["line"], wrong["column"], wrong["expected"]) == (1, 4, ["COMMA", "RSQB"])
    assert outcome.status == 1


def test_a_schema_says_which_keyword_forbids(command, tmp_path):
    (tmp_path / "s.json").write_text('{"type": "object", "required": ["a"]}')
    command("compile", "--json-schema", "s.json", "--tokenizer", "bytes", "-o", "s.maskc")
    (tmp_path / "wrong").write_text('{"b": 1}')
    outcome = command("check", "s.maskc", "wrong")
    assert outcome.status == 1
    assert outcome.out.startswith("wrong:1:8: ")
    assert "/required" in outcome.out


def test_a_file_that_cannot_be_read_is_named(refusal, artifact):
    assert refusal("check", artifact, "nowhere").startswith("nowhere: ")
