"""An artifact of a JSON Schema: what its header must say, and its machine."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any

from maskc.artifact.header import check_added
from maskc.artifact.model import Contents
from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError
from maskc.runtime.machine import EVERY_BYTE
from maskc.runtime.pool import MaskPool
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import Configurations
from maskc.runtime.schema.masks import REMEDY, SchemaMasks
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout, Plan
from maskc.runtime.schema.tries.summary import Mixes
from maskc.runtime.step_budget import one_mask
from maskc.runtime.vocabulary import index_of


class MaskedSchemaMachine(SchemaMachine):
    """A :class:`maskc.runtime.machine.Machine`: the schema's machine, with its masks."""

    def __init__(self, plan: Plan, text_of: Callable[[int], bytes | None], mixes: Mixes) -> None:
        super().__init__(plan, text_of, mixes.budget)
        self.masks = masks = SchemaMasks(self, mixes)
        self.pool = mixes.pool
        self.byte_groups = EVERY_BYTE
        # Not methods that call these: a call is a tenth of a warm fill.
        self.mask = masks.mask
        self.mask_numbers = masks.numbers

    def step(self, hypotheses: Configurations, text: bytes) -> Configurations:
        """Return the configuration after some bytes; nothing if the text is illegal.

        Raises:
            LimitError: too much is looked at for them.
        """
        with one_mask(self.pool.steps, REMEDY):
            return super().step(hypotheses, text)


def open_schema(
    contents: Contents, text_of: Callable[[int], bytes | None], budget: Budget, pool: MaskPool
) -> MaskedSchemaMachine:
    """Return the machine of an artifact; its arguments are those of the other machines.

    Raises:
        PlanError: the plan is damaged.
    """
    index = index_of(contents.arrays["token_first"], contents.arrays["token_bytes"])
    mixes = Mixes(index, pool, budget)
    return MaskedSchemaMachine(_read_plan(contents, budget), text_of, mixes)


def _read_plan(contents: Contents, budget: Budget) -> Plan:
    layout = JsonLayout(**contents.header["schema_layout"])
    try:
        frozen = contents.made.pop()
    except IndexError:
        frozen = FrozenPlan(contents.arrays["schema_plan"].tobytes())
    return Plan(frozen, layout, budget)


def check_plan(contents: Contents) -> str | None:
    """Return what is wrong with the plan, ``None`` if nothing is."""
    try:
        _read_plan(contents, Budget(0))
    except PlanError as error:
        return str(error)
    return None


def check_schema_header(header: dict[str, Any]) -> str | None:
    """Return what is wrong with the entries that the runtime reads, ``None`` if nothing is."""
    tokenizer, sizes = header.get("tokenizer"), header.get("sizes")
    if not isinstance(tokenizer, dict) or not isinstance(sizes, dict):
        return "the header lacks its tokenizer or its sizes"
    vocab_size, eos_ids = tokenizer.get("vocab_size"), tokenizer.get("eos_ids")
    if vocab_size != sizes.get("V") or type(vocab_size) is not int:
        return "the header's vocabulary size does not fit its arrays"
    if not isinstance(eos_ids, list) or not isinstance(tokenizer.get("fingerprint"), str):
        return "the header lacks the tokenizer's end ids or fingerprint"
    for eos in eos_ids:
        if type(eos) is not int or not 0 <= eos < vocab_size:
            return f"the header holds the number {reprlib.repr(eos)}, outside {vocab_size}"
    if not eos_ids or eos_ids != sorted(set(eos_ids)):
        return "the header's end-of-sequence ids do not ascend, or there are none"
    layout = header.get("schema_layout")
    names = {"key_order", "blanks", "escapes", "numbers"}
    if not isinstance(layout, dict) or set(layout) - {"digits"} != names:
        return "the header lacks its layout"
    if not all(isinstance(layout[name], str) for name in names):
        return "the header's layout has a choice that is not a text"
    if type(layout.get("digits", 1)) is not int:
        return "the header's layout has digits that are no number"
    formats = header.get("registered_formats", {})
    if not isinstance(formats, dict) or not all(
        isinstance(pattern, str | None) for pattern in formats.values()
    ):
        return "the header's registered formats are no texts by name"
    return check_added(header)
