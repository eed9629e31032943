"""Which grammar does a command work on, and which parser and lexer of Lark's read it?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from maskc.cli.input import read_input
from maskc.cli.options import gather
from maskc.frontends.bundled import find_grammar
from maskc.limits import Limits

if TYPE_CHECKING:
    from maskc.frontends.source import GrammarSource


@dataclass(frozen=True, slots=True)
class LarkOptions:
    """What the command line says of how Lark reads a grammar; ``None``: as the grammar says.

    Attributes:
        start: the start symbols, one or several where a command takes them.
        parser: a parser of Lark's.
        lexer: a lexer of that parser.
        postlex: ``module:Class`` of an Indenter.
        style: a style file, or the name of one that comes with maskc.
        terminal: terminals that are narrowed in a rule, as ``class_name.NAME=[A-Z]+``; they win
            over the style's.
    """

    start: str | tuple[str, ...] | None = None
    parser: str | None = None
    lexer: str | None = None
    postlex: str | None = None
    style: str | None = None
    terminal: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        """Whether any of them is given."""
        return any((self.start, self.parser, self.lexer, self.postlex, self.style, self.terminal))

    def load(self, path_or_text: str | Path, dialect: str | None = None) -> GrammarSource:
        """Return the source of a grammar that is read this way, with its first start symbol.

        Raises:
            GrammarError: the file cannot be read, or a setting is unknown.
            PostlexError: the postlex is not an ``Indenter`` that only sets attributes.
            LimitError: it is too large, or takes too long to translate.
        """
        return self.load_all(path_or_text, dialect)[0]

    def load_all(self, path_or_text: str | Path, dialect: str | None = None) -> list[GrammarSource]:
        """Return the source for each start symbol.

        Raises:
            MaskcError: as :meth:`load`.
        """
        from maskc.frontends.roles import split_role
        from maskc.frontends.source import load_sources
        from maskc.frontends.styles import Style, load_style

        style = load_style(self.style) if self.style else Style()
        return load_sources(
            path_or_text,
            starts=(self.start,) if isinstance(self.start, str) else self.start or (),
            parser=self.parser,
            lexer=self.lexer,
            postlex=self.postlex,
            dialect=dialect,
            roles={**style.roles, **dict(map(split_role, self.terminal))},
            rules=style.rules,
        )


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


_START = click.option("--start", metavar="RULE", help="The start symbol.")
_STARTS = click.option(
    "--start",
    multiple=True,
    metavar="RULE",
    help="The start symbol; can be repeated: matcher(start=…) takes each of them.",
)
_POSTLEX = click.option("--postlex", metavar="MODULE:CLASS", help="An Indenter, for indentation.")
_STYLE = click.option(
    "--style",
    metavar="NAME|FILE",
    help="Patterns of terminals, and rules: a style of maskc's, or your own file.",
)
_TERMINAL = click.option(
    "--terminal",
    multiple=True,
    metavar="RULE.TERMINAL=PATTERN",
    help="What a terminal's lexemes match where it stands in a rule; can be repeated.",
)

_OPTIONS = {
    "start": _START,
    "parser": click.option(
        "--parser", type=click.Choice(["lalr", "earley"]), help="Which parser of Lark's."
    ),
    "lexer": click.option(
        "--lexer",
        type=click.Choice(["contextual", "basic", "dynamic", "dynamic_complete"]),
        help="Which lexer of Lark's; earley goes with dynamic, dynamic_complete and basic.",
    ),
    "postlex": _POSTLEX,
    "terminal": _TERMINAL,
    "style": _STYLE,
}
# Of commands that read grammars of both parsers.
lark_options = gather("lark", LarkOptions, _OPTIONS)

# Of a command that takes several start symbols.
compile_options = gather("lark", LarkOptions, {**_OPTIONS, "start": _STARTS})

# Of commands that ask about LALR grammars.
lalr_options = gather(
    "lark",
    LarkOptions,
    {
        "start": _START,
        "lexer": click.option(
            "--lexer", type=click.Choice(["contextual", "basic"]), help="Which lexer of Lark's."
        ),
        "postlex": _POSTLEX,
        "terminal": _TERMINAL,
        "style": _STYLE,
    },
)
