"""Fuzzes the front ends and the compiler: any text is compiled, or refused with a sentence.

The first line names the dialect (``lark``, ``gbnf``, ``ebnf``, ``regex`` or ``json-schema``); what
follows is the grammar, with its settings, or the schema. Texts are short: how long a grammar may
take is not what is asked here.
"""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["maskc"]):
    from maskc.compiler.pipeline import compile_contents
    from maskc.errors import MaskcError
    from maskc.frontends.source import load_source
    from maskc.jsonschema.compiling import compile_schema
    from maskc.runtime.artifact import Artifact
    from maskc.vocab.vocabulary import Vocabulary
    from tests.fuzz.driver import run_fuzzer
    from tests.security.forging import use

TOKENS = (*(bytes([b]) for b in b'abcx01 "[](),\n\t\xc3\xa9'), b"ab", b"aa", b"a,", b"\n ", None)
VOCABULARY = Vocabulary(tokens=TOKENS, eos_ids=(len(TOKENS) - 1,), name="fuzz")
MAX_BYTES = 160


def take(data: bytes) -> None:
    """Compile a grammar, and use the artifact."""
    first, _, text = data[:MAX_BYTES].partition(b"\n")
    dialect = first.decode("latin-1")
    if dialect not in ("lark", "gbnf", "ebnf", "regex", "json-schema"):
        return
    try:
        if dialect == "json-schema":
            contents = compile_schema(text, VOCABULARY)
        else:
            source = load_source(text.decode(errors="replace") + "\n", dialect=dialect)
            contents, _ = compile_contents(source, VOCABULARY)
    except MaskcError as error:
        if "\n" in str(error).strip() and "Traceback" in str(error):
            raise ValueError("a traceback in a sentence") from error
        return
    use(Artifact(contents, cache_bytes=1 << 20), Random(len(data)), n_steps=5)


if __name__ == "__main__":
    run_fuzzer("frontends", take, [*sys.argv[1:], f"-max_len={MAX_BYTES}"])
