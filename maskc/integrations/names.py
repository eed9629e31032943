"""How a request names an artifact in a field that engines give to grammars: ``maskc://NAME``.

Example: ``maskc://json.llama3`` asks for the artifact ``json.llama3``; ``root ::= "a"`` is a
grammar for the engine's own backend.
"""

from __future__ import annotations

from maskc.integrations.registry import check_name

SCHEME = "maskc://"


def parse_reference(text: object) -> str | None:
    """Return the name that a grammar field carries, ``None`` if it carries a grammar.

    Raises:
        ArtifactError: it begins like a reference, and what follows is no name.

    >>> parse_reference("maskc://json"), parse_reference('root ::= "a"')
    ('json', None)
    """
    if not isinstance(text, str) or not text.startswith(SCHEME):
        return None
    name = text.removeprefix(SCHEME)
    check_name(name)
    return name
