"""xgrammar, in one thread and without its cache of compiled grammars.

The mask is a torch tensor, as in the engines that use xgrammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import torch
import xgrammar

from benchmarks.engines import AskedSchema, Prepared, RefusedError, Schemas, SchemaSession
from benchmarks.peers.sources import read_ebnf
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Session
from maskc.vocab import load_vocabulary


def _read_vocabulary() -> tuple[xgrammar.TokenizerInfo, torch.Tensor]:
    torch.set_num_threads(1)
    vocabulary = load_vocabulary(TOKENIZER)
    # Without text, an id is special to xgrammar.
    tokens = [token or b"" for token in vocabulary.tokens]
    info = xgrammar.TokenizerInfo(tokens, stop_token_ids=list(vocabulary.eos_ids))
    return info, xgrammar.allocate_token_bitmask(1, vocabulary.vocab_size)


def prepare(workload: str, artifact: Path) -> Prepared:
    """Return xgrammar with its grammar of a workload."""
    del artifact
    info, bitmask = _read_vocabulary()

    def load() -> Callable[[], Session]:
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        if workload == "json":
            compiled = compiler.compile_builtin_json_grammar()
        else:
            compiled = compiler.compile_grammar(read_ebnf(workload))

        def start() -> Session:
            matcher = xgrammar.GrammarMatcher(compiled)
            fill = partial(matcher.fill_next_token_bitmask, bitmask, 0)
            return Session(fill, matcher.accept_token)

        return start

    return Prepared(f"xgrammar {version('xgrammar')}", bitmask.numpy(), load)


def read_schemas() -> Schemas:
    """Return xgrammar as it compiles schemas, in one thread and without its cache."""
    info, bitmask = _read_vocabulary()

    def compile_schema(asked: AskedSchema) -> Callable[[], SchemaSession]:
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        try:
            # As MaskBench has it; its own default allows other properties only where said so.
            compiled = compiler.compile_json_schema(json.dumps(asked.schema), strict_mode=False)
        except RuntimeError as error:
            raise RefusedError(str(error)) from error

        def start() -> SchemaSession:
            matcher = xgrammar.GrammarMatcher(compiled)
            fill = partial(matcher.fill_next_token_bitmask, bitmask, 0)
            ends = info.stop_token_ids
            return SchemaSession(fill, matcher.accept_token, lambda: matcher.accept_token(ends[0]))

        return start

    return Schemas(f"xgrammar {version('xgrammar')}", bitmask.numpy(), compile_schema)
