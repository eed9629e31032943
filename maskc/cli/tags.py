"""A structural tag or tools on the command line: its file, and how tools are called."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskc.cli.json_schema import SUFFIX as SCHEMA_SUFFIX
from maskc.cli.json_schema import read_schema_file
from maskc.cli.options import gather
from maskc.cli.saving import Saving, save_compiled
from maskc.cli.tokenizer import VocabularyOptions
from maskc.limits import Limits
from maskc.tags.parsing import is_tag

if TYPE_CHECKING:
    from maskc.report.compile import Compilation

_CHOICES = ("auto", "required", "none")


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """How tools are called; ``None``: not given.

    Attributes:
        family: of models.
        choice: ``auto``, ``required``, ``none``, or the name of a tool.
        parallel: whether there may be more than one call.
        reasoning: whether the model thinks first.
    """

    family: str | None = None
    choice: str | None = None
    parallel: bool | None = None
    reasoning: bool = False

    @property
    def given(self) -> list[str]:
        """The options that are given."""
        values = (("choice", self.choice), ("parallel", self.parallel), ("family", self.family))
        found = [name for name, value in values if value is not None]
        return [*found, *["reasoning"] * self.reasoning]


tool_options = gather(
    "tools",
    ToolOptions,
    {
        "family": click.option(
            "--family", metavar="NAME", help="Of tools: how the model calls them; maskc families."
        ),
        "choice": click.option(
            "--choice", metavar="NAME", help="Of tools: auto, required, none or a tool's name."
        ),
        "parallel": click.option(
            "--parallel/--no-parallel", default=None, help="Of tools: several calls, or one."
        ),
        "reasoning": click.option(
            "--reasoning", is_flag=True, help="Of tools: the model thinks first."
        ),
    },
)


def find_link(path: str | None) -> Any:
    """Return what a file of a structural tag or of tools holds, ``None`` if it is neither.

    A file of this kind has the suffix .json, and is told by its content.

    Raises:
        ClickException: it is JSON of another kind.
    """
    if path is None or not path.endswith(".json") or path.endswith(SCHEMA_SUFFIX):
        return None
    try:
        found = json.loads(read_schema_file(path))
    except (ValueError, RecursionError):
        raise click.ClickException(
            f"{path}: is no JSON; give a structural tag, tools, or a grammar"
        ) from None
    if isinstance(found, list):
        return found
    if is_tag(found):
        return found
    raise click.ClickException(
        f"{path}: is neither a structural tag nor a list of tools; "
        f"a JSON Schema is given as --json-schema {path}"
    )


def compile_link_file(
    path: str,
    given: Any,
    tools: ToolOptions,
    options: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Compilation:
    """Compile a structural tag or tools, write the artifact, and return what it is.

    Args:
        path: of the file.
        given: what it holds: a mapping is a tag, a list is tools.
        tools: how tools are called.
        options: the tokenizer, and how its tokens are taken.
        saving: where the artifact goes.
        limits: what it may take.
    """
    from maskc.kit.artifacts import compile_structural_tag, compile_tools

    is_list = isinstance(given, list)
    if not is_list and tools.given:
        raise click.UsageError(f"--{tools.given[0]} goes with a list of tools, not with a tag.")
    if is_list and tools.family is None:
        raise click.UsageError("Tools need --family NAME: see `maskc families`.")
    name = Path(path).name
    target = saving.place(name.removesuffix(".json"), options.name)
    saving.check(target)
    vocabulary = options.load()
    choice = tools.choice or "auto"

    def work() -> Any:
        if not is_list:
            return compile_structural_tag(given, vocabulary, name=name, limits=limits)
        return compile_tools(
            given,
            vocabulary,
            family=tools.family or "",
            choice=choice if choice in _CHOICES else {"name": choice},
            parallel=tools.parallel is not False,
            reasoning=tools.reasoning,
            name=name,
            limits=limits,
        )

    return save_compiled(work, target, saving, limits)
