"""Chunks are marked where patterns cut, and real files are followed as their packages do.

``make slow`` tests whole files, which takes ten seconds each; the rest is of their patterns.
"""

import base64
import json
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import maskc
from maskc.regular.charset import class_set
from maskc.spelling.chunks import GPT2, build_chunks
from maskc.vocab import load_encoder
from tests.examples import is_slow
from tests.spellings import ALPHABET, PATTERNS, Tokenizer, chunks_of

PIECES = (
    *("abcXYZé中ıſİ", " \n\t\r/'\u3000\u0085", "0123456789'.,٣", '{}[]":=_-(),'),
    *("the", "it's", "I'LL", "Hello", "việc", "e\u0301", "日本語", "👩\u200d👩\u200d👧", "def"),
)
LETTERS, DIGITS = "[abclsé中]", "[12]"


def draw_texts(draw, n_texts):
    """Return texts of what patterns tell apart, and of any characters."""
    some = [draw.randrange(0x20, 0xD800) for _ in range(400)]
    some += [draw.randrange(0xE000, 0x110000) for _ in range(400)]
    kinds = [*PIECES, "".join(map(chr, some))]
    found = []
    for _ in range(n_texts):
        parts = draw.choices(kinds, k=draw.randint(1, 12))
        found.append(
            "".join(part if draw.random() < 0.2 else draw.choice(part) for part in parts)[:200]
        )
    return found


def check(path, encode, texts):
    """Check that matchers of any text read texts in own tokens, and in no others."""
    language = maskc.compile_grammar("start: /(.|\\n)+/", tokenizer=path)
    canonical = maskc.canonical(language, maskc.compile_spelling(path))
    for text in texts:
        ids, matcher = list(encode(text)), canonical.matcher()
        assert matcher.accept_tokens(ids) == len(ids), text
        assert matcher.is_accepting, text
        by_bytes = canonical.matcher()
        assert by_bytes.accept_text(text), text
        ended = {h.last for h in by_bytes._hypotheses if canonical.machine.may_end(h)}
        assert ended <= {ids[-1], -1}, text


def packaged(file):
    module, _, inner = file.partition("/")
    pytest.importorskip(module)
    return Path(find_spec(module).submodule_search_locations[0]) / inner


def test_gpt2s_pattern_cuts_as_its_own_package_does():
    pre_tokenizers = pytest.importorskip("tokenizers").pre_tokenizers
    package = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    classes = {r"\p{L}": LETTERS, r"\p{N}": DIGITS}
    chunks = build_chunks(
        [GPT2], lambda item, **_: class_set(named(item, classes), 0), has_gaps=True
    )
    draw = Random(2)
    for _ in range(400):
        text = "".join(draw.choices([*"abcé中12 \n\t'!.", "'s", "'ll", "  "], k=draw.randint(1, 9)))
        expected = tuple(
            text[low:high].encode() for _, (low, high) in package.pre_tokenize_str(text)
        )
        assert mark(chunks, text) == [expected]


def named(item, classes):
    for name, members in classes.items():
        item = item.replace(name, members[1:-1] if item.startswith("[") else members)
    return item


def test_a_tekken_file_is_followed_as_its_pattern_and_its_ranks_say(tmp_path):
    pytest.importorskip("tiktoken")
    tokens = [*(bytes([byte]) for byte in range(256)), b"an", b"and", b" a", b"12", b"unused"]
    contents = {
        "config": {
            "pattern": " ?[a-z]+|[0-9]{1,2}|[^a-z0-9]",
            "default_vocab_size": 20 + len(tokens) - 1,
            "default_num_special_tokens": 20,
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
            for rank, token in enumerate(tokens)
        ],
    }
    (tmp_path / "tekken.json").write_text(json.dumps(contents))
    path = str(tmp_path / "tekken.json")
    check(path, lambda _: [20 + i for i in (257, 258, 32, 259, ord("3"))], ["and a 123"])
    check(path, load_encoder(path).encode, draw_texts(Random(1), 100))


@pytest.mark.skipif(not is_slow(), reason="takes ten seconds; make slow")
@pytest.mark.parametrize("name", ["llama3", "qwen", "deepseek"])
def test_a_tokenizer_with_a_name_is_followed_as_its_own_package_does(name):
    check(name, load_encoder(name).encode, draw_texts(Random(1), 200))


@pytest.mark.skipif(not is_slow(), reason="takes ten seconds; make slow")
def test_llama4_is_followed_as_its_own_package_does():
    path = packaged("llama_models/llama4/tokenizer.model")
    from llama_models.llama4.tokenizer import Tokenizer

    check(str(path), Tokenizer(path).model.encode_ordinary, draw_texts(Random(1), 200))


@pytest.mark.skipif(not is_slow(), reason="takes ten seconds; make slow")
@pytest.mark.parametrize("version", ["240718", "240911"])
def test_mistrals_tekken_is_followed_as_its_own_package_does(version):
    path = packaged(f"mistral_common/data/tekken_{version}.json")
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    package = Tekkenizer.from_file(path)
    check(
        str(path),
        lambda text: package.encode(text, bos=False, eos=False),
        draw_texts(Random(1), 200),
    )


def test_a_sentencepiece_model_is_refused_by_name():
    path = packaged("mistral_common/data/tokenizer.model.v1")
    with pytest.raises(maskc.MaskcError, match="its canonical tokens are not known"):
        maskc.compile_spelling(str(path))


def mark(chunks, text):
    """Return all ways in which a text can be marked: the chunks of each."""
    data = text.encode()
    found = [(chunks.start, 0, ())]
    for at, byte in enumerate(data):
        going_on = []
        for node, start, parts in found:
            after = [(node, start, parts)]
            if at:
                after += [(m, at, (*parts, data[start:at])) for m in chunks.cuts[node]]
            for marked, begun, done in after:
                following = int(chunks.next[marked, chunks.byte_class[byte]])
                if following:
                    going_on.append((following, begun, done))
        found = going_on
    ends = [(parts, start) for node, start, parts in found if chunks.may_end[node]]
    return [(*parts, data[start:]) for parts, start in ends]


@pytest.mark.parametrize(
    "patterns", [*((pattern,) for pattern in PATTERNS), PATTERNS[4:], PATTERNS[1:4]]
)
def test_each_text_is_marked_in_one_way_which_is_how_it_is_cut(patterns):
    draw, chunks = Random(str(patterns)), chunks_of(patterns)
    tokenizer = Tokenizer((), (), patterns, is_whole_written=False)
    for _ in range(150):
        text = "".join(draw.choices(ALPHABET + "é中", k=draw.randint(1, 9)))
        expected = tuple(part.encode() for part in tokenizer.cut(text))
        assert mark(chunks, text) == [expected]
