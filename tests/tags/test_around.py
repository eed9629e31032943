"""What stands around a format goes down to the formats in it."""

from maskc.tags.around import NOTHING_AROUND, Around


def test_a_format_in_another_has_the_same_end_around_it_one_level_deeper() -> None:
    around = Around(("</a>",), frozenset([3]), 4).deeper()
    assert (around.ends, around.end_ids, around.depth) == (("</a>",), {3}, 5)
    assert (NOTHING_AROUND.ends, NOTHING_AROUND.deeper().depth) == ((), 1)
