"""What a wheel has beside the sources: the compiled runtime, and links for the package's page.

``MASKC_NATIVE=1 pip wheel .`` makes ``maskc-0.1.0-cp312-cp312-linux_x86_64.whl``, and without the
variable it makes ``maskc-0.1.0-py3-none-any.whl``.

On the package's page a link to ``docs/lint.md`` leads nowhere. ``MASKC_HOME=https://host/project``
says where the repository is: links become ``https://host/project/blob/main/docs/lint.md``, and the
page names the project's addresses. Without it, what is linked stays as its text.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# A link in Markdown to a file of the repository.
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)]+)\)")


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


class PageHook(MetadataHookInterface):
    """Writes the package's page."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the text of the page, and the project's addresses."""
        home = os.environ.get("MASKC_HOME", "").rstrip("/")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": make_page(text, home)}
        metadata["urls"] = list_addresses(home)


def make_page(text: str, home: str) -> str:
    """Return the README with links that lead to the repository; without one they are texts.

    >>> make_page("[lint](docs/lint.md), [Lark](https://x)", "https://host/p")
    '[lint](https://host/p/blob/main/docs/lint.md), [Lark](https://x)'
    >>> make_page("[lint](docs/lint.md)", "")
    'lint'
    """
    return _LINK.sub(rf"[\1]({home}/blob/main/\2)" if home else r"\1", text)


def list_addresses(home: str) -> dict[str, str]:
    """Return the project's addresses by name, none without a repository."""
    if not home:
        return {}
    docs = f"{home}/blob/main/docs"
    return {
        "Repository": home,
        "Documentation": f"{docs}/index.md",
        "Changelog": f"{docs}/changelog.md",
        "Issues": f"{home}/issues",
    }
