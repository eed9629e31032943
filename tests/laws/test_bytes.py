r"""Law 1 for ``use_bytes``: masks are what Lark parses of bytes.

Lark is given bytes. Texts are enumerated as characters up to ``\xff``, each of which is a byte.
"""

from random import Random

import pytest
from lark import Lark

from maskc.errors import MaskcError
from maskc.verify.general import is_two_endings
from tests.compiled import compile_text
from tests.examples import seeds
from tests.laws.test_masks_are_exact import check_language
from tests.random_grammars import draw_grammar

HEADS = {"lalr": ["contextual", "basic"], "earley": ["basic", "dynamic", "dynamic_complete"]}
MORE = [bytes([n]) for n in b"abAB \n0_\x00\x7f\x80\xa9\xc3\xe9\xff"]
OTHERS = [r"\w", r"\W", r"[^\x80-\xff]", r"[\x80-\xff]+", r"\b", r"[^\n]", r"(?<=\xe9)", r"\s?."]


class OfBytes:
    """Lark's parser of bytes, asked of the characters that Latin-1 makes of them."""

    def __init__(self, lark):
        self._lark = lark

    def parse(self, text):
        try:
            return self._lark.parse(text.encode("latin-1"))
        except RuntimeError as error:
            if not is_two_endings(error):
                raise


def find_rest(matcher, written):
    del written
    pending, seen = [(b"", matcher)], {matcher.configuration()}
    for rest, here in pending:
        if here.is_accepting:
            return rest
        for byte in MORE:
            after = here.fork()
            if after.accept_bytes(byte) and after.configuration() not in seen:
                seen.add(after.configuration())
                pending.append((rest + byte, after))
        if len(pending) > 20_000:
            break
    return None


@pytest.mark.parametrize("seed", seeds(30))
@pytest.mark.parametrize(("parser", "lexer"), [(p, x) for p, xs in HEADS.items() for x in xs])
def test_a_mask_is_exact_on_bytes(parser, lexer, seed):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    if draw.random() < 0.5:
        text = text.replace("T0: /", f"T0: /{draw.choice(OTHERS)}", 1)
    text = text.replace("é", r"\xe9")
    alphabet = alphabet if "é" in alphabet else alphabet + draw.choice("\x80é\n")
    if lexer.startswith("dynamic") and "é" in alphabet:
        alphabet = alphabet.replace("é", "\xc3\xa9")
    tokens = {bytes([n]) for n in alphabet.encode("latin-1")}
    for _ in range(10):
        tokens.add("".join(draw.choices(alphabet, k=draw.randint(2, 4))).encode("latin-1"))
    head = f"// maskc: use_bytes=true parser={parser} lexer={lexer}\n"
    try:
        compile_text(head + text, tuple(sorted(tokens)))
    except MaskcError as error:
        if "no text at all" not in str(error):
            return
    lark = OfBytes(Lark(text, parser=parser, lexer=lexer, use_bytes=True))
    longest = {2: 6, 3: 5, 4: 4, 5: 3}[len(alphabet)]
    found = check_language(
        head + text, alphabet, longest, tuple(sorted(tokens)), find_rest, lark, codec="latin-1"
    )
    assert found > 0
