"""Law 1 on python.lark: a bit is set iff the token is accepted, byte by byte or at once."""

import pytest

from tests.compiled import EVERY_BYTE, compile_kept, legal_ids
from tests.laws.test_lark_quirks import PYTHON, PYTHON_TEXTS, SETTINGS

TOKENS = (
    *EVERY_BYTE,
    *(b"\n" + b" " * n for n in range(1, 13)),
    *(b"  ", b"    ", b"\t\t", b"\n\n", b"\n\n    ", b"\r\n", b"\\\n", b"# c\n", b"#c", b"\n#"),
    *(b")\n", b"):\n", b":\n    ", b"()\n", b"])", b"))", b"}]", b"):", b" =", b"= ", b"==", b"=="),
    *(b"def", b" def ", b"return", b"\nreturn", b"\n    return", b"if x", b"x:\n\ta", b" match"),
    *(b"1e", b"1e5", b".5", b"..", b"...", b"0x", b"1_", b"'''", b'"""', b"''", b"f'", b"\xc3\xa9"),
    *(b" in", b" not", b" is not", b" lambda", b":=", b"->", b"**", b"//=", b"not in", b"async "),
)

TEXTS = [
    *PYTHON_TEXTS,
    "class A(B, c=1):\n    x: int = 1\n    def f(self, *a, **k) -> A:\n        return {1: 2}[1]\n",
    "try:\n  pass\nexcept (A, B) as e:\n  raise\nelse:\n  x\nfinally:\n  y\n",
    "with a as b, c:\n\tfor i in range(3):\n\t\tprint(i, end='')\n\telse:\n\t\tbreak\n",
    "@d\nasync def f():\n    await g(lambda x, *y: x)\n",
    "x = [a for a in b for c in d if e]\ny = {**k, 'a': 1}\n",
    "match x:\n  case {'a': 1, **r} if r: pass\n  case A(b=C()): pass\n",
]


@pytest.fixture(scope="module")
def python():
    return compile_kept(PYTHON, TOKENS, **SETTINGS)


@pytest.mark.parametrize("text", TEXTS)
def test_a_token_is_legal_iff_its_bytes_are_accepted(python, text):
    matcher = python.matcher()
    for byte in text.encode():
        legal = legal_ids(matcher, python.vocab_size)
        for token_id, token in enumerate(TOKENS):
            by_bytes = matcher.fork()
            accepted = by_bytes.accept_bytes(token)
            assert (token_id in legal) == accepted, token
            assert matcher.fork().accept_token(token_id) == accepted, token
        assert matcher.accept_token(byte)
    assert matcher.is_accepting


def test_masks_do_not_depend_on_what_was_asked_before(python):
    """A mask that is remembered for one stack must not be given to another one."""
    fresh = type(python)(python.contents)
    for text in reversed(TEXTS):
        first, second = python.matcher(), fresh.matcher()
        for byte in text.encode():
            assert legal_ids(first, python.vocab_size) == legal_ids(second, python.vocab_size)
            first.accept_token(byte)
            second.accept_token(byte)
