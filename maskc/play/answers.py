"""What the page shows of a text, and of a token after it.

The same as ``maskc explain``, as values for JSON, with the heat of the text's tokens. A text and a
token come from a page, so they are bounded, and so is the work.

Example: ``answer(artifact, '{"a": ')`` has the groups NUMBER, STRING and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.bounded import run_bounded
from maskc.errors import MaskcError
from maskc.explain.checking import line_and_column_of
from maskc.explain.explaining import parse_token
from maskc.explain.heat import measure_heat
from maskc.explain.model import Explanation
from maskc.kinds import kind_of
from maskc.limits import Limits
from maskc.report.explain import MOST_TOKENS, name_group, say_death, say_reading, say_token
from maskc.report.formats import point_at, show_token
from maskc.runtime.artifact import Artifact

MAX_TEXT = 4_000
MAX_TOKEN = 400
MAX_UNFOLDED = 5_000  # tokens of a group that is unfolded
SECONDS = 20.0


def answer(
    artifact: Artifact,
    text: str,
    token: str = "",
    unfolded: str = "",
    resources: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        artifact: what to ask.
        text: what was written so far.
        token: a token to explain as well, as ``--token`` takes it; empty: none.
        unfolded: the group of which all tokens are shown, by its name.
        resources: the documents that a JSON Schema was compiled with.

    Returns:
        A map for JSON; with ``problem`` alone, a sentence, if the text cannot be explained.
    """
    if len(text) > MAX_TEXT or max(len(token), len(unfolded)) > MAX_TOKEN:
        return {"problem": f"the page takes {MAX_TEXT:,} characters; use maskc check for files"}
    written = text.encode(errors="surrogatepass")
    try:
        return run_bounded(
            lambda: _answer(artifact, written, token, unfolded, resources), Limits(seconds=SECONDS)
        )
    except (MaskcError, ValueError) as error:
        return {"problem": str(error)}


def _answer(
    artifact: Artifact, text: bytes, token: str, unfolded: str, resources: Mapping[str, Any] | None
) -> dict[str, Any]:
    asked = parse_token(token) if token else None
    found = kind_of(artifact.header).explain(artifact, text, asked, resources)
    heat = [
        {"token": show_token(w.token), "n_legal": w.n_legal, "is_special": w.is_special}
        for w in measure_heat(artifact, text)
    ]
    return {
        "is_legal": found.death is None,
        "may_end": found.may_end,
        "forced": show_token(found.forced),
        "n_legal": found.n_legal,
        "n_tokens": found.n_tokens,
        "groups": _list_groups(found, unfolded),
        "readings": [line.strip() for reading in found.readings for line in say_reading(reading)],
        "death": _describe_death(found),
        "token": list(say_token(found.token)) if found.token is not None else [],
        "heat": heat,
    }


def _describe_death(found: Explanation[Any]) -> dict[str, Any] | None:
    if found.death is None:
        return None
    line, column = line_and_column_of(found.text, found.death.offset)
    return {
        "line": line,
        "column": column,
        "pointed": point_at(found.text, found.death.offset),
        "why": [said.removeprefix("  ") for said in say_death(found.death, found.text)],
    }


def _list_groups(found: Explanation[Any], unfolded: str) -> list[dict[str, Any]]:
    if not found.groups and not found.tokens:
        return []
    named = [(name_group(group), len(group.tokens), group.tokens) for group in found.groups]
    return [
        {
            "name": name,
            "n_tokens": n_tokens,
            "examples": [
                {"shown": show_token(token), "text": _decode(token)}
                for token in tokens[: MAX_UNFOLDED if name == unfolded else MOST_TOKENS]
            ],
        }
        for name, n_tokens, tokens in named or [("any", found.n_legal, found.tokens)]
    ]


def _decode(token: bytes) -> str | None:
    """Return a token as what can be typed, ``None`` if it ends inside a character."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None
