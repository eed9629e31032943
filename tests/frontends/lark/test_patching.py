import threading
from types import SimpleNamespace

import pytest

from maskc.frontends.lark.patching import patched


def test_a_name_means_something_else_inside_and_the_same_as_before_after_that():
    module = SimpleNamespace(name="theirs")
    with patched(module, "name", "ours"):
        assert module.name == "ours"
    assert module.name == "theirs"


def test_an_error_inside_changes_nothing_for_good():
    module = SimpleNamespace(name="theirs")
    with pytest.raises(KeyError), patched(module, "name", "ours"):
        raise KeyError
    assert module.name == "theirs"


def test_threads_that_change_one_name_leave_it_as_it_was():
    """The first would put back what it found, and the second what the first had put there."""
    module, inside, release = SimpleNamespace(name="theirs"), threading.Event(), threading.Event()

    def first():
        with patched(module, "name", "first"):
            inside.set()
            release.wait(10)

    def second():
        inside.wait(10)
        with patched(module, "name", "second"):
            assert module.name == "second"

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    inside.wait(10)
    release.set()
    for thread in threads:
        thread.join()
    assert module.name == "theirs"
