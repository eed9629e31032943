"""Grammars in ``generate()`` of transformers: greedy, sampled, in beams, assisted.

A logits processor is called with all rows of a batch and keeps no order: beam search drops rows,
repeats them and changes their order between two calls, and assisted generation goes back. So a row
is known by the tokens it has generated: the processor remembers the matchers of its latest calls by
those tokens, and a row continues a fork of the one it begins with, or is followed from its start.

The prompt's width, padding on the left included, is that of the first call. Therefore one processor
serves one call of ``generate()``; another call is refused, unless its prompts begin with those of
the first, which nothing here can tell.

A row whose grammar has ended is left its end-of-sequence tokens, whatever follows them. So is a row
that holds an illegal token: beam search keeps such rows, at -inf, when fewer tokens are legal than
it has beams. Nothing of transformers is imported here.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.integrations.errors import IntegrationError, check_artifacts
from maskc.integrations.mask_tables import unpack_bitmask
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.session import RowOwner, fill_rows
from maskc.integrations.vocabulary import read_vocabulary
from maskc.runtime.artifact import Compiled
from maskc.runtime.batches import allocate_bitmask

if TYPE_CHECKING:
    from torch import Tensor

    from maskc.kit.kit import Kit
    from maskc.runtime.matcher import Matcher
    from maskc.vocab.vocabulary import Vocabulary

ENGINE = "transformers"
# Assisted generation goes back by the number of its candidate tokens, 20 by default.
MAX_STEPS_BACK = 32

_log = logging.getLogger(__name__)

# Which sequence of the batch, and what it has generated.
_Key = tuple[int, bytes]


class GrammarProcessor:
    """A logits processor for one call of ``generate()``.

    Args:
        artifacts: an artifact or a kit's constraint for all sequences of the batch, or one for
            each; ``None`` for a sequence without a grammar. Beams and ``num_return_sequences`` are
            not counted.
        max_new_tokens: as given to ``generate()``, where texts are to end in as many tokens:
            only tokens after which they can are allowed. Default: texts may break off there.

    Attributes:
        n_masks: how many masks were asked for.
        n_refused: how many rows took an illegal token, as beam search has them.
        seconds: what they took, with following the tokens, and without writing to the scores.

    Raises:
        IntegrationError: no artifact is given, or a name, or anything else that makes no matchers.
    """

    # It tells sequences apart by their index in the batch, and continuous batching packs them.
    supports_continuous_batching = False

    def __init__(
        self, artifacts: Compiled | Sequence[Compiled | None], *, max_new_tokens: int | None = None
    ) -> None:
        given = artifacts if isinstance(artifacts, list | tuple) else [artifacts]
        check_artifacts(ENGINE, given)
        if all(artifact is None for artifact in given):
            raise IntegrationError(
                ENGINE, "a processor has no artifact", "leave out the processor, or give one"
            )
        self._is_shared = not isinstance(artifacts, Sequence)
        self._artifacts = tuple(artifacts) if isinstance(artifacts, Sequence) else (artifacts,)
        self._max_new_tokens, self._is_told = max_new_tokens, False
        self.n_masks, self.n_refused, self.seconds = 0, 0, 0.0
        self._prompts: NDArray[np.int64] | None = None
        # By the number of generated tokens, the rows that had so many.
        self._steps: dict[int, dict[_Key, RowOwner]] = {}

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with those of illegal tokens at -inf.

        Args:
            input_ids: int64[rows, length], prompts included.
            scores: float[rows, vocabulary].

        Raises:
            IntegrationError: the processor was used before, or does not fit the batch or the
                model.
        """
        ids = input_ids.detach().cpu().numpy()
        if self._prompts is None:
            self._prompts = ids.copy()
            self._check(len(ids), scores.shape[1])
        self._check_continues(ids, self._prompts)
        generated = np.ascontiguousarray(ids[:, self._prompts.shape[1] :])
        began = time.perf_counter()
        sequences = self._follow(generated)
        bitmask = allocate_bitmask(len(ids), scores.shape[1])
        most = self._max_new_tokens
        left = None if most is None else max(0, most - generated.shape[1])
        told = fill_rows(list(sequences.values()), bitmask, list(sequences), left)
        if told is not None and not self._is_told:
            _log.warning("a token budget is not kept: %s", told)
            self._is_told = True
        self.seconds += time.perf_counter() - began
        self.n_masks += len(sequences)
        illegal = ~unpack_bitmask(bitmask, scores.shape[1], device=scores.device)
        return scores.masked_fill(illegal, -float("inf"))

    def finish_reasons(self, output_ids: Tensor) -> list[str | None]:
        """Return why each text ended: ``stop``, it is whole; ``length``, it was cut.

        ``None`` is a sequence without a grammar. What follows an end is ignored.

        Args:
            output_ids: int64[rows, length], as ``generate()`` returned them: prompts included.

        Raises:
            IntegrationError: the processor was not used, or the prompts are others.
        """
        return [
            None if here is None else "stop" if here.is_terminated else "length"
            for here in self._read_outputs(output_ids)
        ]

    def is_complete(self, output_ids: Tensor) -> list[bool | None]:
        """Return whether each text is whole, also where it was cut just before its end.

        Args and errors are those of :meth:`finish_reasons`.
        """
        return [
            None if here is None else here.is_terminated or here.is_accepting
            for here in self._read_outputs(output_ids)
        ]

    def _read_outputs(self, output_ids: Tensor) -> list[Matcher | None]:
        """Return a matcher after each row's text, ``None`` for a row without a grammar."""
        ids = output_ids.detach().cpu().numpy()
        prompts = self._prompts
        if prompts is None:
            raise IntegrationError(
                ENGINE, "the processor has not been used yet", "call generate() with it first"
            )
        # Of a prompt's beams some are returned, in its place.
        prompt_of = np.arange(len(ids)) * len(prompts) // max(1, len(ids))
        self._check_continues(ids, prompts[prompt_of])
        found: list[Matcher | None] = []
        for row, generated in enumerate(ids[:, prompts.shape[1] :].tolist()):
            index = 0 if self._is_shared else row * len(self._artifacts) // len(ids)
            artifact = self._artifacts[index]
            matcher = None if artifact is None else artifact.matcher()
            if matcher is not None:
                matcher.accept_tokens(generated)
            found.append(matcher)
        return found

    def _follow(self, generated: NDArray[np.int64]) -> dict[int, RowOwner]:
        """Return the sequences of the rows that have a grammar, and remember them."""
        n_rows, n_tokens = generated.shape
        here: dict[_Key, RowOwner] = {}
        found = {}
        for row in range(n_rows):
            index = 0 if self._is_shared else row * len(self._artifacts) // n_rows
            artifact = self._artifacts[index]
            if artifact is None:
                continue
            key = (index, generated[row].tobytes())
            if key not in here:
                here[key] = self._continue(index, artifact, generated[row])
            found[row] = here[key]
        self._steps[n_tokens] = here
        for n_older in [n for n in self._steps if n < n_tokens - MAX_STEPS_BACK]:
            del self._steps[n_older]
        return found

    def _continue(self, index: int, artifact: Compiled, row: NDArray[np.int64]) -> RowOwner:
        """Return the sequence of a row, from the longest beginning of it that is remembered."""
        for n_known in range(len(row) - 1, -1, -1):
            if n_known < len(row) - 1 - MAX_STEPS_BACK:
                break
            known = self._steps.get(n_known, {}).get((index, row[:n_known].tobytes()))
            if known is not None:
                after = known.after(row[n_known:].tolist())
                self.n_refused += known.matcher is not None and after.matcher is None
                return after
        after = RowOwner.start(artifact).after(row.tolist())
        self.n_refused += after.matcher is None
        return after

    def _check(self, n_rows: int, width: int) -> None:
        n_sequences = len(self._artifacts)
        if not self._is_shared and (not n_sequences or n_rows % n_sequences):
            raise IntegrationError(
                ENGINE,
                f"{n_sequences} artifacts are given for a batch of {n_rows} rows",
                "give one for each prompt, or one for all",
            )
        widest = max((a.vocab_size for a in self._artifacts if a is not None), default=0)
        if widest > width:
            raise IntegrationError(
                ENGINE,
                f"the artifact has {widest} tokens, and the model's logits only {width}",
                "load artifacts by a registry, which compares them with the model's tokenizer",
            )

    def _check_continues(self, ids: NDArray[np.int64], prompts: NDArray[np.int64]) -> None:
        if np.array_equal(ids[:, : prompts.shape[1]], prompts):
            return
        raise IntegrationError(
            ENGINE,
            "a processor was used for other prompts",
            "make a GrammarProcessor for each call of generate()",
        )


def open_registry(
    model: Any, tokenizer: Any, folder: str | os.PathLike[str] | None = None
) -> ArtifactRegistry:
    """Return the artifacts of a folder, checked against a model and its tokenizer.

    Args:
        model: of transformers; its configuration says the width of the logits and which tokens
            end the output.
        tokenizer: a fast tokenizer, or a name or path of one.
        folder: default: the environment variable ``MASKC_ARTIFACTS``.

    Raises:
        ArtifactError: there is no such folder.
        TokenizerError: the tokenizer's tokens have no exact bytes.
    """
    return ArtifactRegistry(_read_vocabulary(model, tokenizer), folder)


def open_kit(model: Any, tokenizer: Any) -> Kit:
    """Return a kit for a model, made of its tokenizer: constraints of schemas, choices and so on.

    It takes about half a second for 128,000 tokens.

    Args:
        model: of transformers, as above.
        tokenizer: a fast tokenizer, or a name or path of one.

    Raises:
        TokenizerError: the tokenizer's tokens have no exact bytes.
    """
    from maskc.compiling import check_compiler

    check_compiler()
    from maskc.kit.file import make_kit

    return make_kit(_read_vocabulary(model, tokenizer))


def _read_vocabulary(model: Any, tokenizer: Any) -> Vocabulary:
    ends = getattr(model.generation_config, "eos_token_id", None)
    if ends is None:
        ends = model.config.eos_token_id
    eos_ids = ends if isinstance(ends, (list, tuple)) else [] if ends is None else [ends]
    width = model.get_output_embeddings().weight.shape[0]
    return read_vocabulary(tokenizer, vocab_size=width, eos_ids=eos_ids)
