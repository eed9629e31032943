"""Every stage of every small grammar in one text; run as a program, it writes the texts anew."""

from pathlib import Path

from maskc.compiler.pipeline import compile_stages
from maskc.dump import OF_LANGUAGE, OF_ROWS, limit_lines
from maskc.errors import StageError
from maskc.frontends.source import load_source
from maskc.vocab.vocabulary import Vocabulary

FOLDER = Path(__file__).parent.parent / "dumps"
GRAMMARS = sorted((FOLDER / "grammars").iterdir())
MAX_LINES = 60

TEXTS = [chr(c) for c in (10, *range(32, 127))]
TEXTS += ["if", " a", "a ", "ab", "))", "),", "\n  ", "\n    ", '"a', '",', "aab", "12", "1,", "é"]
TOKENS = (*(text.encode() for text in TEXTS), b"\xc3", b"\xa9", None)
VOCABULARY = Vocabulary(tokens=TOKENS, eos_ids=(len(TOKENS) - 1,), name="golden")


def dump_grammar_file(path: Path) -> str:
    """Return the grammar and, under the name of each stage that it has, the stage's dump."""
    stages = compile_stages(load_source(path), VOCABULARY)
    parts = [path.read_text(encoding="utf-8").rstrip()]
    for name, of_language in OF_LANGUAGE.items():
        parts += section(name, lambda: of_language(stages.language))  # noqa: B023
    for name, of_rows in OF_ROWS.items():
        parts += section(name, lambda: of_rows(stages, VOCABULARY))  # noqa: B023
    return "\n".join([*parts, ""])


def section(name: str, dump) -> list[str]:
    try:
        return ["", f"== {name}", *limit_lines(dump(), MAX_LINES)]
    except StageError as error:
        return ["", f"== {name}", str(error)]


def golden_of(path: Path) -> Path:
    return FOLDER / f"{path.stem}.txt"


if __name__ == "__main__":
    for grammar in GRAMMARS:
        golden_of(grammar).write_text(dump_grammar_file(grammar), encoding="utf-8")
