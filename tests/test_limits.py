import dataclasses

from maskc.limits import HOW_TO_RAISE, Limits


def test_every_limit_says_how_it_is_raised():
    assert set(HOW_TO_RAISE) == {field.name for field in dataclasses.fields(Limits)}


def test_a_compilation_may_take_less_than_a_minute_and_four_gigabytes():
    assert Limits().seconds < 60
    assert Limits().bytes < 4_000_000_000
