"""Elements, axes and places."""

import pytest

from maskc.report.html.markup import Html, element, join
from maskc.report.html.scales import list_log_ticks, list_ticks, place, place_log


def test_text_is_escaped_and_markup_is_not():
    assert element("p", "<i>&", element("b", "<")) == "<p>&lt;i&gt;&amp;<b>&lt;</b></p>"
    assert join(["<", Html("<br>")]) == "&lt;<br>"


def test_attributes_are_escaped():
    assert element("p", title="\"'<&") == '<p title="&quot;&#x27;&lt;&amp;"></p>'


def test_names_of_attributes_are_those_of_html():
    found = element("rect", class_="a", stroke_width=1.25, x=2.0, y=None)
    assert found == '<rect class="a" stroke-width="1.2" x="2"></rect>'


def test_an_element_without_content_has_no_end():
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (7, [0, 1, 2, 3, 4, 5, 6, 7]),
        (8, [0, 2, 4, 6, 8]),
        (979, [0, 200, 400, 600, 800, 1000]),
        (112_283, [0, 20_000, 40_000, 60_000, 80_000, 100_000, 120_000]),
    ],
)
def test_ticks_are_round_and_reach_the_largest(largest, ticks):
    assert list_ticks(largest) == ticks


def test_logarithmic_ticks_begin_at_nothing():
    assert list_log_ticks(1) == [0, 1]
    assert list_log_ticks(3000) == [0, 1, 3, 10, 30, 100, 300, 1000, 3000]
    assert list_log_ticks(200_000) == [0, 1, 10, 100, 1000, 10_000, 100_000]


def test_an_axis_reaches_from_its_start_to_its_end():
    assert [place(v, 10, 5, 100) for v in (0, 5, 10)] == [5, 55, 105]
    assert [place_log(v, 99, 5, 100) for v in (0, 9, 99)] == [5, 55, 105]
    assert place(0, 0, 5, 100) == 5
