import pytest

from maskc.verify.model import MAX_FAILURES, Document, Experiment, Outcome, Unit, describe_offset


def checked(n=1):
    found = Experiment("corpus", "files", lack="no files")
    found.count("files", n)
    return found


def test_all_failures_are_counted_and_the_first_ones_kept():
    found = checked()
    for number in range(MAX_FAILURES + 5):
        found.fail(what=number)
    assert found.counts["failures"] == MAX_FAILURES + 5
    assert [failure["what"] for failure in found.failures] == list(range(MAX_FAILURES))


def test_units_add_up():
    one, other = checked(2), checked(3)
    one.fail(what="a")
    other.fail(what="b")
    other.documents.append(Document("a", "x"))
    one.add(other)
    assert one.counts == {"files": 5, "failures": 2}
    assert [failure["what"] for failure in one.failures] == ["a", "b"]
    assert [document.name for document in one.documents] == ["a"]


def test_a_failure_comes_before_refused_texts_and_these_before_success():
    found = checked()
    assert found.outcome is Outcome.PASSED
    found.refused.append({"file": "a"})
    assert found.outcome is Outcome.REFUSED
    found.fail(what="wrong")
    assert found.outcome is Outcome.FAILED


def test_refused_texts_that_are_allowed_are_no_failure():
    found = checked()
    found.refused.append({"file": "a"})
    found.allow_refused = True
    assert found.ok


def test_what_checked_nothing_says_what_was_missing():
    found = checked(0)
    assert found.outcome is Outcome.NOTHING
    assert found.to_dict()["lack"] == "no files"
    assert checked().to_dict()["lack"] is None


def test_a_unit_without_its_text_is_a_fault_of_ours():
    with pytest.raises(ValueError, match="unit 3 of experiment oracle has no document"):
        _ = Unit("oracle", 3, "", 1).about


def test_a_place_is_told_by_line_offset_and_what_stands_around_it():
    found = describe_offset("a\né\nb".encode(), 4)
    assert found == {"line": 2, "offset": 4, "before": "a\né", "after": "\nb"}


def test_what_stands_around_is_cut():
    found = describe_offset(b"x" * 1000, 500)
    assert (len(found["before"]), len(found["after"])) == (80, 40)
