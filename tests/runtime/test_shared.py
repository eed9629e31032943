import threading

import pytest

from maskc.runtime import made_once


class Pair:
    def __init__(self):
        self.n_made = 0
        self.begun, self.go_on = threading.Event(), threading.Event()

    @made_once
    def left(self):
        """What is made first."""
        self.n_made += 1
        self.begun.set()
        assert self.go_on.wait(60)
        return object()

    @made_once
    def both(self):
        return (self.left, self.left)

    @made_once
    def impossible(self):
        self.n_made += 1
        raise ValueError(self.n_made)


def test_threads_that_ask_at_once_get_one_value():
    pair, found = Pair(), []
    threads = [threading.Thread(target=lambda: found.append(pair.left)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert pair.begun.wait(60)
    # The first one is inside, and the others have had time to come in, too, if they may.
    threads[1].join(0.1)
    pair.go_on.set()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert set(found) == {pair.left}
    assert pair.n_made == 1


def test_a_value_may_be_made_of_another_one():
    pair = Pair()
    pair.go_on.set()
    assert pair.both == (pair.left, pair.left)
    assert pair.n_made == 1


def test_what_cannot_be_made_is_tried_again():
    pair = Pair()
    for n_tried in (1, 2):
        with pytest.raises(ValueError, match=str(n_tried)):
            _ = pair.impossible


def test_objects_have_values_of_their_own():
    pairs = Pair(), Pair()
    for pair in pairs:
        pair.go_on.set()
    assert pairs[0].left is not pairs[1].left


def test_the_class_has_the_documentation():
    assert Pair.left.__doc__ == "What is made first."
