import gc
import mmap
import os
import resource

import pytest

from maskc.budget import read_memory
from maskc.errors import LimitError
from maskc.limits import MEGABYTE, Limits
from maskc.work.alone import run_alone


def test_memory_is_bounded_while_the_work_goes_on():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    inside = run_alone(lambda: resource.getrlimit(resource.RLIMIT_DATA), Limits())
    assert inside[0] != before[0]
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_is_only_reserved_or_mapped_does_not_count(tmp_path):
    (tmp_path / "large").write_bytes(b"")
    os.truncate(tmp_path / "large", 1 << 30)

    def map_much():
        with open(tmp_path / "large", "rb") as file:
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ).close()
        return "mapped"

    assert run_alone(map_much, Limits(bytes=100 * MEGABYTE)) == "mapped"


def test_what_grows_bit_by_bit_grows_up_to_the_limit():
    grown = [0]
    base = read_memory()

    def grow():
        kept = []
        while True:
            kept.append([bytes(5_000) for _ in range(200)])
            grown[0] = max(grown[0], read_memory() - base)

    with pytest.raises(LimitError, match="more than 100 MB of memory"):
        run_alone(grow, Limits(bytes=100 * MEGABYTE))
    assert grown[0] > 99 * MEGABYTE


def test_the_collector_looks_more_seldom_while_the_work_goes_on():
    before = gc.get_threshold()
    assert run_alone(gc.get_threshold, Limits())[0] > before[0]
    assert gc.get_threshold() == before
    with pytest.raises(LimitError):
        run_alone(lambda: bytearray(1 << 40), Limits(bytes=100 * MEGABYTE))
    assert gc.get_threshold() == before


def test_one_allocation_beyond_the_bound_fails_at_once():
    with pytest.raises(LimitError, match="MB of memory"):
        run_alone(lambda: bytearray(1 << 40), Limits(bytes=100 * MEGABYTE))
