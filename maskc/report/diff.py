"""What ``maskc diff`` found: the tokens that are legal in one artifact only, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from maskc.diff.walking import Comparison, Difference, Tokens
from maskc.report.formats import count
from maskc.report.model import Lines, Report
from maskc.runtime.artifact import Artifact

_MOST_SHOWN, _MOST_TOKENS = 20, 8


def report_comparison(names: Sequence[str], artifact: Artifact, found: Comparison) -> Report:
    """Return the differences, the shortest text first.

    Args:
        names: of the artifacts.
        artifact: one of them: both have the same tokens.
        found: what was found.
    """
    described = [_describe(difference, artifact) for difference in found.differences]
    texts = [None if text is None else _decode(text) for text in found.only]
    data = {
        "same_tables": found.is_same,
        "texts": dict(zip(("only_first", "only_second"), texts, strict=True)),
        "configurations": found.n_configurations,
        "differences": described,
        "left_out": found.n_left_out,
    }
    shortest = [
        f"only {name} accepts: {text!r}"
        for name, text in zip(names, texts, strict=True)
        if text is not None
    ]
    return Report(data, [Lines([*shortest, *_say(names, found, described)])])


def _describe(difference: Difference, artifact: Artifact) -> dict[str, Any]:
    def side(ids: Tokens) -> dict[str, Any]:
        texts = [
            "<end>" if i in artifact.ends else _decode(artifact.token_bytes(i) or b"")
            for i in ids[:_MOST_TOKENS].tolist()
        ]
        return {"count": len(ids), "tokens": texts}

    whole = difference.example
    return {
        "before": _decode(difference.before),
        "only_first": side(difference.only_first),
        "only_second": side(difference.only_second),
        "configurations": difference.n_configurations,
        "example": None if whole is None else _decode(whole),
    }


def _decode(text: bytes) -> str:
    return text.decode(errors="replace")


def _say(
    names: Sequence[str], found: Comparison, described: Sequence[dict[str, Any]]
) -> Iterator[str]:
    for entry in described[:_MOST_SHOWN]:
        counted = count(entry["configurations"], "configuration")
        yield f"after {entry['before']!r} ({counted})"
        for name, side in zip(names, ("only_first", "only_second"), strict=True):
            n_tokens, tokens = entry[side]["count"], entry[side]["tokens"]
            if n_tokens:
                more = n_tokens - len(tokens)
                shown = " ".join(map(repr, tokens)) + (f" and {more:,} more" if more else "")
                yield f"  only {name}: {shown}"
        if entry["example"] is not None:
            yield f"  a text of one of them: {entry['example']!r}"
    if len(described) > _MOST_SHOWN:
        yield f"and {len(described) - _MOST_SHOWN:,} more kinds of differences: --json"
    counted = count(found.n_configurations, "configuration")
    if found.is_same:
        yield "the same tables: no mask differs"
    elif described:
        yield f"{count(len(described), 'kind')} of difference in {counted}"
    else:
        yield f"no mask differs in {counted}"
