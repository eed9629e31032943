"""Where does a schema stand, and what do its keywords hold: names, counts, schemas?

Example: at the place of ``{"minItems": 2}``, ``count("minItems")`` is 2 and ``count("maxItems")``
is ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.dialects import Dialect
from maskc.jsonschema.values import to_fraction

# Of characters, items or members; one more is still a number that a plan may hold.
MAX_COUNT = 1_000_000_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a schema stands.

    Attributes:
        schema: parsed.
        resolver: of its references.
        pointer: JSON pointer.
        dialect: of its document.
        is_entered: whether ``resolver`` knows the schema's own identifier.
    """

    schema: Any
    resolver: Any
    pointer: str
    dialect: Dialect
    is_entered: bool = False

    def below(self, schema: Any, *steps: str | int) -> Place:
        """Return a subschema's place."""
        names = "".join(f"/{str(s).replace('~', '~0').replace('/', '~1')}" for s in steps)
        return Place(schema, self.resolver, self.pointer + names, self.dialect)

    def fault(self, keyword: str, reason: str, remedy: str) -> SchemaError:
        """Return an error of a keyword here."""
        return SchemaError(self.pointer, keyword, reason, remedy)

    def count(self, keyword: str) -> int | None:
        """Return a keyword's number of things, ``None`` if it is not there."""
        if keyword not in self.schema:
            return None
        value = self.schema[keyword]
        number = to_fraction(value, self.pointer, keyword)
        if number.denominator != 1 or number < 0:
            raise self.fault(keyword, f"is {value}", "write a non-negative integer")
        if number > MAX_COUNT:
            raise self.fault(
                keyword,
                f"is more than {MAX_COUNT:,}",
                "leave out a maximum that large; no text reaches such a minimum",
            )
        return int(number)

    def map(self, keyword: str) -> dict[str, Any]:
        """Return the names and schemas of a keyword.

        Raises:
            SchemaError: it is no object.
        """
        found = self.schema[keyword]
        if not isinstance(found, dict):
            raise self.fault(keyword, "is no object", "write names and schemas")
        return found

    def schemas(self, keyword: str) -> list[Place]:
        """Return the places of the schemas that a keyword lists.

        Raises:
            SchemaError: it is no list, or has none.
        """
        found = self.schema[keyword]
        if not isinstance(found, list) or not found:
            raise self.fault(keyword, "is no list of schemas", "write at least one schema")
        return [self.below(schema, keyword, n) for n, schema in enumerate(found)]

    def names(self, keyword: str, names: Any) -> list[str]:
        """Return names that a keyword lists.

        Raises:
            SchemaError: it is no list of strings.
        """
        if self.dialect.year == 4 and isinstance(names, bool) and keyword == "required":
            return []  # draft 3 wrote it so; in draft 4 it means nothing
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self.fault(keyword, "is no list of names", "write a list of strings")
        return names
