from maskc.report.origin import list_origin, print_origin

HEADER = {
    "maskc": "1.2",
    "format": 6,
    "grammar": {"sha256": "abc"},
    "tokenizer": {"name": "bytes", "vocab_size": 257, "fingerprint": "def"},
}


def test_what_is_said_of_the_source_stands_between_the_file_and_the_tokenizer():
    facts = list_origin("a.maskc", 2_000, HEADER, [("tag", "t.json"), ("parts", "2 words")])
    assert [name for name, _ in facts] == [
        *("artifact", "size", "written by", "tag", "parts"),
        *("hash", "tokenizer", "vocabulary", "fingerprint"),
    ]
    assert dict(facts)["written by"] == "maskc 1.2, format 6"


def test_what_it_took_is_printed_if_it_is_known(capsys):
    print_origin([("tag", "t.json")], 2.0)
    assert "in 2" in capsys.readouterr().out
    print_origin([("tag", "t.json")], None)
    assert "in " not in capsys.readouterr().out
