"""Artifacts for the llama3 tokenizer, and a small model of random weights; no downloads."""

from pathlib import Path

import pytest
from lark import Lark
from lark.indenter import PythonIndenter

import maskc
from maskc.vocab.registry import find_tokenizer
from tests.kept import keep

GRAMMARS = Path(__file__).parents[2] / "grammars"
WIDTH = 128_256

# A language whose texts are short, whatever the weights want.
ORDER = """
// maskc: start=order
order: verb " " part (", " part)~0..2 "."
part: amount " of " item
verb: "buy" | "sell"
amount: /[1-9][0-9]{0,2}/
item: "tea" | "coffee" | "crème fraîche" | "茶"
"""


class Compiled(dict):
    """Artifacts by name; ``folder`` is where their files lie."""

    folder: Path


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory):
    made = Compiled()
    made.folder = tmp_path_factory.mktemp("artifacts")
    for name, source in (("json", GRAMMARS / "json.lark"), ("order", ORDER)):
        text = source.read_text() if isinstance(source, Path) else source
        made[name] = keep(
            lambda source=source: maskc.compile_grammar(source, tokenizer="llama3"), text, "llama3"
        )
        made[name].save(made.folder / f"{name}.maskc")
    return made


@pytest.fixture(scope="session")
def tokenizer():
    """DeepSeek's, as vLLM and SGLang load it."""
    transformers = pytest.importorskip("transformers")
    file = str(find_tokenizer("deepseek"))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=file, eos_token="<｜end▁of▁sentence｜>"
    )


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """The folder of what requests to DeepSeek's model name, good and bad."""
    path = tmp_path_factory.mktemp("artifacts")
    grammars = {"answer": 'start: "yes" | "no"\n', "list": 'start: "[" ("1" ",")* "]"\n'}
    for name, grammar in grammars.items():
        maskc.compile_grammar(grammar, tokenizer="deepseek").save(path / f"{name}.maskc")
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes").save(path / "other.maskc")
    (path / "broken.maskc").write_bytes(b"nothing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASKC_ARTIFACTS", str(path))
        yield path


@pytest.fixture(scope="session")
def parsers():
    """Lark itself, by the same names, and ``python``."""

    def read(path, start, **options):
        return Lark(path.read_text(), parser="lalr", start=start, **options)

    python = Lark.open_from_package(
        "lark",
        "python.lark",
        ["grammars"],
        parser="lalr",
        start="file_input",
        postlex=PythonIndenter(),
    )
    return {
        "json": read(GRAMMARS / "json.lark", "value"),
        "order": Lark(ORDER, parser="lalr", start="order"),
        "python": python,
    }


@pytest.fixture(scope="session")
def model():
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=WIDTH,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=1024,
        # The weights are small: without this all tokens are about equally likely.
        initializer_range=1.0,
        bos_token_id=128000,
        eos_token_id=[128001, 128008, 128009],
        pad_token_id=128004,
    )
    return transformers.LlamaForCausalLM(config).eval()
