"""xgrammar, in one thread and without its cache of compiled grammars.

The mask is a torch tensor, as in the engines that use xgrammar.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import version
from typing import Any

import torch
import xgrammar

from benchmarks.engines import TOKENIZER, Engine, RefusedError, Session, Start
from benchmarks.peers.sources import read_ebnf
from maskc.vocab import load_vocabulary


def _compile(compiler: Any, kind: str, what: Any) -> Any:
    match kind:
        case "workload" if what[0] == "json":
            return compiler.compile_builtin_json_grammar()
        case "workload":
            return compiler.compile_grammar(read_ebnf(what[0]))
        case "schema":
            # As MaskBench has it; its own default allows other properties only where said so.
            return compiler.compile_json_schema(json.dumps(what.schema), strict_mode=False)
        case "regex":
            return compiler.compile_regex(what)
        case "choice":
            return compiler.compile_grammar("root ::= " + " | ".join(map(json.dumps, what)))
        case "grammar":
            return compiler.compile_grammar(what["ebnf"])
        case _:
            return compiler.compile_grammar(xgrammar.Grammar.from_lark(what))


def read() -> Engine:
    """Return xgrammar."""
    torch.set_num_threads(1)
    vocabulary = load_vocabulary(TOKENIZER)
    # Without text, an id is special to xgrammar.
    tokens = [token or b"" for token in vocabulary.tokens]
    info = xgrammar.TokenizerInfo(tokens, stop_token_ids=list(vocabulary.eos_ids))
    bitmask = xgrammar.allocate_token_bitmask(1, vocabulary.vocab_size)

    def compile_constraint(kind: str, what: Any) -> Start:
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        try:
            compiled = _compile(compiler, kind, what)
        except RuntimeError as error:
            raise RefusedError(str(error)) from error

        def start() -> Session:
            matcher = xgrammar.GrammarMatcher(compiled)
            fill = partial(matcher.fill_next_token_bitmask, bitmask, 0)
            end = info.stop_token_ids[0]
            return Session(fill, matcher.accept_token, lambda: matcher.accept_token(end))

        return start

    return Engine(f"xgrammar {version('xgrammar')}", bitmask.numpy(), compile_constraint)
