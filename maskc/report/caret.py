r"""A place in a text: its line, with a caret below the character.

>>> point_at(b'{"a":\n  }', 8)
['    }', '    ^']
"""

from __future__ import annotations

_BEFORE, _SHOWN = 60, 76


def point_at(text: bytes, offset: int) -> list[str]:
    """Return the line of a byte and a caret below it, indented; of a long line what is around.

    Args:
        text: any bytes; what is no character is shown as one.
        offset: of the byte; the length of the text is right after it.
    """
    start = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    while offset > start and offset < len(text) and text[offset] & 0xC0 == 0x80:
        offset -= 1  # to the first byte of the character
    before = text[start:offset].decode(errors="replace")
    after = text[offset : len(text) if end < 0 else end].decode(errors="replace")
    dots = "…" if len(before) > _BEFORE else ""
    before = dots + before[-_BEFORE:]
    shown = "".join(c if c.isprintable() else " " for c in (before + after)[:_SHOWN])
    return [f"  {shown}".rstrip(), f"  {' ' * len(before)}^"]
