from maskc.runtime.schema.tries.summary import EndedKeys, Part, bits_of


def test_places_become_bits():
    assert bits_of([0, 3, 3]) == 0b1001


def test_a_part_is_itself_only():
    assert len({Part(few=(1,)), Part(few=(1,))}) == 2


def test_ended_keys_are_their_values():
    assert EndedKeys(0, ("",), (4,), True) == EndedKeys(0, ("",), (4,), True)
