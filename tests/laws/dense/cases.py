"""The one table of the dense laws; grammars that are awkward have one of their own."""

from tests.laws.dense.grammars import FOLLOWS, GENERAL, HOLES, LALR, PATTERNS
from tests.laws.dense.links import LINKS, TAGS
from tests.laws.dense.schemas import SCHEMAS

CASES = [*PATTERNS, *LALR, *GENERAL, *HOLES, *FOLLOWS, *SCHEMAS, *LINKS, *TAGS]
