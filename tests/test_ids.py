from maskc import ids


def test_no_two_terminals_that_are_none_are_one_number():
    """They stand in one array of an artifact: terminals of events, and of a text's end."""
    events = (ids.END, ids.IGNORED, ids.ENTRY, ids.NO_EVENT)
    ends = (ids.END, ids.IGNORED, ids.NOT_AN_END, ids.EMPTY_TEXT)
    assert len(set(events)) == len(events)
    assert len(set(ends)) == len(ends)


def test_what_an_artifact_stores_keeps_its_number():
    stored = (ids.END, ids.IGNORED, ids.NO_EVENT, ids.NOT_AN_END, ids.EMPTY_TEXT, ids.DEAD)
    assert stored == (0, -1, -8, -2, -3, 0)
    assert (ids.NO_BASE, ids.ANY_PROFILE) == (-1, -1)
