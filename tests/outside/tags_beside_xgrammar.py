"""Are the masks of structural tags those of xgrammar, where xgrammar is exact?

    python -m tests.outside.tags_beside_xgrammar --write FILE [--n N]    # here
    PYTHON-WITH-XGRAMMAR tests/outside/tags_beside_xgrammar.py --compare FILE

Random tags of the tests are followed along random tokens; the first command writes each mask, the
second one compares them with xgrammar's. It prints how many masks are the same, and for each tag
that differs the first difference. Special tokens and formats of tokens are left out: xgrammar 0.2.8
marks `a` for the token 2 of a vocabulary that begins with `a`, `b`, `<`, and some such tags end its
process.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from typing import Any


def write(path: str, n: int) -> None:
    """Write tags, tokens and masks."""
    import numpy as np

    import maskc
    from maskc.errors import MaskcError
    from maskc.kit.file import make_kit
    from maskc.vocab.vocabulary import Vocabulary
    from tests.tags.drawing import TOKENS, draw_format

    # What stands before and after a value is the tag's in xgrammar.
    texts = [token for token in TOKENS if token and not set(token) & set(b" \t\r\n")]
    kit = make_kit(Vocabulary((*texts, None), (len(texts),), "small"))
    rows: list[Any] = []
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for seed in range(n):
        draw = random.Random(seed)
        # xgrammar takes no 0 there; the values have no blanks in any case.
        text = re.sub(', "max_whitespace_cnt": [0-9]', "", json.dumps(draw_format(draw, 3)))
        tag = {"type": "structural_tag", "format": json.loads(text)}
        if "[S" in text or '"token"' in text or "token_" in text or "_tokens" in text:
            continue
        try:
            matcher = kit.structural_tag(tag).matcher()
        except MaskcError as error:
            rows.append([tag, str(error), []])
            continue
        steps = []
        for _ in range(12):
            matcher.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: kit.vocab_size]
            legal = np.flatnonzero(bits).tolist()
            choices = [token for token in legal if token < len(texts)]
            token = draw.choice(choices) if choices else None
            steps.append([legal, token])
            if token is None:
                break
            matcher.accept_token(token)
        rows.append([tag, "", steps])
    with open(path, "w") as file:
        json.dump([[text.decode() for text in texts], rows], file)


def compare(path: str) -> None:
    """Print what differs from xgrammar's masks."""
    import xgrammar

    with open(path) as file:
        texts, rows = json.load(file)
    end = len(texts)
    info = xgrammar.TokenizerInfo(
        [*texts, "</s>"], vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[end]
    )
    compiler = xgrammar.GrammarCompiler(info)
    seen: Counter[str] = Counter()
    for tag, error, steps in rows:
        try:
            matcher = xgrammar.GrammarMatcher(compiler.compile_structural_tag(json.dumps(tag)))
        except RuntimeError as refused:
            seen["refused by both" if error else "refused by xgrammar"] += 1
            if not error:
                print("REFUSED", str(refused).splitlines()[0][-120:], json.dumps(tag)[:200])
            continue
        if error:
            seen["refused here"] += 1
            continue
        bitmask = xgrammar.allocate_token_bitmask(1, end + 1)
        for number, (legal, token) in enumerate(steps):
            bitmask.fill_(-1)
            matcher.fill_next_token_bitmask(bitmask)
            words = bitmask[0].tolist()
            theirs = [t for t in range(end + 1) if words[t >> 5] >> (t & 31) & 1]
            if theirs != legal:
                names = [*texts, "END"]
                more = [names[t] for t in theirs if t not in legal]
                less = [names[t] for t in legal if t not in theirs]
                path_so_far = [texts[step[1]] for step in steps[:number]]
                print("DIFFERS after", path_so_far, "theirs more", more, "less", less)
                print("   ", json.dumps(tag["format"]))
                seen["tags that differ"] += 1
                break
            seen["masks that are the same"] += 1
            if token is None or not matcher.accept_token(token):
                break
    print(dict(seen))


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--n", type=int, default=1_000)
    options = parser.parse_args()
    if options.write:
        write(options.write, options.n)
    if options.compare:
        compare(options.compare)


if __name__ == "__main__":
    main()
