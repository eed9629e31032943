"""Does every family take calls as the models' own chat templates write them?

    pip download --no-deps bfcl-eval
    pip download --no-deps --no-binary :all: llama-cpp-python
    python -m tests.outside.templates llama_cpp_python-….tar.gz bfcl_eval-….whl [--every N]

The source of llama-cpp-python has chat templates of many models. Each is rendered with the tools
and the calls of the Berkeley function calling data, as a conversation's next turn; what follows the
prompt is a reply, which the family's constraint must take whole, up to the end of the turn. Of
replies that are not taken the first are shown, with the place. Answers that are not valid by
``jsonschema`` are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import jinja2
import jsonschema
from jinja2.sandbox import SandboxedEnvironment

from maskc.errors import MaskcError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab import load_vocabulary
from tests.outside.calls import choose, list_requests, map_schema


class Way(NamedTuple):
    """How a template is used.

    Attributes:
        template: its name.
        reasoning: whether its replies begin with the model's thinking, which is empty here.
        before: what the template leaves out of earlier turns, and a model has written.
        content: of an answer that has calls only.
        as_text: whether it takes arguments as JSON text.
        ident: of a call, by its name and number.
        known: why replies of it are not taken, and should not be.
    """

    template: str
    reasoning: bool = False
    before: str = ""
    content: str | None = ""
    as_text: bool = False
    ident: str = "functions.{name}:{n}"
    known: str = ""


_NO_END = "a single call is left without <｜tool▁calls▁end｜>, which models write"
_OF_PYTHON = "lists and objects as Python shows them, which are no JSON"
_NO_ESCAPES = "texts with quotes or backslashes that are not escaped, and exponents"
_CALL_ID = "[CALL_ID] before [ARGS], which parsers of text take for a part of the name"
TEMPLATES = {
    "llama": (
        Way("meta-llama-Llama-3.1-8B-Instruct"),
        Way("meta-llama-Llama-3.2-3B-Instruct"),
        Way("meta-llama-Llama-3.3-70B-Instruct"),
    ),
    "qwen_3": (
        Way("Qwen-Qwen3-0.6B"),
        Way("Qwen-Qwen2.5-7B-Instruct"),
        Way("Qwen-QwQ-32B"),
        Way("NousResearch-Hermes-3-Llama-3.1-8B-tool_use"),
        Way("MiMo-VL"),
        Way("ibm-granite-granite-4.0"),
        Way("ibm-granite-granite-4.1"),
    ),
    "qwen_3_5": (Way("Qwen3.5-4B"),),
    "qwen_3_coder": (Way("Qwen3-Coder"), Way("NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")),
    "deepseek_r1": (
        Way("deepseek-ai-DeepSeek-R1-Distill-Llama-8B", content=None, as_text=True, known=_NO_END),
        Way("llama-cpp-deepseek-r1"),
    ),
    "deepseek_v3_1": (Way("deepseek-ai-DeepSeek-V3.1"),),
    "deepseek_v3_2": (Way("deepseek-ai-DeepSeek-V3.2", reasoning=True),),
    "deepseek_v4": (Way("deepseek-ai-DeepSeek-V4"), Way("deepseek-ai-DeepSeek-V4-Flash-0731")),
    "lfm2": (Way("LFM2.5-8B-A1B", known=_NO_ESCAPES),),
    "kimi": (
        Way("moonshotai-Kimi-K2"),
        Way("Kimi-K2-Instruct"),
        Way("Kimi-K2-Thinking", reasoning=True),
    ),
    "kimi_k3": (Way("Kimi-K3"),),
    "glm_4_7": (
        Way("GLM-4.7-Flash"),
        Way("GLM-4.6"),
        Way("poolside-Laguna-XS.2"),
        Way("poolside-Laguna-XS-2.1"),
        Way("poolside-Laguna-S-2.1"),
        Way("inclusionai-ling-3.0-flash"),
    ),
    "spark_2_5": (Way("Spark2.5"),),
    "gigachat_3": (Way("GigaChat3-10B-A1.8B"), Way("GigaChat3.1-10B-A1.8B")),
    "cohere_command": (Way("Cohere2MoE"),),
    "gemma_4": (Way("google-gemma-4-31B-it"), Way("google-gemma-4-31B-it-interleaved")),
    "minimax": (Way("MiniMax-M2", reasoning=True, before="</think>\n\n"),),
    "minimax_m3": (Way("MiniMax-M3", reasoning=True),),
    "harmony": (Way("openai-gpt-oss-120b"),),
    "apertus": (Way("Apertus-8B-Instruct"),),
    "hy_v3": (Way("tencent-Hy3"),),
    "mistral": (
        Way("unsloth-mistral-Devstral-Small-2507"),
        Way("mistralai-Ministral-3-14B-Reasoning-2512"),
        Way("Mistral-Small-3.2-24B-Instruct-2506", ident="call0000{n}", known=_CALL_ID),
    ),
    "nemotron_nano_2": (Way("NVIDIA-Nemotron-Nano-v2"),),
    "mistral_nemo": (Way("mistralai-Mistral-Nemo-Instruct-2407", ident="call0000{n}"),),
    "seed_oss": (Way("ByteDance-Seed-OSS", known=_OF_PYTHON),),
    "step_3_5": (Way("StepFun3.5-Flash", reasoning=True),),
}
# Ends of a turn, which are no part of the reply.
ENDS = (
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|message_sep|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|end_of_msg|>",
    "<EOS>",
)
SWITCHES = {"enable_thinking": False, "thinking": False}


def make_environment() -> jinja2.Environment:
    """Return what templates are rendered with, as transformers has it."""
    found = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )

    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    def to_json(value: Any, *, ensure_ascii: bool = False, **how: Any) -> str:
        listed = list(value) if not isinstance(value, str | dict | list | int | float) else value
        return json.dumps(value if value is None else listed, ensure_ascii=ensure_ascii, **how)

    found.filters.update(tojson=to_json, from_json=json.loads)
    found.globals.update(raise_exception=refuse, strftime_now=lambda _: "1 January 2026")
    return found


def list_templates(path: str) -> dict[str, jinja2.Template]:
    """Return the templates of a source archive, by name."""
    environment, found = make_environment(), {}
    wanted = {way.template for ways in TEMPLATES.values() for way in ways}
    with tarfile.open(path) as archive:
        for member in archive:
            if "/models/templates/" in member.name and member.name.endswith(".jinja"):
                file = archive.extractfile(member)
                name = os.path.basename(member.name).removesuffix(".jinja")
                if file and name in wanted:
                    # Transformers has a tag for what a model writes, which writes nothing.
                    text = re.sub(r"\bgeneration(?= *-?%})", "if true", file.read().decode())
                    found[name] = environment.from_string(text.replace("endgeneration", "endif"))
    return found


def render_reply(
    template: jinja2.Template, way: Way, tools: list[Any], calls: list[tuple[str, Any]]
) -> str:
    """Return what a template writes for an answer with some calls."""
    asked = [{"role": "user", "content": "Do it."}]
    listed = [
        {
            "id": way.ident.format(name=name, n=n),
            "type": "function",
            "function": {
                "name": name,
                "arguments": json.dumps(arguments) if way.as_text else arguments,
            },
        }
        for n, (name, arguments) in enumerate(calls)
    ]
    answer = {"role": "assistant", "content": way.content, "tool_calls": listed}
    how = {"tools": tools, "bos_token": "<BOS>", "eos_token": "<EOS>", **SWITCHES}
    before = template.render(messages=asked, add_generation_prompt=True, **how)
    whole = template.render(messages=[*asked, answer], add_generation_prompt=False, **how)
    if not whole.startswith(before):
        # Some templates leave the reasoning of earlier turns out.
        pairs = enumerate(zip(before, whole, strict=False))
        before = before[: next((n for n, (a, b) in pairs if a != b), len(whole))]
        # What differs may begin inside of a tag.
        if before.rfind("<") > before.rfind(">"):
            before = before[: before.rfind("<")]
    reply = whole[len(before) :]
    for end in ENDS:
        if reply.rstrip("\n").endswith(end):
            reply = reply.rstrip("\n").removesuffix(end)
    return f"{way.before}{reply}"


def check(
    kit: Kit,
    family: str,
    template: jinja2.Template,
    way: Way,
    functions: list[Any],
    answers: list[Any],
    seen: Counter[str],
) -> Iterator[tuple[str, str]]:
    """Count what a family does with one request; yield replies that are not taken."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": re.sub(r"\s", "_", f["name"]),
                "description": "Does it.",
                "parameters": map_schema(f["parameters"]),
            },
        }
        for f in functions
    ]
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    calls = []
    for answer in answers:
        name, given = next(iter(answer.items()))
        calls.append((re.sub(r"\s", "_", name), choose(given)))
    if len(schemas) < len(tools) or any(name not in schemas for name, _ in calls):
        return
    is_valid = all(jsonschema.Draft202012Validator(schemas[n]).is_valid(a) for n, a in calls)
    if not is_valid:
        return
    try:
        reply = render_reply(template, way, tools, calls)
    except (jinja2.TemplateError, TypeError) as error:
        seen[f"template: {str(error)[:60]}"] += 1
        return
    try:
        matcher = kit.tools(tools, family=family, reasoning=way.reasoning).matcher()
    except MaskcError as error:
        seen[f"refused: {str(error).partition(': ')[2][:60]}"] += 1
        return
    data, n = reply.encode(), 0
    while n < len(data) and matcher.accept_bytes(data[n : n + 1]):
        n += 1
    is_called = "taken" if n == len(data) and matcher.is_accepting else None
    if is_called:
        text = kit.tools(tools, family=family, choice="none", reasoning=way.reasoning).matcher()
        is_text = text.accept_bytes(data) and text.is_accepting
        seen["TAKEN AS TEXT" if is_text else "taken"] += 1
        return
    seen["NOT TAKEN"] += 1
    yield (
        data[max(0, n - 60) : n].decode(errors="replace"),
        data[n : n + 40].decode(errors="replace"),
    )


def main() -> None:
    """Print what each family does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("wheel")
    parser.add_argument("--family", action="append", choices=sorted(TEMPLATES))
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    kit = make_kit(load_vocabulary("bytes"))
    templates = list_templates(options.source)
    for family in options.family or TEMPLATES:
        for way in TEMPLATES[family]:
            seen: Counter[str] = Counter()
            shown: list[tuple[str, str]] = []
            for number, (functions, calls) in enumerate(list_requests(options.wheel)):
                if number % options.every == 0:
                    shown += check(
                        kit, family, templates[way.template], way, functions, calls, seen
                    )
            print(family, way.template, dict(sorted(seen.items())), flush=True)
            if shown and way.known:
                print(f"    known: {way.known}")
                continue
            for before, after in shown[:5]:
                print(f"    …{before!r} ✗ {after!r}")


if __name__ == "__main__":
    main()
