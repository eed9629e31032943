"""Compiles the runtime with mypyc, and what takes long of compiling schemas.

For a wheel of this platform, or into a checkout.

Usage: python build_native.py [--clean]: into this checkout, for the Python that runs it (``make
native``), or removes what was compiled (``make pure``). A wheel is compiled if ``MASKC_NATIVE=1``
is set while it is built, see ``hatch_build.py``; without it the wheel is pure and runs everywhere.

The sources are the same. What is left to the interpreter, and why:

- what users call (:data:`INTERPRETED`): a compiled function takes exactly the types that it is
  annotated with, and a user's ``numpy.int64`` is an integer too;
- classes whose objects are referred to weakly: mypyc's objects cannot be (compiled classes that
  inherit the ability crash when the garbage is collected, mypyc 2.4);
- of links, what is done once for a request, and what NumPy does;
- abstract base classes: what one compiled class is not, ``isinstance`` takes all others for, too.
  A class attribute that an interpreted subclass sets is not seen by compiled code, either.

Constants of compiled modules are ``Final``: compiled code looks others up by name each time. Those
that tests replace are not.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

from maskc import native

ROOT = Path(__file__).resolve().parent
GROUP = "maskc_native"  # of the library that holds all modules: maskc_native__mypyc
# Of a class without a header of the garbage collector, which the others untrack first.
_TRASHCAN = re.compile(
    r"\{\n    CPy_TRASHCAN_BEGIN\(self, \w+\)\n((?:    .*\n)*?)    CPy_TRASHCAN_END\(self\)\n"
)
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
FOLDERS = ("maskc/runtime", "maskc/runtime/lalr", "maskc/runtime/glr")
FOLDERS += ("maskc/runtime/schema", "maskc/runtime/schema/*")
INTERPRETED = {
    "maskc/runtime/__init__.py": "a descriptor, and a base class of what is interpreted",
    "maskc/runtime/arguments.py": "users call it",
    "maskc/runtime/artifact.py": "users call it",
    "maskc/runtime/batches.py": "users call it",
    "maskc/runtime/loading.py": "once for an artifact",
    "maskc/runtime/matcher.py": "users call it",
    "maskc/runtime/vocabulary.py": "weak references",
}
MORE = ("maskc/bits.py", "maskc/ids.py", "maskc/levels.py", "maskc/regular/charset.py")
# Of links, what each mask and each token takes.
MORE += tuple(f"maskc/runtime/link/automata/{name}.py" for name in ("__init__", "scanning", "walk"))
MORE += tuple(
    f"maskc/runtime/link/joining/{name}.py"
    for name in ("__init__", "counting", "machine_pieces", "pieces")
)
MORE += tuple(
    f"maskc/runtime/link/text/{name}.py" for name in ("__init__", "limited", "without_words")
)
# Of compiling a schema, which requests wait for, what takes longest. None of it calls itself as
# deep as references lead without counting: only the interpreter raises RecursionError there.
MORE += tuple(
    f"maskc/jsonschema/{name}.py"
    for name in (
        "alternatives",
        "automata",
        "building",
        "clauses",
        "compiling",
        "demands",
        "drafts",
        "exploring",
        "expressions",
        "formulas",
        "freezing",
        "glushkov",
        "keywords",
        "locations",
        "lowering",
        "object_drafts",
        "products",
        "reader",
        "strings",
        "waiting",
    )
)


def sources() -> list[str]:
    """Return the modules that are compiled, as paths from the root."""
    found = {*MORE}
    for folder in FOLDERS:
        found |= {
            path.relative_to(ROOT).as_posix()
            for path in ROOT.glob(f"{folder}/*.py")
            if path.read_text().count("\n") > 1  # not only a docstring
        }
    return sorted(found - INTERPRETED.keys())


def libraries() -> list[Path]:
    """Return what was compiled into the checkout for this Python."""
    return sorted([*ROOT.glob(f"{GROUP}__mypyc{SUFFIX}"), *ROOT.glob(f"maskc/**/*{SUFFIX}")])


def compile_into(folder: Path) -> list[Path]:
    """Compile the sources, and return the libraries, which are laid into a folder as in the root.

    Raises:
        ImportError: mypy or setuptools is missing.
        Exception: of setuptools, if the C compiler fails.
    """
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(ROOT)
        try:
            extensions = mypycify(
                ["--config-file=", "--ignore-missing-imports", *sources()],
                opt_level="1",
                debug_level="0",
                multi_file=True,
                group_name=GROUP,
                target_dir=work,
            )
            _leave_headers_alone(Path(work))
            command = build_ext(Distribution({"name": "maskc", "ext_modules": extensions}))
            command.build_lib, command.build_temp = str(folder), work
            command.ensure_finalized()
            command.run()
        finally:
            os.chdir(before)
    return sorted(folder.rglob(f"*{SUFFIX}"))


def _leave_headers_alone(folder: Path) -> None:
    """Take the trashcan out of the deallocators of classes marked acyclic, in generated C.

    Fifty deallocations deep CPython notes an object in its garbage collector's header, and mypyc
    2.4 asks for that of these objects too, which have none: it wrote into what lies before them.
    What they hold, tuples and sets, bounds the depth.

    Raises:
        RuntimeError: these are not found, as this mypyc writes them in another way.
    """
    n_changed = 0
    for path in folder.rglob("*.c"):
        text, n = _TRASHCAN.subn(r"{\n\1", path.read_text())
        if n:
            path.write_text(text)
        n_changed += n
    n_marked = sum((ROOT / path).read_text().count("acyclic=True") for path in sources())
    if n_changed != n_marked:
        raise RuntimeError(f"{n_changed} deallocators of {n_marked} acyclic classes were found")


def install() -> None:
    """Compile the runtime into the checkout."""
    remove()
    with tempfile.TemporaryDirectory() as folder:
        for library in compile_into(Path(folder)):
            shutil.copy(library, ROOT / library.relative_to(folder))
    (ROOT / "build").mkdir(exist_ok=True)
    native.record(ROOT, sources())


def remove() -> None:
    """Remove what was compiled into the checkout for this Python."""
    for library in libraries():
        library.unlink()
    native.forget(ROOT)


def main() -> None:
    """Compile, or remove what was compiled."""
    parser = argparse.ArgumentParser(description="Compiles the runtime with mypyc.")
    parser.add_argument("--clean", action="store_true", help="remove what was compiled")
    if parser.parse_args().clean:
        remove()
        return
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        sys.exit(f"there is no C compiler here ({compiler}): the runtime stays pure Python")
    install()
    sys.stdout.write(f"compiled {len(sources())} modules of the runtime\n")


if __name__ == "__main__":
    main()
