"""A request of SGLang that follows an artifact, or a constraint of its own.

Example: ``build_grammar_class()(Session(artifact, ends), "ebnf")`` is what SGLang asks for masks.
"""

from __future__ import annotations

from typing import Any

from maskc.integrations.errors import load_engine
from maskc.integrations.session import Session
from maskc.integrations.torch_masks import apply_bitmask

ENGINE = "sglang"
BASE = "sglang.srt.constrained.base_grammar_backend"


class _SessionGrammar:
    """One request's session, as SGLang's ``BaseGrammarObject`` asks for it.

    Attributes:
        session: what it follows.
        kind: SGLang's name of what the request asked for.
    """

    session: Session
    kind: str

    def accept_token(self, token: int) -> None:
        if not self.session.accept(token):
            raise ValueError(f"token {token} is not legal here")
        self.current_token = token

    def rollback(self, k: int) -> None:
        self.session.rollback(k)

    def is_terminated(self) -> bool:
        return self.session.is_terminated

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        self.session.fill(vocab_mask.numpy(), idx)

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        apply_bitmask(logits, vocab_mask)

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:  # noqa: ARG002
        text = self.session.forced_text()
        return ([], text) if text else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        return helper[1], -1

    def jump_and_retokenize(
        self,
        old_output_ids: list[int],
        new_output_ids: list[int],
        next_state: int,  # noqa: ARG002
    ) -> None:
        pairs = zip(old_output_ids, new_output_ids, strict=False)
        kept = next((i for i, (old, new) in enumerate(pairs) if old != new), None)
        if kept is None:
            kept = min(len(old_output_ids), len(new_output_ids))
        self.session.rollback(len(old_output_ids) - kept)
        for token in new_output_ids[kept:]:
            self.accept_token(token)


def build_grammar_class() -> type[Any]:
    """Return the class of SGLang grammars that follow a session."""
    torch = load_engine("torch", ENGINE)
    base = load_engine(BASE, ENGINE)

    # What is ours comes first: SGLang's class has methods of the same names.
    class MaskcGrammar(_SessionGrammar, base.BaseGrammarObject):  # type: ignore[misc, name-defined]
        """One request; what it does is said in SGLang's ``BaseGrammarObject``."""

        def __init__(self, session: Session, kind: str) -> None:
            super().__init__()
            self.session, self.kind = session, kind
            self.grammar_stats = base.GrammarStats(dispatch_type=kind)

        def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:  # noqa: ARG002
            # Pinned where there is a GPU, so that the copy to it need not wait.
            pinned = torch.cuda.is_available()
            shape = (batch_size, -(-vocab_size // 32))
            return torch.full(shape, -1, dtype=torch.int32, pin_memory=pinned)

        def copy(self) -> MaskcGrammar:
            return MaskcGrammar(self.session.fork(), self.kind)

    return MaskcGrammar
