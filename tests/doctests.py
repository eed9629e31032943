"""The examples of docstrings: ``python -m tests.doctests [FILE…]``, all modules without a file.

Exit status 1 if an example does something else than it shows. `.ci/run` runs all of them, and
``make near`` those of its files.
"""

import doctest
import importlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import maskc

PACKAGE = Path(maskc.__file__).parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def module_of(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.resolve().relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def count_failures(paths: Iterable[Path]) -> int:
    """Return how many examples of the modules fail; doctest prints them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        n_failures = 0
        for name in map(module_of, paths):
            module = importlib.import_module(name)
            n_failed = doctest.testmod(module, optionflags=OPTIONS).failed
            if n_failed:
                sys.stdout.write(f"FAILED {name}: {n_failed} examples of docstrings\n")
            n_failures += n_failed
        return n_failures


if __name__ == "__main__":
    files = [Path(argument) for argument in sys.argv[1:]] or sorted(PACKAGE.rglob("*.py"))
    raise SystemExit(1 if count_failures(files) else 0)
