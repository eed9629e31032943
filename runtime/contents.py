"""Which modules are in the distribution ``maskc-runtime``?

Those that load artifacts, fill masks, read tokenizers, and stand between a matcher and transformers
or llama.cpp. Compilers, kits and what reads JSON Schemas are left out, with all that they need.

Example: ``maskc/runtime/matcher.py`` is in it, and ``maskc/pipeline.py`` is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_MODULES = (
    "__init__",
    "acyclic",
    "bits",
    "byte_classes",
    "compiling",
    "arguments",
    "errors",
    "files",
    "ids",
    "levels",
    "limits",
)
_ROOMS = ("artifact", "formats", "runtime", "vocab")
_INTEGRATIONS = (
    *("__init__", "continuous_batching", "errors", "llama_cpp"),
    *("mask_tables", "patches", "registry", "session"),
    *("transformers", "usage", "vocabulary"),
)


def list_files(package: Path) -> Iterator[Path]:
    """Yield the files that are in the distribution.

    Args:
        package: the folder ``maskc`` of the repository.
    """
    yield package / "py.typed"
    yield from (package / f"{name}.py" for name in _MODULES)
    yield from (package / "integrations" / f"{name}.py" for name in _INTEGRATIONS)
    for room in _ROOMS:
        yield from sorted((package / room).rglob("*.py"))
