"""Heat: the number of legal tokens at each token of a text.

The text is cut into tokens of the artifact's vocabulary, at each offset the longest one that is
legal there; a tokenizer may cut otherwise, and the artifact does not know it. Of each token it is
told how many tokens its mask allowed: 1 where the grammar leaves no choice.

Example: for ``bytes`` and json the first token of ``true`` had 17 to choose from, the others 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.plan.replies import names_of
from maskc.runtime.matcher import Matcher


@dataclass(frozen=True, slots=True)
class Warmth:
    """A token of a text.

    Attributes:
        token: its bytes, or the name of a special token.
        n_legal: how many tokens were legal there.
        is_special: whether it is a special token.
    """

    token: bytes
    n_legal: int
    is_special: bool = False


def measure_heat(artifact: Artifact, text: bytes) -> tuple[Warmth, ...]:
    """Return the tokens of a text, as far as it is legal; what follows is left out."""
    matcher, found = artifact.matcher(), list[Warmth]()
    name_of = {token: name.encode() for name, token in names_of(artifact.header).items()}
    for part in kind_of(artifact.header).cut(artifact.header, text):
        if isinstance(part, int):
            n_legal = len(matcher.legal_tokens())
            if not matcher.accept_token(part):
                break
            found.append(Warmth(name_of[part], n_legal, is_special=True))
        elif not _cut(artifact, matcher, part, found):
            break
    return tuple(found)


def _cut(artifact: Artifact, matcher: Matcher, text: bytes, found: list[Warmth]) -> bool:
    """Add the tokens of a part, and move the matcher; return whether all of it is legal."""
    at = 0
    while at < len(text):
        legal = matcher.legal_tokens().tolist()
        rest = text[at:]
        tokens = ((artifact.token_bytes(token) or b"", token) for token in legal)
        token, number = max(
            ((token, number) for token, number in tokens if token and rest.startswith(token)),
            key=lambda pair: len(pair[0]),
            default=(b"", 0),
        )
        if not token or not matcher.accept_token(number):
            return False
        found.append(Warmth(token, len(legal)))
        at += len(token)
    return True
