import pytest

from maskc.pushdown.questions import FollowAnswer, JointAnswer, NeverAnswer
from maskc.report.analyze import print_answer, to_dict


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (NeverAnswer("A", ("C",), True, ()), "never-legal: no text has A C\n"),
        (NeverAnswer("A", ("C",), False, ()), "not never-legal: some text has A C\n"),
        (
            NeverAnswer("A", ("B",), True, ("B",)),
            "never-legal: B is in no production that a text uses\n",
        ),
        (FollowAnswer("A", ("B", "$END")), "B\n$END\n"),
    ],
)
def test_an_answer_is_printed_as_a_sentence(answer, told, capsys):
    print_answer(answer)
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("proven", "by_table", "told"),
    [
        (True, True, "jointly legal after A: B and nothing (equal)"),
        (True, False, "jointly legal after A by the productions: B and nothing (equal); not"),
        (None, False, "unknown: it is not proven that B and nothing are jointly legal after A"),
    ],
)
def test_what_is_not_proven_is_unknown(proven, by_table, told, capsys):
    print_answer(JointAnswer("A", ("B",), (), proven, "equal", by_table, 0))
    assert capsys.readouterr().out.startswith(told)


def test_an_answer_is_a_map_in_json():
    assert to_dict(FollowAnswer("A", ("B",))) == {"symbol": "A", "followers": ("B",)}
