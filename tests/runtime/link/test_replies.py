from maskc.runtime.link import cut_reply, encode_reply, names_of

NAMES = {"<s>": 7, "<s>>": 8}


def test_a_name_is_its_token_and_the_longest_one_counts():
    assert cut_reply("a<s>>b<s>", NAMES) == ["a", 8, "b", 7]


def test_a_reply_without_names_is_its_text():
    assert cut_reply("a<s>", {}) == ["a<s>"]
    assert cut_reply("", {}) == []


def test_a_reply_is_encoded_around_the_names():
    assert encode_reply("ab<s>", NAMES, lambda text: text.encode()) == [97, 98, 7]


def test_an_artifact_that_asks_for_no_token_has_no_names():
    assert names_of({}) == names_of({"link": {"tokens": {}}}) == {}
