"""A small vocabulary that cuts JSON at awkward points."""

from maskc.runtime.schema.tries import TokenIndex
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary

TEXTS = (
    *(bytes([byte]) for byte in range(256)),
    *(b'"a', b'":', b'": ', b'", "', b'",', b'"}', b'"]', b"}}", b"]]", b'{"', b'["', b'a"'),
    *(
        b'ab"',
        b"ab",
        b"12",
        b"123",
        b".0",
        b"1,",
        b"null",
        b"tru",
        b"e,",
        b'","a"',
        b"\\u00",
        b"61",
    ),
    *(b'","', b'":1,"a":', b'a":1,"a', b"  ", b"\n  ", b"[1,", b"},{", b'""', b'":"', b'a","b'),
    *(b'"x\xc3', b'"\\u00'),
    *(b"        ", b"\n        ", b'{"a":{"a":', b"]}", b"\xc3\xa9", b"x\xc3", b'x"', b'x":1}'),
)
VOCABULARY = build_vocabulary("awkward", TokenizerTokens((*TEXTS, None), (len(TEXTS),)))


def build_index(texts=TEXTS):
    import numpy as np

    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return TokenIndex(first, np.frombuffer(b"".join(texts), dtype=np.uint8))
