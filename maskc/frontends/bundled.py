"""The grammars that come with maskc, by name: ``json`` is ``grammars/json.lark``."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
# Installed, the grammars are in the package; in a checkout, beside it.
_FOLDERS = (_PACKAGE / "grammars", _PACKAGE.parent / "grammars")


def find_grammar(name: str) -> Path:
    """Return the path of a grammar; a bare name that is no file is one of maskc's own."""
    path = Path(name)
    if path.exists() or path.name != name or path.suffix:
        return path
    for folder in _FOLDERS:
        bundled = folder / f"{name}.lark"
        if bundled.is_file():
            return bundled
    return path
