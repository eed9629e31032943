"""Grammars in llama-cpp-python: a logits processor for one completion (docs/llama-cpp.md).

llama-cpp-python calls its processors once for each token that it samples, with all ids so far and
the scores of the next token. What the first call brings is the prompt, and call ``n`` is about the
token after ``n`` others: ids further on are what a draft model proposes, not decided yet.

It calls processors through C, where an exception is printed and dropped, and the scores stay as
they were. So an error leaves no token but the end, and is raised from a stopping criterion.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.errors import TokenizerError
from maskc.integrations.errors import IntegrationError, check_artifacts, load_engine
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.session import Allowance, Session
from maskc.runtime import made_once
from maskc.runtime.artifact import Compiled
from maskc.runtime.batches import allocate_bitmask
from maskc.vocab.vocabulary import AddedToken, TokenizerTokens, Vocabulary, build_vocabulary

if TYPE_CHECKING:
    from maskc.kit.constraint import Constraint
    from maskc.kit.kit import Kit

TESTED = ("0.3.36",)

_FUNCTIONS = (
    *("llama_model_get_vocab", "llama_token_to_piece", "llama_vocab_get_attr"),
    *("llama_vocab_get_text", "llama_vocab_is_eog", "llama_vocab_n_tokens", "llama_vocab_type"),
)
# Longer than any token of any vocabulary that we know.
_MAX_PIECE = 1 << 16
# The kinds of vocabulary whose pieces are exact bytes, and the longest piece that llama-cpp-python
# has room for when it writes a text; a longer one is lost.
_EXACT_KINDS = ("LLAMA_VOCAB_TYPE_SPM", "LLAMA_VOCAB_TYPE_BPE", "LLAMA_VOCAB_TYPE_UGM")
_MAX_WRITTEN = 32


def read_vocabulary(llm: Any, end_ids: Iterable[int]) -> Vocabulary:
    """Return the vocabulary of a loaded model: the bytes that its normal and byte tokens write.

    User-defined tokens are a tokenizer's added tokens, text or atoms by
    :class:`~maskc.vocab.vocabulary.AddedTokens`, as in the compiler's reading of the model's file.

    Raises:
        TokenizerError: its vocabulary is of a kind that has no exact bytes, or has no end.
    """
    api = _load_api()
    vocab = api.llama_model_get_vocab(llm.model)
    name = "the model's tokenizer"
    kind = api.llama_vocab_type(vocab)
    if kind not in [getattr(api, known) for known in _EXACT_KINDS]:
        raise TokenizerError(
            name,
            f"llama.cpp's vocabularies of kind {kind} have no exact bytes",
            "use a model with a byte-level, byte-fallback or Unigram tokenizer",
        )
    text = api.LLAMA_TOKEN_ATTR_NORMAL | api.LLAMA_TOKEN_ATTR_BYTE
    defined, control = api.LLAMA_TOKEN_ATTR_USER_DEFINED, api.LLAMA_TOKEN_ATTR_CONTROL
    buffer = ctypes.create_string_buffer(_MAX_PIECE)
    tokens: list[bytes | None] = []
    added: dict[int, AddedToken] = {}
    specials: dict[str, int] = {}
    for token_id in range(api.llama_vocab_n_tokens(vocab)):
        attributes = api.llama_vocab_get_attr(vocab, token_id)
        if attributes & (defined | control):
            specials[api.llama_vocab_get_text(vocab, token_id).decode(errors="replace")] = token_id
        # What llama.cpp holds for a control token writes nothing, whatever else it is.
        if not attributes & (text | defined) or attributes & control:
            tokens.append(None)
            continue
        n_bytes = api.llama_token_to_piece(vocab, token_id, buffer, _MAX_PIECE, 0, False)
        if n_bytes < 0:
            raise TokenizerError(
                name, f"token {token_id} has {-n_bytes} bytes", "use an undamaged model"
            )
        data = ctypes.string_at(buffer, n_bytes)
        if attributes & defined:
            added[token_id] = AddedToken(data.decode(errors="replace"), data)
        tokens.append(None if attributes & defined else data)
    table = TokenizerTokens(tuple(tokens), (), specials, added)
    return build_vocabulary(name, table, eos_ids=tuple(end_ids))


def find_end_ids(llm: Any) -> tuple[int, ...]:
    """Return the ids at which llama.cpp ends a generation, increasing."""
    api = _load_api()
    vocab = api.llama_model_get_vocab(llm.model)
    n_tokens = api.llama_vocab_n_tokens(vocab)
    return tuple(i for i in range(n_tokens) if api.llama_vocab_is_eog(vocab, i))


def find_unwritten(llm: Any, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the ids whose text is lost when llama-cpp-python writes it, increasing.

    Version 0.3.36 has room for 32 bytes, and drops a longer token without a word.
    """
    return tuple(
        token_id
        for token_id, token in enumerate(vocabulary.tokens)
        if token is not None and len(token) > _MAX_WRITTEN and llm.detokenize([token_id]) != token
    )


def _load_api() -> Any:
    """Return llama-cpp-python's module, which has the functions of llama.cpp that we call."""
    api = load_engine("llama_cpp", "llama-cpp")
    missing = [name for name in _FUNCTIONS if not hasattr(api, name)]
    if missing:
        raise IntegrationError(
            "llama-cpp-python",
            f"version {api.__version__} has no {missing[0]}",
            f"use a version that maskc was tested with ({', '.join(TESTED)})",
        )
    return api


ENGINE = "llama-cpp-python"


class GrammarProcessor:
    """A logits processor for one completion.

    Args:
        artifact: of the grammar that the completion follows.
        end_ids: where the engine stops; default: at the artifact's end-of-sequence ids.
        unwritten: ids whose text the engine loses; they are never legal.
        max_tokens: the completion's, where its text is to end in as many tokens; ``None``: it may
            break off there.

    Attributes:
        error: why the completion was ended, ``None`` if nothing is wrong.

    Raises:
        IntegrationError: a name is given, or anything else that makes no matchers.
    """

    def __init__(
        self,
        artifact: Compiled,
        *,
        end_ids: Iterable[int] | None = None,
        unwritten: Iterable[int] = (),
        max_tokens: int | None = None,
    ) -> None:
        check_artifacts(ENGINE, [artifact])
        self.error: IntegrationError | None = None
        self._artifact = artifact
        self._end_ids = tuple(sorted(artifact.eos_ids if end_ids is None else set(end_ids)))
        allowance = None if max_tokens is None else Allowance(max_tokens)
        self._session = Session(artifact, self._end_ids, max_tokens=allowance)
        self._unwritten = np.array(sorted(unwritten), dtype=np.intp)
        self._n_prompt = 0
        # The prompt and the tokens that were taken, and how many calls there were since then.
        self._known: NDArray[np.intc] | None = None
        self._n_sampled = 0

    def __call__(
        self, input_ids: NDArray[np.intc], scores: NDArray[np.single]
    ) -> NDArray[np.single]:
        """Return the scores, those of illegal tokens -inf.

        Args:
            input_ids: int[length], the prompt, what was generated, and what is proposed.
            scores: float[vocabulary]; changed only if an error is raised, to those of an end.

        Raises:
            IntegrationError: the processor was used before, the model is another one, an
                illegal token was generated, or other processors leave no legal token.
        """
        try:
            self.check()
            return self._mask(np.asarray(input_ids), scores)
        except IntegrationError as error:
            self.error = error
            # The engine drops the error and reads what is in the array.
            scores[:] = -np.inf
            scores[[end for end in self._end_ids if end < len(scores)]] = 0
            raise

    def check(self, *_: object) -> bool:
        """Return False: as a stopping criterion, it stops nothing but a completion that failed.

        Raises:
            IntegrationError: the completion was ended, and its text is not whole.
        """
        if self.error is not None:
            raise self.error
        return False

    def _mask(self, ids: NDArray[np.intc], scores: NDArray[np.single]) -> NDArray[np.single]:
        if self._artifact.vocab_size > len(scores):
            raise IntegrationError(
                ENGINE,
                f"the artifact has {self._artifact.vocab_size} tokens, "
                f"and the model only {len(scores)}",
                "compile the grammar for the model's tokenizer",
            )
        self._follow(ids)
        bitmask = allocate_bitmask(1, len(scores))
        self._session.fill(bitmask, 0)
        legal = np.unpackbits(bitmask[0].view(np.uint8), count=len(scores), bitorder="little")
        legal[self._unwritten] = 0
        found = np.where(legal.view(np.bool_), scores, np.float32(-np.inf))
        if found.max() == -np.inf:
            raise IntegrationError(
                ENGINE,
                "every legal token has the score -inf",
                "leave out the processors, biases or grammar that forbid tokens",
            )
        self._n_sampled += 1
        return found

    def _follow(self, ids: NDArray[np.intc]) -> None:
        """Take the tokens that were generated since the call before."""
        if self._known is None:
            self._known, self._n_prompt = ids.copy(), len(ids)
        known, n_prompt = self._known, self._n_prompt
        n_decided = min(n_prompt + self._n_sampled, len(ids))
        n_both = min(len(known), n_decided)
        same = known[:n_both] == ids[:n_both]
        n_common = n_both if same.all() else int(same.argmin())
        if n_common < n_prompt:
            raise _other_prompt()
        self._session.rollback(len(known) - n_common)
        self._known, self._n_sampled = ids[:n_common].copy(), n_decided - n_prompt
        for token_id in ids[n_common:n_decided].tolist():
            if not self._session.accept(token_id):
                raise IntegrationError(
                    ENGINE,
                    f"token {token_id} was generated, which is not legal",
                    "put the processor after all others that change scores",
                )
        self._known = ids[:n_decided].copy()
        if self._session.is_terminated and len(ids) > n_decided:
            raise _other_prompt()


class ProcessorList(list[Any]):
    """Processors of a completion, which ``logit_bias`` does not replace.

    ``Llama.create_completion`` adds the bias by ``processors = processors.extend(…)``.
    """

    def extend(self, more: Iterable[Any]) -> ProcessorList:  # type: ignore[override]
        """Put processors in front, for the grammar to have the last word; return the list."""
        self[:0] = more
        return self


class ModelRegistry(ArtifactRegistry):
    """The artifacts of a folder, for one loaded model.

    Args:
        llm: a ``llama_cpp.Llama``.
        folder: default: the environment variable ``MASKC_ARTIFACTS``.

    Raises:
        ArtifactError: there is no such folder.
        TokenizerError: the model's tokens have no exact bytes.
    """

    def __init__(self, llm: Any, folder: str | os.PathLike[str] | None = None) -> None:
        self._end_ids = find_end_ids(llm)
        super().__init__(read_vocabulary(llm, self._end_ids), folder)
        self._unwritten = find_unwritten(llm, self.vocabulary)

    @made_once
    def kit(self) -> Kit:
        """A kit for the model: constraints of schemas, choices and so on."""
        from maskc.compiling import check_compiler

        check_compiler()
        from maskc.kit.file import make_kit

        return make_kit(self.vocabulary)

    def make_processor(
        self, name: str | Constraint, *, max_tokens: int | None = None
    ) -> GrammarProcessor:
        """Return a new processor for one completion.

        Args:
            name: of the artifact, or a constraint of :attr:`kit`.
            max_tokens: see :class:`GrammarProcessor`.

        Raises:
            ArtifactError: the name is not one, or its file is missing or broken.
            VocabularyMismatchError: it was compiled for another tokenizer than the model's.
        """
        compiled: Compiled = self.load(name) if isinstance(name, str) else name
        return GrammarProcessor(
            compiled, end_ids=self._end_ids, unwritten=self._unwritten, max_tokens=max_tokens
        )

    def constrain(self, name: str | Constraint, *, max_tokens: int | None = None) -> dict[str, Any]:
        """Return keyword arguments of ``create_completion`` and ``generate``, for one call.

        Args:
            name: as :meth:`make_processor`.
            max_tokens: see :class:`GrammarProcessor`; give the call the same.

        Raises:
            ArtifactError, VocabularyMismatchError: as :meth:`make_processor`.
        """
        processor = self.make_processor(name, max_tokens=max_tokens)
        # Both are called as `any(criterion(…))` and in order: a function and a list will do.
        return {
            "logits_processor": ProcessorList([processor]),
            "stopping_criteria": processor.check,
        }


def open_registry(llm: Any, folder: str | os.PathLike[str] | None = None) -> ModelRegistry:
    """Return the :class:`ModelRegistry` of a folder and a loaded model."""
    return ModelRegistry(llm, folder)


def _other_prompt() -> IntegrationError:
    return IntegrationError(
        ENGINE,
        "a processor was used for a second prompt",
        "make a GrammarProcessor for each completion",
    )
