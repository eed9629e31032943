"""Grammars in llama-cpp-python: a logits processor, for one sequence.

llama-cpp-python calls its processors with all ids so far, prompt first, and the scores of the next
token, as NumPy arrays, and takes back the scores. What the first call brings is the prompt.

Example: ``llm.create_completion(prompt, logits_processor=LogitsProcessorList([processor]))``.

The engine goes back when it speculates; what the ids have in common with the call before
is kept, and the rest is taken back. One processor serves one completion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.integrations.errors import IntegrationError
from maskc.integrations.rows import fill_row
from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import allocate_bitmask

ENGINE = "llama-cpp-python"


class GrammarProcessor:
    """A logits processor for one completion.

    Args:
        artifact: of the grammar that the completion follows.
    """

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._matcher = artifact.matcher()
        self._prompt: NDArray[np.intc] | None = None
        self._taken: list[int] = []

    def __call__(
        self, input_ids: NDArray[np.intc], scores: NDArray[np.single]
    ) -> NDArray[np.single]:
        """Return the scores, those of illegal tokens -inf.

        Args:
            input_ids: int[length], the prompt and what was generated.
            scores: float[vocabulary]; not changed.

        Raises:
            IntegrationError: the processor was used before, the model is another one, or
                an illegal token was generated.
        """
        ids = np.asarray(input_ids)
        if self._prompt is None:
            self._prompt = ids.copy()
        n_prompt = len(self._prompt)
        if not np.array_equal(ids[:n_prompt], self._prompt):
            raise IntegrationError(
                ENGINE,
                "a processor is used for another prompt than the one it began with",
                "make a GrammarProcessor for each completion",
            )
        if self._artifact.vocab_size > len(scores):
            raise IntegrationError(
                ENGINE,
                f"the artifact has {self._artifact.vocab_size} tokens, "
                f"and the model only {len(scores)}",
                "compile the grammar for the model's tokenizer",
            )
        self._follow(ids[n_prompt:].tolist())
        bitmask = allocate_bitmask(1, len(scores))
        fill_row(self._artifact, self._matcher, bitmask, 0)
        legal = np.unpackbits(bitmask[0].view(np.uint8), count=len(scores), bitorder="little")
        return np.where(legal.view(np.bool_), scores, np.float32(-np.inf))

    def _follow(self, generated: list[int]) -> None:
        common = 0
        for ours, theirs in zip(self._taken, generated, strict=False):
            if ours != theirs:
                break
            common += 1
        self._matcher.rollback(len(self._taken) - common)
        del self._taken[common:]
        for token_id in generated[common:]:
            if not self._matcher.accept_token(token_id):
                raise IntegrationError(
                    ENGINE,
                    f"token {token_id} was generated, which is not legal",
                    "put the processor behind all that change scores",
                )
            self._taken.append(token_id)
