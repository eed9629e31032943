import gc
import resource

import pytest

from maskc.errors import LimitError
from maskc.limits import MEGABYTE, Limits
from maskc.work.alone import run_alone


def test_the_address_space_is_bounded_while_the_work_goes_on():
    before = resource.getrlimit(resource.RLIMIT_AS)
    inside = run_alone(lambda: resource.getrlimit(resource.RLIMIT_AS), Limits())
    assert inside[0] != before[0]
    assert resource.getrlimit(resource.RLIMIT_AS) == before


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
