"""Lays the compiled runtime into a wheel, where ``MASKC_NATIVE=1`` asks for it.

Example: ``MASKC_NATIVE=1 pip wheel .`` makes ``maskc-0.1.0-cp312-cp312-linux_x86_64.whl``, and
without the variable it makes ``maskc-0.1.0-py3-none-any.whl``.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeHook(BuildHookInterface[Any]):
    """Compiles while a wheel is built."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs."""
        return ["mypy~=2.4.1", "setuptools>=77", "numpy>=1.26"] if _is_asked_for() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and let the wheel be named after this Python and platform."""
        if not _is_asked_for() or version == "editable":
            return
        # Hatchling reads this file alone.
        sys.path.insert(0, self.root)
        from build_native import compile_into

        self._folder = tempfile.TemporaryDirectory()  # until the wheel is written
        for library in compile_into(Path(self._folder.name)):
            within = library.relative_to(self._folder.name)
            build_data["force_include"][str(library)] = str(within)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _is_asked_for() -> bool:
    return os.environ.get("MASKC_NATIVE") == "1"
