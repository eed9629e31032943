"""Masks equal a record of them, where ``../shared/masks`` is: a tenth of its cases.

``.ci/run`` compares all of them (``make masks``).
"""

import gzip
import importlib
import json
import sys
import zlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "shared" / "masks"
ONE_IN, REMAINDER = 10, 1  # those compile no large grammar

if not FOLDER.is_dir():
    pytest.skip("there is no record of masks", allow_module_level=True)
sys.path.append(str(FOLDER))
check = importlib.import_module("check")
CASES = [case for case in check.cases() if zlib.crc32(case.name.encode()) % ONE_IN == REMAINDER]


@pytest.fixture(scope="module")
def record():
    with gzip.open(check.RECORD) as file:
        return json.load(file)


@pytest.fixture(scope="module")
def makers():
    return check.makers()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_masks_are_those_of_the_record(case, record, makers):
    said, n_masks, n_differing = check.compare(case, record[case.name], makers)
    assert n_masks > 0, said
    assert n_differing == 0, said
