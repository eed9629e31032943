"""Law: budgets of calls that write each parameter by itself allow only what can be finished.

Tokens are pieces of calls, so that they cross from values into what is around them. The reference
is that of the law of budgets: it takes every legal token.
"""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import MaskcError
from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids
from tests.examples import examples
from tests.laws.test_budgets import check_text, count_whole

FAMILIES = [
    *("cohere", "deepseek_v4", "gemma_4", "glm_4_7", "kimi_k3", "mimo", "minimax", "minimax_m3"),
    *("lfm2", "pythonic", "qwen_3_5", "qwen_3_coder"),
]
VALUES = [
    {"type": "string"},
    {"type": "string", "minLength": 2},
    {"type": "string", "pattern": "^[ab]+$"},
    {"enum": ["a", "ab", 1, None]},
    {"type": "integer", "minimum": 10},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {},
]
NAMES = ["a", "b", "ab", "\u00e9", "\u00e8"]
MARK = "<|m|>"
MARKS = b'<>/="|\n abt10{}[],:'


def draw_parameters(draw):
    keys = draw.sample(NAMES, draw.randint(0, 4))
    found = {
        "type": "object",
        "properties": {key: draw.choice(VALUES) for key in keys},
        "required": [key for key in keys if draw.random() < 0.5],
    }
    if draw.random() < 0.6:
        found["additionalProperties"] = draw.choice([False, {"type": "integer"}])
    if draw.random() < 0.3:
        found["minProperties"] = draw.randint(1, 2)
    if draw.random() < 0.2:
        found["maxProperties"] = draw.randint(2, 3)
    return found


def draw_request(draw):
    """Return what makes the constraint of a request with a kit."""
    names = draw.sample(["f", "get", "gets"], draw.randint(1, 2))
    tools = [
        {"type": "function", "function": {"name": name, "parameters": draw_parameters(draw)}}
        for name in names
    ]
    options = {
        "family": draw.choice(FAMILIES),
        "choice": draw.choice(
            ["required", "auto", {"type": "function", "function": {"name": names[0]}}]
        ),
        "parallel": draw.random() < 0.5,
        "reasoning": draw.random() < 0.2,
    }
    return lambda kit: kit.tools(tools, **options)


LEAVES = [
    {"type": "const_string", "value": "ab"},
    {"type": "regex", "pattern": "[ab]{2,3}"},
    {"type": "json_schema", "json_schema": {"type": "integer"}},
    {"type": "json_schema", "json_schema": {"type": "array", "items": {"const": 1}}},
    {"type": "any_text"},
    {"type": "any_text", "excludes": ["ba"]},
    {"type": "any_text", "max_tokens": 2},
    {"type": "any_tokens", "exclude_tokens": [MARK]},
    {"type": "token", "token": MARK},
]


def draw_tag(draw, depth):
    end = draw.choice([">", "</a>", ["b>", "</a>"], {"type": "token", "token": MARK}])
    begin = draw.choice(["<a>", "<ab>", "<b"])
    return {"type": "tag", "begin": begin, "content": draw_format(draw, depth - 1), "end": end}


def draw_format(draw, depth):
    """Return a format of a structural tag."""
    kind = draw.randrange(7) if depth > 0 else 0
    if kind < 2:
        return draw.choice(LEAVES)
    if kind == 2:
        parts = [draw_format(draw, depth - 1) for _ in range(draw.randint(1, 3))]
        return {"type": draw.choice(["sequence", "or"]), "elements": parts}
    if kind == 3:
        found = {"type": draw.choice(["optional", "plus", "star"])}
        return {**found, "content": draw_format(draw, depth - 1)}
    if kind == 4:
        return draw_tag(draw, depth)
    tags = [draw_tag(draw, depth) for _ in range(draw.randint(1, 2))]
    flags = {name: draw.random() < 0.5 for name in ("at_least_one", "stop_after_first")}
    if kind == 5:
        triggers = draw.choice([["<"], ["<a", "<b"]])
        return {"type": "triggered_tags", "triggers": triggers, "tags": tags, **flags}
    separator = draw.choice([",", "\n"])
    return {"type": "tags_with_separator", "tags": tags, "separator": separator, **flags}


def draw_tags(draw):
    """Return what makes the constraint of a structural tag with a kit."""
    tag = {"type": "structural_tag", "format": draw_format(draw, 3)}
    return lambda kit: kit.structural_tag(tag)


def make_vocabulary(tokens):
    n = len(tokens)
    return Vocabulary((*tokens, None, None), (n,), "small", special_ids={MARK: n + 1})


BYTES = make_vocabulary([bytes([byte]) for byte in range(256)])


def draw_text(draw, constraint):
    """Return tokens of a constraint over bytes, without the end."""
    matcher, found = constraint.matcher(), []
    for _ in range(draw.choice([3, 20, 60, 120])):
        legal = legal_ids(matcher, 258) - {256}
        legal = sorted(legal & {*MARKS, 257}) or sorted(legal)
        if not legal:
            break
        found.append(draw.choice(legal))
        assert matcher.accept_token(found[-1])
    return [*found, *matcher.shortest_completion().tokens[:-1]]


def cut(draw, text):
    """Return a text in pieces; marks are pieces."""
    found = []
    while text:
        size = draw.choice([1, 2, 3, 5, 8, 20])
        piece = text[: text.index(257)] if 257 in text[:size] else text[:size]
        found.append(bytes(piece) if piece else MARK)
        text = text[len(piece) or 1 :]
    return found


def make_subject(draw, constrain):
    """Return a constraint over a small vocabulary, and texts of it in tokens; or ``None``."""
    try:
        over_bytes = constrain(make_kit(BYTES))
        texts = [draw_text(draw, over_bytes) for _ in range(2)]
    except MaskcError:
        return None
    cuts = [cut(draw, text) for text in texts for _ in range(2)]
    tokens = sorted({piece for pieces in cuts for piece in pieces if piece != MARK})
    ids = {**{token: number for number, token in enumerate(tokens)}, MARK: len(tokens) + 1}
    subject = constrain(make_kit(make_vocabulary(tokens)))
    return subject, [[ids[piece] for piece in pieces] for pieces in cuts]


def draw_subject(draw):
    return make_subject(draw, draw.choice([draw_request, draw_tags])(draw))


@given(st.integers(0, 100_000))
@examples(20)
def test_budgets_of_calls_allow_only_what_can_be_finished(seed):
    draw = Random(seed)
    made = draw_subject(draw)
    if made is None:
        return
    subject, texts = made
    for tokens in texts:
        matcher = subject.matcher()
        # Near the end there are few tokens to follow.
        assert matcher.accept_tokens(tokens[: -draw.randint(1, 4)]) >= 0
        check_text(subject, draw, 2, 4, matcher)


def test_every_call_under_a_budget_is_whole():
    n_whole = 0
    for seed in range(12):
        draw = Random(seed)
        made = draw_subject(draw)
        n_whole += count_whole(made[0], draw, 3) if made else 0
    assert n_whole > 10
