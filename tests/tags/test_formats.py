from maskc.tags.formats import Named, with_name


def test_a_text_with_a_name_in_it_knows_its_template():
    text = with_name("<f={name}>", "get")
    assert text == "<f=get>"
    assert isinstance(text, Named)
    assert (text.template, text.name) == ("<f={name}>", "get")


def test_a_text_without_a_place_stays_as_it_is():
    assert type(with_name("<f>", "get")) is str
