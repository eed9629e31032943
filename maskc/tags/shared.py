"""What the values of one tool share: the whole schema, and what was made of its parts.

A part of the whole schema may refer to any other one, so its plan is made with the whole beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from maskc.runtime.link.joining.expressions import Expression
from maskc.tags.objects import escape, stands_alone

if TYPE_CHECKING:
    from maskc.tags.arguments import Arguments

ROOTS = ("$defs", "definitions", "$schema")
_WHOLE = "maskc:arguments"  # the name of a whole schema that has none
HELD = (f"/$defs/{_WHOLE}", f"/definitions/{_WHOLE}")


class ParameterContext:
    """What the parameters of a tool share with those that are values of them.

    Attributes:
        root: the whole schema, where definitions are.
        tables: of nested values, by schema.
        arrays: the items of nested arrays, by schema and bounds.
        writable: of nested values, by schema, whether there is a way to write one.
        pointer: where the whole schema stands.
    """

    def __init__(self, root: Mapping[str, Any], pointer: str) -> None:
        self.root, self.pointer = root, pointer
        self.tables: dict[int, Arguments] = {}
        self.arrays: dict[Any, Expression] = {}
        self.writable: dict[int, bool] = {}
        self._pointers: dict[int, str] = {}

    def value(self, schema: Any) -> dict[str, Any]:
        root = self.root
        inner = {} if schema is True else {"not": {}} if schema is False else dict(schema)
        pointer = self._find_pointer(schema)
        if pointer is None or stands_alone(schema, root):
            return inner | {key: root[key] for key in ROOTS if key in root and key not in inner}
        # The whole schema stays one, under its own name.
        dialect = str(root.get("$schema", ""))
        name = "id" if "draft-04" in dialect else "$id"
        whole = {**root, name: root.get(name, _WHOLE)}
        held = {"definitions" if "draft-0" in dialect else "$defs": {_WHOLE: whole}}
        reference = {"$ref": f"{whole[name]}#{quote(pointer)}"}
        return {**held, "allOf": [reference], **({"$schema": dialect} if dialect else {})}

    def _find_pointer(self, schema: Any) -> str | None:
        """Return the JSON pointer to a part of the whole schema, ``None`` if it is none."""
        if not self._pointers:
            open_: list[tuple[Any, str]] = [(self.root, "")]
            while open_:
                here, pointer = open_.pop()
                if id(here) in self._pointers or not isinstance(here, Mapping | list):
                    continue
                self._pointers[id(here)] = pointer
                pairs = here.items() if isinstance(here, Mapping) else enumerate(here)
                open_ += [(inner, f"{pointer}/{escape(str(key))}") for key, inner in pairs]
        return self._pointers.get(id(schema))
