"""Grammars in the continuous batching of transformers: a request names the artifact it follows.

There the logits processors of ``generate()`` are not asked. A manager has processors of another
kind, which are told the requests of a step and apply a value for each; ours is a row of masks. A
request that names an artifact that cannot be served fails, and the others go on.

Processors that leave out unlikely tokens must not leave out all legal ones, so ours is the first.
The masks of a step are made before it, from the tokens of the steps before: asynchronous batching,
which begins a step before the last one's tokens are known, is switched off, and so are CUDA
graphs, which would replay the masks of the step that they recorded.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maskc.integrations.errors import IntegrationError, load_engine
from maskc.integrations.mask_tables import unpack_bitmask
from maskc.integrations.patches import Engine
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.session import Session, fill_ends
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask

ENGINE = "transformers"
INTERFACE = Engine(ENGINE, ("5.23.0", "5.24.0"))
KEY = "grammar"

_PACKAGE = "transformers.generation.continuous_batching"
_PROCESSORS = f"{_PACKAGE}.cb_logits_processors"
_STATE_FIELDS = {"request_id", "generated_tokens", "eos_token_id", "logit_processor_kwargs"}
_FREE = 0  # the row of requests without a grammar


def open_manager(
    model: Any,
    registry: ArtifactRegistry,
    *,
    generation_config: Any = None,
    continuous_batching_config: Any = None,
    workload_hints: Any = None,
) -> Any:
    """Return a manager of continuous batching whose requests may name an artifact.

    Args:
        model: of transformers.
        registry: the artifacts, of ``maskc.integrations.transformers.open_registry``.
        generation_config: as for the model's ``init_continuous_batching``.
        continuous_batching_config: likewise; not changed.
        workload_hints: likewise.

    Returns:
        What ``init_continuous_batching`` returns: ``start()`` it, then
        ``add_request(ids, grammar=NAME)``.

    Raises:
        IntegrationError: transformers has another interface, the configuration asks for
            asynchronous batching, or the model keeps a manager of before.
    """
    check_interface()
    config = copy.copy(continuous_batching_config)
    if config is None:
        config = load_engine("transformers", ENGINE).ContinuousBatchingConfig()
    if config.use_async_batching or config.use_cuda_graph not in (None, False, (False, False)):
        raise IntegrationError(
            ENGINE,
            "asynchronous batching and CUDA graphs start a step before its masks are known",
            "leave use_async_batching and use_cuda_graph out of the configuration",
        )
    config.use_async_batching = config.use_cuda_graph = False
    manager = model.init_continuous_batching(generation_config, config, workload_hints)
    if manager.batch_processor is not None:
        raise IntegrationError(
            ENGINE,
            "the model still has a manager that was opened without grammars",
            "call its destroy_cached_continuous_batching_manager() first",
        )
    manager.logit_processor = _build_list(manager.logit_processor, registry)
    return manager


def check_interface() -> None:
    """Check that transformers has the interface that this module was written against."""
    INTERFACE.check(
        INTERFACE.find(f"{_PROCESSORS}:ContinuousBatchingLogitsProcessor"),
        {
            "fill_defaults": ("self", "int32_tensor"),
            "prepare_tensor_args": ("self", "requests_with_new_token"),
            "__call__": ("self", "scores", "tensor_arg"),
        },
    )
    INTERFACE.check(
        _list_class(),
        {
            "__init__": (
                *("self", "logits_processor", "per_request_processors"),
                "drop_unsupported_processors",
            ),
            "check_kwargs": ("self", "kwargs"),
        },
    )
    state = INTERFACE.find(f"{_PACKAGE}.requests:RequestState")
    missing = sorted(_STATE_FIELDS - {*getattr(state, "__dataclass_fields__", ())})
    if missing:
        raise INTERFACE.changed(f"RequestState has no {', '.join(missing)}")


@dataclass(slots=True)
class _Followed:
    """A request that follows an artifact."""

    # of transformers; a request that is begun again has another one
    state: weakref.ReferenceType[Any]
    artifact: Artifact  # what lay under the name when it began; it stays that
    session: Session | None  # what its tokens have led to; None once an illegal one was among them
    n_taken: int = 0  # how many of its generated tokens the session knows

    def take(self, token_ids: Sequence[int]) -> None:
        for token_id in token_ids:
            if self.session is not None and not self.session.accept(token_id):
                self.session = None


class Requests:
    """The masks of the requests in a step."""

    def __init__(self, registry: ArtifactRegistry) -> None:
        self._registry = registry
        self._followed: dict[str, _Followed] = {}
        # What was there when a request came is served to it, whatever lies there when it begins.
        self._checked: dict[str, Artifact] = {}
        width = registry.vocabulary.vocab_size
        self.masks: NDArray[np.int32] = allocate_bitmask(1, width)

    def check(self, name: str | None) -> None:
        """Check that a request may name an artifact."""
        if name is not None:
            self._checked[name] = self._registry.load(name)

    def fill(self, states: Sequence[Any]) -> NDArray[np.int32]:
        """Make the masks of a step; return int32[requests]: the row of each request."""
        if len(self.masks) <= len(states):
            self.masks = allocate_bitmask(2 * len(states) + 1, self._registry.vocabulary.vocab_size)
        rows = np.full(len(states), _FREE, dtype=np.int32)
        for row, state in enumerate(states, 1):
            name = state.logit_processor_kwargs.get(KEY)
            if name is not None:
                rows[row - 1] = row
                known = self._follow(name, state)
                if known.session is not None:
                    known.session.fill(self.masks, row)
                else:
                    fill_ends(known.artifact, self.masks, row)
        return rows

    def _follow(self, name: str, state: Any) -> _Followed:
        known = self._followed.get(state.request_id)
        if known is None or known.state() is not state:
            artifact = known.artifact if known is not None else self._checked.get(name)
            artifact = artifact or self._registry.load(name)
            known = self._followed[state.request_id] = self._begin(artifact, state)
        known.take(state.generated_tokens[known.n_taken :])
        known.n_taken = len(state.generated_tokens)
        return known

    def _begin(self, artifact: Artifact, state: Any) -> _Followed:
        ends = state.eos_token_id if isinstance(state.eos_token_id, list) else [state.eos_token_id]
        session = Session(artifact, [end for end in ends if end is not None and end >= 0] or None)
        # A request that ends, or is begun again as another object, is forgotten.
        request_id, followed = state.request_id, self._followed
        here = weakref.ref(state, lambda _: followed.pop(request_id, None))
        begun = _Followed(here, artifact, session)
        # A request that had to leave the cache begins again, with what it has generated as the end
        # of its prompt: its output tells them apart.
        begun.take(state.to_generation_output().generated_tokens)
        begun.n_taken = len(state.generated_tokens)
        return begun


def _list_class() -> type[Any]:
    found: type[Any] = INTERFACE.find(f"{_PROCESSORS}:ContinuousBatchingLogitsProcessorList")
    return found


def _build_processor(requests: Requests) -> Any:
    """Return transformers' processor that applies the masks of a step's requests."""
    torch = load_engine("torch", ENGINE)
    module = load_engine(_PROCESSORS, ENGINE)

    class Grammars(module.ContinuousBatchingLogitsProcessor):  # type: ignore[misc, name-defined]
        """What it does is said in transformers' ``ContinuousBatchingLogitsProcessor``."""

        supported_kwargs: ClassVar = {KEY: str}
        ignored_kwargs: ClassVar = ()

        def fill_defaults(self, int32_tensor: Any) -> None:
            int32_tensor.fill_(_FREE)

        def prepare_tensor_args(self, requests_with_new_token: list[Any]) -> Any:
            states = [request.state for request in requests_with_new_token]
            return torch.from_numpy(requests.fill(states))

        @torch.compiler.disable  # type: ignore[untyped-decorator]  # each step has other masks
        def __call__(self, scores: Any, tensor_arg: Any) -> Any:
            rows = tensor_arg[: len(scores)].cpu().numpy()
            masks = requests.masks[rows]
            legal = unpack_bitmask(masks, scores.shape[1], device=scores.device)
            return scores.masked_fill(~legal, -torch.inf)

    return Grammars()


def _build_list(present: Any, registry: ArtifactRegistry) -> Any:
    """Return a manager's list of processors with ours in front."""
    transformers = load_engine("transformers", ENGINE)
    requests = Requests(registry)

    class Processors(_list_class()):  # type: ignore[misc]
        """A request that names what cannot be served is refused when it comes."""

        def check_kwargs(self, kwargs: dict[str, Any]) -> None:
            super().check_kwargs(kwargs)
            requests.check(kwargs.get(KEY))

    # Those that are there have been chosen and made by the manager.
    made = Processors(
        transformers.LogitsProcessorList([_build_processor(requests), *present.logits_processor]),
        per_request_processors=False,
        drop_unsupported_processors=False,
    )
    made.tensors_required = present.tensors_required + 1
    return made
