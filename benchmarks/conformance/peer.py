"""One peer on one grammar, in a process of its own: does it load it, and what does it accept?

Usage: python -m benchmarks.conformance.peer ENGINE REQUEST

REQUEST is a JSON file with the grammar's text and the texts as token ids. The peer is given the
text as it is, by its own function for Lark grammars (``LLMatcher.grammar_from_lark``,
``Grammar.from_lark``). Both begin at a rule ``start`` and have no option for another: a grammar
that begins elsewhere gets one line more, ``start: NAME``.

Standard output is a line of JSON for each thing that is known, written at once, so that a process
that is killed leaves what it had: ``{"loads": true}`` or ``{"loads": false, "why": …}``, then
true or false for each text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.workloads import TOKENIZER
from maskc.vocab import load_vocabulary

Judge = Callable[[Sequence[int]], bool]


class PeerError(Exception):
    """A peer does not load a grammar, or gives up on a text; its message says why."""


def load_llguidance(grammar: str) -> Judge:
    """Return llguidance's verdict on texts, with its limits raised as in the benchmarks."""
    import llguidance

    from benchmarks.engines.llguidance_engine import RAISED, WrappedVocabulary

    compiled = llguidance.LLMatcher.grammar_from_lark(grammar)
    # Without a tokenizer first: that is read in seconds.
    problem = llguidance.LLMatcher.validate_grammar(compiled, limits=RAISED)
    if problem:
        raise PeerError(problem)
    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(WrappedVocabulary()), slices=[])

    def make() -> Any:
        matcher = llguidance.LLMatcher(tokenizer, compiled, limits=RAISED)
        if matcher.is_error():
            raise PeerError(matcher.get_error())
        return matcher

    def judge(tokens: Sequence[int]) -> bool:
        matcher = make()
        if matcher.try_consume_tokens(list(tokens)) < len(tokens):
            return False
        # Where nothing can follow it stops by itself, after a text that it accepts.
        return bool(matcher.is_accepting() or (matcher.is_stopped() and not matcher.is_error()))

    make()
    return judge


def load_xgrammar(grammar: str) -> Judge:
    """Return xgrammar's verdict on texts."""
    import torch
    import xgrammar

    torch.set_num_threads(1)
    try:
        parsed = xgrammar.Grammar.from_lark(grammar)
    except RuntimeError as error:
        raise PeerError(str(error)) from error
    vocabulary = load_vocabulary(TOKENIZER)
    # Without text, an id is special to xgrammar.
    tokens = [token or b"" for token in vocabulary.tokens]
    info = xgrammar.TokenizerInfo(tokens, stop_token_ids=list(vocabulary.eos_ids))
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    try:
        compiled = compiler.compile_grammar(parsed)
    except RuntimeError as error:
        raise PeerError(str(error)) from error

    def judge(tokens: Sequence[int]) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return all(map(matcher.accept_token, (*tokens, vocabulary.eos_ids[0])))

    return judge


ENGINES = {"llguidance": load_llguidance, "xgrammar": load_xgrammar}


def main() -> None:
    """Load the grammar, judge the texts, and tell."""
    engine, request = sys.argv[1:]
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    grammar, start = asked["grammar"], asked["start"]
    if start != "start":
        grammar += f"\nstart: {start}\n"
    try:
        judge = ENGINES[engine](grammar)
    except PeerError as error:
        _tell({"loads": False, "why": str(error)})
        return
    _tell({"loads": True})
    for tokens in asked["texts"]:
        _tell(judge(tokens))


def _tell(fact: object) -> None:
    print(json.dumps(fact), flush=True)


if __name__ == "__main__":
    main()
