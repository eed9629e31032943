"""The grammar that a command works on, and the parser and lexer of Lark's that read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskc.cli import options as opt
from maskc.cli.input import read_input
from maskc.frontends.texts import find_grammar
from maskc.limits import Limits

if TYPE_CHECKING:
    from maskc.frontends.source import GrammarSource
    from maskc.jobs import GrammarJob, LinkJob


@dataclass(frozen=True, slots=True)
class LarkOptions:
    """What the command line says of how Lark reads a grammar; ``None``: as the grammar says.

    Each field is an option of that name; a ``terminal`` wins over the style's.
    """

    start: str | tuple[str, ...] | None = None
    parser: str | None = None
    lexer: str | None = None
    postlex: str | None = None
    style: str | None = None
    terminal: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        return any((self.start, self.parser, self.lexer, self.postlex, self.style, self.terminal))

    def load(self, path_or_text: str | Path, dialect: str | None = None) -> GrammarSource:
        """Return the source of a grammar, with its first start symbol.

        Raises:
            MaskcError: as :func:`maskc.frontends.source.load_sources`.
        """
        from maskc.frontends.embedded import has_embedded
        from maskc.frontends.source import load_sources

        source = load_sources(path_or_text, dialect=dialect, **self._list_settings())[0]
        if source.original is None and has_embedded(source.text):
            raise click.ClickException(
                f"{source.name}: with %json or special tokens in it, it becomes a structural tag, "
                "which has no terminals; compile it, and ask maskc explain"
            )
        return source

    def read_job(
        self, path_or_text: str | Path, limits: Limits, dialect: str | None = None
    ) -> GrammarJob | LinkJob:
        """Return the job of a grammar with each start symbol; raises as :meth:`load`."""
        from maskc.jobs import read_grammar

        settings = self._list_settings()
        return read_grammar(path_or_text, limits, name="regex", dialect=dialect, **settings)

    def _list_settings(self) -> dict[str, Any]:
        from maskc.frontends.settings import split_role
        from maskc.frontends.texts import Style, load_style

        style = load_style(self.style) if self.style else Style()
        return {
            "starts": (self.start,) if isinstance(self.start, str) else self.start or (),
            "parser": self.parser,
            "lexer": self.lexer,
            "postlex": self.postlex,
            "roles": {**style.roles, **dict(map(split_role, self.terminal))},
            "rules": style.rules,
        }


def find_input(grammar: str) -> Path | str:
    """Return the path of a grammar by path or name; of ``-`` the text on standard input.

    Raises:
        ClickException: the text is too large, or not UTF-8.
    """
    if grammar != "-":
        return find_grammar(grammar)
    try:
        text = read_input(4 * Limits().text, "grammar").decode()
    except UnicodeDecodeError as error:
        raise click.ClickException(f"-: byte {error.start} is not UTF-8; write UTF-8") from None
    # What has a line break is taken for a text.
    return text.replace("\r\n", "\n") + "\n"


_STARTS = opt.many("--start", "RULE", "Start symbol; repeat it for several, see matcher(start=…).")
_OPTIONS: dict[str, opt.Decorator] = {
    "start": click.option("--start", metavar="RULE", help="Start symbol."),
    "parser": opt.choice("--parser", "lalr earley", "Lark's parser."),
    "lexer": opt.choice(
        "--lexer",
        "contextual basic dynamic dynamic_complete",
        "Lark's lexer; with earley: dynamic, dynamic_complete or basic.",
    ),
    "postlex": click.option(
        "--postlex", metavar="MODULE:CLASS", help="Indenter class, for indentation."
    ),
    "terminal": opt.many(
        "--terminal",
        "RULE.TERMINAL=PATTERN",
        "Role: within RULE, lexemes of TERMINAL must match PATTERN; can be repeated.",
    ),
    "style": click.option(
        "--style",
        metavar="NAME|FILE",
        help="Roles and rules from a bundled style, or from a file; for JSON see --json-style.",
    ),
}
# Of commands that read one grammar, and of the one that takes several start symbols.
lark_options = opt.gather("lark", LarkOptions, _OPTIONS)
compile_options = opt.gather("lark", LarkOptions, {**_OPTIONS, "start": _STARTS})
