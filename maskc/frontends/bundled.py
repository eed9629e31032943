"""The grammars and styles that come with maskc, by name: ``json`` is ``grammars/json.lark``."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
# Installed, the grammars are in the package; in a checkout, beside it.
_FOLDERS = (_PACKAGE / "grammars", _PACKAGE.parent / "grammars")


def list_grammars() -> list[str]:
    """Return the names of all, in order."""
    return sorted({path.stem for folder in _FOLDERS for path in folder.glob("*.lark")})


def describe_grammar(name: str) -> str:
    """Return the first sentence of the comment that a grammar begins with."""
    lines = _path_of(name).read_text(encoding="utf-8").splitlines()
    # The first line has the settings, the second is empty.
    comment = []
    for line in lines[2:]:
        if not line.startswith("// "):
            break
        comment.append(line.removeprefix("// "))
    return " ".join(comment).partition(". ")[0].removesuffix(".")


def find_grammar(name: str) -> Path:
    """Return the path of a grammar; a bare name that is no file is one of maskc's own."""
    path = Path(name)
    if os.path.exists(path) or path.name != name or path.suffix:
        return path
    return _path_of(name) if name in list_grammars() else path


def list_styles() -> list[str]:
    """Return the names of all styles, in order."""
    return sorted({path.stem for folder in _FOLDERS for path in folder.glob("styles/*.toml")})


def find_style(name: str) -> Path:
    """Return the path of a style; a bare name that is no file is one of maskc's own."""
    path = Path(name)
    if os.path.exists(path) or path.name != name or path.suffix:
        return path
    paths = [folder / "styles" / f"{name}.toml" for folder in _FOLDERS]
    return next((path for path in paths if path.is_file()), path)


def _path_of(name: str) -> Path:
    paths = [folder / f"{name}.lark" for folder in _FOLDERS]
    return next((path for path in paths if path.is_file()), paths[0])
