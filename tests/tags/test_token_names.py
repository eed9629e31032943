import pytest

from maskc.errors import TagError
from maskc.tags.token_names import TokenNames

NAMES = TokenNames(10, {"<a>": 3}.get)


def test_a_token_is_found_by_its_name_and_by_its_id():
    assert NAMES.find("<a>", "/t") == NAMES.find(3, "/t") == 3
    assert NAMES.find_all({"ids": ["<a>", 4]}, "", "ids") == {3, 4}
    assert NAMES.find_all({}, "", "ids") == frozenset()


@pytest.mark.parametrize("given", ["<b>", 10, -1, True, None, [3]])
def test_what_is_no_token_is_refused_with_its_place(given):
    with pytest.raises(TagError) as refused:
        NAMES.find_all({"ids": [3, given]}, "/format", "ids")
    assert refused.value.pointer == "/format/ids/1"


def test_what_is_no_list_is_refused():
    with pytest.raises(TagError, match="/format/ids"):
        NAMES.find_all({"ids": "<a>"}, "/format", "ids")
