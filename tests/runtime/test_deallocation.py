"""Objects that the garbage collector leaves out are freed as deep inside others as they lie."""

import subprocess
import sys

NESTED = """
from maskc.jsonschema.formulas import Formula
for _ in range(100):
    here = ()
    for n in range(1_000):
        here = (Formula(n, "and", (here,)), [n])
    del here
"""


def test_what_lies_before_an_object_is_left_alone_however_deep_it_is_freed():
    # The allocator looks at what lies before each block that it frees.
    found = subprocess.run(
        [sys.executable, "-c", NESTED],
        env={"PYTHONMALLOC": "debug", "PYTHONPATH": ":".join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stderr) == (0, "")
