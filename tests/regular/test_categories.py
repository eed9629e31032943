from maskc.regular.charset import find_category


def test_long_and_short_names_are_the_same_category():
    assert find_category("Lu") == find_category("Uppercase_Letter") == find_category("gc=Lu")


def test_a_category_has_its_characters():
    found = find_category("Nd")
    inside = [any(low <= c <= high for low, high in found) for c in (0x37, 0x0667, 0x41)]
    assert inside == [True, True, False]


def test_other_properties_are_not_known():
    assert find_category("Script=Greek") is None
