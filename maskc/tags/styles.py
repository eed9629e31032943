"""How does a style write a parameter? The texts around its name and its value.

Strings are written as they are; everything else is JSON. A style that names the type of a value
does so between the name and the value.

Example: of ``qwen_xml`` a parameter is ``<parameter=city>Oslo</parameter>``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Style:
    """The texts of a style.

    Attributes:
        before: before the name.
        string: between the name and a string.
        other: between the name and any other value; ``{type}`` is its type, if that is written.
        gap: another text, with blanks before it, that follows ``string`` and ``other``.
        close: after the value, with ``{name}`` if the name is written again.
        barred: what stands in no string; empty: ``close``.
        line: what may stand before and after a string that is not free, as templates write it.
        booleans: another way to write false and true; empty: JSON alone.
        types: type → the word for it, where that is another one.
        item: before an item of an array, and between it and its value as ``string`` and ``other``;
            empty: arrays and objects are JSON.
    """

    before: str
    string: str
    other: str
    close: str
    gap: str = ""
    barred: str = ""
    line: str = ""
    booleans: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    item: tuple[str, str, str] | None = None

    @property
    def is_nested(self) -> bool:
        """Whether arrays and objects are written as parameters are."""
        return self.item is not None

    @property
    def closes_by_name(self) -> bool:
        """Whether the name is written again after the value."""
        return "{name}" in self.close

    def between(self, kind: str, text: str) -> str:
        return text.replace("{type}", self.types.get(kind, kind))

    @property
    def writes_types(self) -> bool:
        """Whether each value has its type written before it."""
        return "{type}" in self.other


_DSML, _M3 = "<｜DSML｜", "]<]minimax[>["
STYLES = {
    "qwen_xml": Style(
        "<parameter=",
        ">",
        ">",
        "</parameter>",
        line="\n",
        # The models' own templates write them as Python does, and parsers read both.
        booleans=("False", "True"),
    ),
    "minimax_xml": Style('<parameter name="', '">', '">', "</parameter>"),
    "deepseek_xml": Style(
        f'{_DSML}parameter name="',
        '" string="true">',
        '" string="false">',
        "</｜DSML｜parameter>",
    ),
    "deepseek_v4_1_xml": Style(
        f'{_DSML} parameter name="',
        '" string="true">',
        '" string="false">',
        "</｜DSML｜ parameter>",
    ),
    "glm_xml": Style("<arg_key>", "</arg_key>", "</arg_key>", "</arg_value>", gap="<arg_value>"),
    "kimi_k3_xml": Style(
        '<|open|>argument key="',
        '" type="string"<|sep|>',
        '" type="{type}"<|sep|>',
        "<|close|>argument<|sep|>",
    ),
    "cohere_xml": Style(
        '<cofl:value name="',
        '" type="raw">',
        '" type="{type}">',
        "</cofl:value>",
        types={
            "null": "json",
            "boolean": "json",
            "number": "json",
            "array": "list",
            "object": "dict",
        },
        item=("<cofl:value", ' type="raw">', ' type="{type}">'),
    ),
    "minimax_m3_xml": Style(
        f"{_M3}<",
        ">",
        ">",
        f"{_M3}</{{name}}>",
        barred=_M3,
        item=(f"{_M3}<item", ">", ">"),
    ),
}
