"""The tokens of a kit, as matchers and machines want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc.runtime.once import made_once
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.vocabulary import TokenTable


class KitTokens:
    """A vocabulary and its tries."""

    def __init__(
        self,
        table: TokenTable,
        index: TokenIndex,
        eos_ids: Sequence[int],
        *,
        name: str,
        special_ids: Mapping[str, int],
    ) -> None:
        self.table, self.name, self.special_ids = table, name, special_ids
        self.index, self.text_of = index, table.text_of
        self.vocab_size, self.eos_ids = table.vocab_size, tuple(eos_ids)
        self.ends = frozenset(eos_ids)

    @property
    def fingerprint(self) -> str:
        return self.table.fingerprint(self.eos_ids)

    def find(self, name: str) -> int | None:
        """Return a token by its name, or by the text that it writes; ``None``: there is none."""
        found = self.special_ids.get(name)
        return self._ids_by_text.get(name.encode(errors="replace")) if found is None else found

    @made_once
    def _ids_by_text(self) -> dict[bytes, int]:
        ids = zip(self.index.order.tolist(), self.index.tokens.texts, strict=True)
        return {text: token for token, text in sorted(ids, reverse=True)}

    def list_all(self) -> tuple[bytes | None, ...]:
        return tuple(map(self.text_of, range(self.vocab_size)))
