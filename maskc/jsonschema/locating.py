"""Where in its document is a schema that a reference leads to?

Errors name schemas by JSON pointers of the document. A reference may be an anchor, be relative to
an identifier further in, or have escapes; what it leads to is looked for.

Example: ``#n`` leads to ``/$defs/a`` where that has the anchor ``n``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from maskc.jsonschema.keywords import pointer_to
from maskc.jsonschema.resources import walk


class Locator:
    """Finds schemas in a document.

    Args:
        document: parsed.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._known: dict[int, str] | None = None

    def pointer_of(self, schema: Any, reference: str) -> str:
        """Return where a schema is; of one in another document, the reference.

        Args:
            schema: what the reference leads to, the object itself.
            reference: as it is written.
        """
        pointer = unquote(reference[1:])
        if reference.startswith("#") and self._at(pointer) is schema:
            return pointer
        if self._known is None:
            self._known = _list_places(self._document)
        return self._known.get(id(schema), reference)

    def _at(self, pointer: str) -> Any:
        """Return what a pointer leads to, ``None`` if there is nothing."""
        if not pointer.startswith("/"):
            return None if pointer else self._document
        try:
            return [*walk(self._document, pointer)][-1]
        except LookupError:
            return None


def _list_places(document: Any) -> dict[int, str]:
    """Return the pointer of each object in a document, by its identity."""
    found: dict[int, str] = {}
    open_: list[tuple[Any, tuple[str | int, ...]]] = [(document, ())]
    while open_:
        here, path = open_.pop()
        if isinstance(here, dict):
            found[id(here)] = pointer_to(path)
            open_ += ((inner, (*path, name)) for name, inner in here.items())
        elif isinstance(here, list):
            open_ += ((inner, (*path, n)) for n, inner in enumerate(here))
    return found
