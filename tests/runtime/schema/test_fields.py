from maskc.runtime.schema.plan.series import Field, Fields


def fields(*needed, low=0, high=None, bits=0, held=0):
    found = [Field(f"k{n}", ((bits, 0),), is_, held) for n, is_ in enumerate(needed)]
    return Fields(found, low, high)


def test_members_that_are_needed_must_have_room():
    assert fields(True, True, high=2).is_feasible((0, 0, 0))
    assert not fields(True, True, high=1).is_feasible((0, 0, 0))


def test_there_must_be_members_enough_left():
    assert fields(False, False, low=2).is_feasible((0, 0, 0))
    assert not fields(False, False, low=2).is_feasible((1, 0, 0))


def test_constraints_are_fulfilled_by_members_that_are_left():
    assert fields(False, bits=1).is_feasible((0, 0, 1))
    assert not fields(False, bits=1).is_feasible((1, 0, 1))
    assert not fields(False, bits=1, high=1).is_feasible((0, 1, 1))


def test_constraints_hold_where_a_member_is_left_out():
    one = fields(False, held=1)
    assert one.is_feasible((0, 0, 1))
    assert not fields(True, held=1).is_feasible((0, 0, 1))
    assert [after for after, _ in one.transitions((0, 0, 1))] == [(1, 0, 0)]
