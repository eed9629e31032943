"""An artifact of a JSON Schema: what its header must say, and its machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.artifact.model import Contents
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import Layout, Plan, PlanError


def open_schema(
    contents: Contents, text_of: Callable[[int], bytes | None], budget: Budget
) -> SchemaMachine:
    """Return the machine of an artifact.

    Args:
        contents: the artifact.
        text_of: token id → its bytes.
        budget: where results are remembered.

    Raises:
        PlanError: the plan is damaged.
    """
    layout = Layout(**contents.header["schema_layout"])
    return SchemaMachine(
        Plan(contents.arrays["schema_plan"].tobytes(), layout, budget), text_of, budget
    )


def check_plan(contents: Contents) -> str | None:
    """Return what is wrong with the plan, ``None`` if nothing is."""
    try:
        open_schema(contents, lambda _: None, Budget(0))
    except PlanError as error:
        return str(error)
    return None


def check_schema_header(header: dict[str, Any]) -> str | None:
    """Return what is wrong with the entries that the runtime reads, ``None`` if nothing is."""
    tokenizer, sizes = header.get("tokenizer"), header.get("sizes")
    if not isinstance(tokenizer, dict) or not isinstance(sizes, dict):
        return "the header lacks its tokenizer or its sizes"
    vocab_size, eos_ids = tokenizer.get("vocab_size"), tokenizer.get("eos_ids")
    if vocab_size != sizes.get("V") or not isinstance(vocab_size, int):
        return "the header's vocabulary size does not fit its arrays"
    if not isinstance(eos_ids, list) or not isinstance(tokenizer.get("fingerprint"), str):
        return "the header lacks the tokenizer's end ids or fingerprint"
    for eos in eos_ids:
        if not isinstance(eos, int) or not 0 <= eos < vocab_size:
            return f"the header holds the number {eos!r}, outside {vocab_size}"
    layout = header.get("schema_layout")
    names = {"key_order", "blanks", "escapes", "numbers"}
    if not isinstance(layout, dict) or set(layout) != names:
        return "the header lacks its layout"
    return None
