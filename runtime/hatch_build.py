"""Puts the modules of ``maskc-runtime`` into its wheel."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ContentsHook(BuildHookInterface[Any]):
    """Names each file and its place in the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each file and its place."""
        del version
        # Hatchling reads this file alone.
        sys.path.insert(0, self.root)
        from contents import list_files

        repository = Path(self.root).parent
        for path in list_files(repository / "maskc"):
            build_data["force_include"][str(path)] = str(path.relative_to(repository))
