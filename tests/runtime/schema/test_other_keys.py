from maskc.runtime.schema.strings.keys import NO_KEYS, add_key, has_key, list_keys


def add_all(keys):
    found = NO_KEYS
    for key in keys:
        found = add_key(found, key)
    return found


def test_the_same_keys_are_the_same_text_in_whatever_order_they_came():
    assert add_all(["b", "", "a", "b"]) == add_all(["", "a", "b"])
    assert list_keys(add_all(["b", "", "a"])) == ["", "a", "b"]


def test_a_part_of_a_key_or_of_two_is_none_of_them():
    found = add_all(["abc", "d"])
    assert [has_key(found, key) for key in ("abc", "ab", "bc", "abcd", "", "d")] == [
        *(True, False, False, False, False, True)
    ]
