"""Speculative decoding by n-grams in SGLang without a GPU: its kernels, written in plain torch.

A plug-in like sglang_timing.py, that does nothing unless the environment variable
``MASKC_SPECULATION`` is set. What it replaces are five kernels that only move numbers; trees of
drafts, the masks of their nodes, and what is taken of them stay SGLang's own. Attention over drafts
is that of a chain, in order: a draft of another shape has other scores than on a GPU, and the same
masks.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

VARIABLE = "MASKC_SPECULATION"


def register() -> None:
    """Put the replacements in, if they are wanted."""
    if not os.environ.get(VARIABLE):
        return
    kernels = ModuleType("sgl_kernel")
    speculative = ModuleType("sgl_kernel.speculative")
    speculative.reconstruct_indices_from_tree_mask = link_tree  # type: ignore[attr-defined]
    kernels.speculative = speculative  # type: ignore[attr-defined]
    sys.modules |= {"sgl_kernel": kernels, "sgl_kernel.speculative": speculative}

    from sglang.srt.layers.attention.torch_native_backend import TorchNativeAttnBackend
    from sglang.srt.mem_cache import allocation, memory_pool
    from sglang.srt.speculative import eagle_utils, ngram_worker

    memory_pool.MHATokenToKVPool._init_kv_copy_and_warmup = lambda _: None
    allocation.assign_req_to_token_pool_func = assign_slots
    eagle_utils.verify_tree_greedy_func = verify
    ngram_worker.assign_extend_cache_locs_func = find_slots
    ngram_worker.move_accept_tokens_to_target_kvcache = move_taken
    inner = TorchNativeAttnBackend.forward_extend

    def forward_extend(
        self: Any, q: Any, k: Any, v: Any, layer: Any, batch: Any, **named: Any
    ) -> Any:
        if batch.forward_mode.is_target_verify() and batch.extend_seq_lens is None:
            n_draft = q.shape[0] // len(batch.seq_lens)
            before = batch.seq_lens.clone()
            batch.extend_prefix_lens = before
            batch.extend_seq_lens = before * 0 + n_draft
            batch.seq_lens = before + n_draft
            try:
                return inner(self, q, k, v, layer, batch, **named)
            finally:
                batch.seq_lens = before
                batch.extend_prefix_lens = batch.extend_seq_lens = None
        return inner(self, q, k, v, layer, batch, **named)

    TorchNativeAttnBackend.forward_extend = forward_extend


def link_tree(
    tree_mask: Any,
    n_verified: Any,
    positions: Any,
    index: Any,
    next_token: Any,
    next_sibling: Any,
    n_requests: int,
    n_draft: int,
) -> None:
    """Write depths and links of trees: ``tree_mask[request, node, its ancestors]``."""
    masks = tree_mask.view(n_requests, n_draft, n_draft).tolist()
    lengths = n_verified.tolist()
    for request in range(n_requests):
        parents = []
        for node in range(n_draft):
            above = [other for other in range(node) if masks[request][node][other]]
            positions.view(-1)[request * n_draft + node] = lengths[request] + len(above)
            index.view(-1)[request * n_draft + node] = request * n_draft + node
            parents.append(above[-1] if above else -1)
        for node in range(n_draft):
            children = [k for k in range(node + 1, n_draft) if parents[k] == node]
            siblings = [k for k in range(node + 1, n_draft) if parents[k] == parents[node] >= 0]
            next_token.view(-1)[request * n_draft + node] = children[0] if children else -1
            next_sibling.view(-1)[request * n_draft + node] = siblings[0] if siblings else -1


def verify(
    predicts: Any,
    accept_index: Any,
    accept_token_num: Any,
    candidates: Any,
    retrieve_index: Any,
    retrieve_next_token: Any,
    retrieve_next_sibling: Any,
    target_predict: Any,
    topk: int = -1,  # noqa: ARG001
) -> tuple[Any, Any, Any]:
    """Follow the model's choices down each tree, as far as they were drafted."""
    for request in range(len(candidates)):
        node, n_taken = 0, 0
        accept_index[request, 0] = retrieve_index[request, 0]
        while True:
            choice = target_predict[request, node]
            predicts[retrieve_index[request, node]] = choice
            child = int(retrieve_next_token[request, node])
            while child >= 0 and candidates[request, child] != choice:
                child = int(retrieve_next_sibling[request, child])
            if child < 0 or n_taken + 1 == accept_index.shape[1]:
                break
            node, n_taken = child, n_taken + 1
            accept_index[request, n_taken] = retrieve_index[request, node]
        accept_token_num[request] = n_taken
    return predicts, accept_index, accept_token_num


def assign_slots(
    req_pool_indices: Any,
    req_to_token: Any,
    start_offset: Any,
    end_offset: Any,
    out_cache_loc: Any,
    batch_size: int,  # noqa: ARG001
) -> None:
    """Write the places in the cache that requests were given into their rows."""
    at = 0
    for row, begin, end in zip(req_pool_indices, start_offset, end_offset, strict=True):
        n_slots = int(end - begin)
        req_to_token[row, begin:end] = out_cache_loc[at : at + n_slots].to(req_to_token.dtype)
        at += n_slots


def find_slots(
    *, req_pool_indices: Any, req_to_token: Any, start_offset: Any, end_offset: Any, **_: Any
) -> Any:
    """Return the places in the cache of each request's draft, one after the other."""
    import torch

    rows = zip(req_pool_indices, start_offset, end_offset, strict=True)
    return torch.cat([req_to_token[row, begin:end] for row, begin, end in rows]).to(torch.int64)


def move_taken(batch: Any, accept_index: Any, num_correct_drafts: Any, allocator: Any) -> None:
    """Move the keys and values of what was taken of a tree to its front."""
    import torch

    n_draft = len(batch.out_cache_loc) // len(num_correct_drafts)
    sources, targets = [], []
    for request, n_taken in enumerate((num_correct_drafts + 1).tolist()):
        sources.append(batch.out_cache_loc[accept_index[request, :n_taken].long()])
        begin = request * n_draft
        targets.append(batch.out_cache_loc[begin : begin + n_taken])
    source, target = torch.cat(sources), torch.cat(targets)
    pool = allocator.get_kvcache()
    for buffer in (*pool.k_buffer, *pool.v_buffer):
        buffer[target] = buffer[source].clone()
