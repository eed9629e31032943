"""The grammar and the tokenizer that a command works on, and whether an artifact is for the latter.

Of a grammar the command line says which parser and lexer of Lark's read it, of a tokenizer how its
tokens are taken, and what it is called in files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskc.cli import options as opt
from maskc.cli.input import read_input
from maskc.errors import ArtifactError, VocabularyMismatchError
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact

if TYPE_CHECKING:
    from maskc.frontends.source import GrammarSource
    from maskc.jobs import GrammarJob, LinkJob
    from maskc.vocab import Vocabulary


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
        """Return the source of a grammar, with its first start symbol."""
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
    """Return the path of a grammar by path or name; of ``-`` the text on standard input."""
    if grammar != "-":
        from maskc.frontends.texts import find_grammar

        return find_grammar(grammar)
    try:
        text = read_input(4 * Limits().text, "grammar").decode()
    except UnicodeDecodeError as error:
        raise click.ClickException(f"-: byte {error.start} is not UTF-8; write UTF-8") from None
    # What has a line break is taken for a text.
    return text.replace("\r\n", "\n") + "\n"


_STARTS = opt.many("--start", "RULE", "Start symbol; repeat it for several, see matcher(start=…).")
_OPTIONS: dict[str, opt.Decorator] = {
    "start": opt.word("--start", "RULE", "Start symbol."),
    "parser": opt.choice("--parser", "lalr earley", "Lark's parser."),
    "lexer": opt.choice(
        "--lexer",
        "contextual basic dynamic dynamic_complete",
        "Lark's lexer; with earley: dynamic, dynamic_complete or basic.",
    ),
    "postlex": opt.word("--postlex", "MODULE:CLASS", "Indenter class, for indentation."),
    "terminal": opt.many(
        "--terminal",
        "RULE.TERMINAL=PATTERN",
        "Role: within RULE, lexemes of TERMINAL must match PATTERN; can be repeated.",
    ),
    "style": opt.word(
        "--style",
        "NAME|FILE",
        "Roles and rules from a bundled style, or from a file; for JSON see --json-style.",
    ),
}
# Of commands that read one grammar, and of the one that takes several start symbols.
lark_options = opt.gather("lark", LarkOptions, _OPTIONS)
compile_options = opt.gather("lark", LarkOptions, {**_OPTIONS, "start": _STARTS})


_SUFFIXES = (".json", ".model", ".tiktoken", ".gguf")


@dataclass(frozen=True, slots=True)
class VocabularyOptions:
    """A tokenizer by name or path, and how its tokens are taken; see the options below."""

    tokenizer: str
    vocab_size: int | None
    added_tokens: str
    text_token: tuple[str, ...]
    atom_token: tuple[str, ...]
    eos: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the tokenizer is called in the name of a file that is made for it."""
        name = Path(self.tokenizer).name or "tokenizer"
        for suffix in _SUFFIXES:
            name = name.removesuffix(suffix)
        return name

    def load(self) -> Vocabulary:
        """Return the vocabulary, and print notes about it on standard error."""
        from maskc.vocab import AddedTokens, load_vocabulary

        added = AddedTokens(self.added_tokens, self.text_token, self.atom_token)
        load = partial(
            load_vocabulary, self.tokenizer, vocab_size=self.vocab_size, added_tokens=added
        )
        ids = [int(eos) for eos in self.eos if eos.isdecimal()]
        if len(ids) < len(self.eos):
            names = load(eos_ids=tuple(ids) or None).special_ids
            ids += [_find_end(names, eos) for eos in self.eos if not eos.isdecimal()]
        found = load(eos_ids=tuple(ids) or None)
        for note in found.notes:
            click.echo(f"note: tokenizer {found.name}: {note}", err=True)
        return found


vocabulary_options = opt.gather(
    "vocabulary",
    VocabularyOptions,
    {
        "tokenizer": opt.word(
            "--tokenizer", "NAME|PATH", "Tokenizer; see `maskc tokenizers`.", "-t", required=True
        ),
        "vocab_size": opt.VOCAB_SIZE,
        "added_tokens": click.option(
            "--added-tokens",
            # Those of maskc.vocab.vocabulary.CHOICES, which is not loaded for a list of options.
            type=click.Choice(["form", "text", "atoms"]),
            default="form",
            help="Which non-special added tokens are ordinary text. form: those that do not look"
            " like markers (default); text: all; atoms: none.",
        ),
        "text_token": opt.many(
            "--text-token",
            "TOKEN",
            "An added token that is ordinary text, by text or id; can be repeated.",
        ),
        "atom_token": opt.many(
            "--atom-token", "TOKEN", "An added token that is not part of texts; can be repeated."
        ),
        "eos": opt.many(
            "--eos",
            "TOKEN",
            "Token that ends the output, by id or name; can be repeated. Default: those of the "
            "tokenizer.",
        ),
    },
)


def _find_end(names: Mapping[str, int], name: str) -> int:
    if name not in names:
        near = get_close_matches(name, names)
        hint = f"did you mean {' or '.join(near)}?" if near else "give its id"
        raise click.UsageError(
            f"--eos {name}: the tokenizer has no special token of this name; {hint}"
        )
    return names[name]


def check_tokenizer(path: str, artifact: Artifact, spec: str) -> None:
    """Check that both have the same tokens and ends, with the artifact's padding and atoms."""
    from maskc.vocab import Vocabulary, load_vocabulary

    found = load_vocabulary(spec)
    padding = (None,) * (artifact.vocab_size - found.vocab_size)
    padded = Vocabulary(found.tokens + padding, found.eos_ids, found.name, added=found.added)
    if padded.fingerprint != artifact.fingerprint:
        padded = padded.take_added(artifact.is_text)
    if padded.fingerprint != artifact.fingerprint:
        raise VocabularyMismatchError(
            path,
            f"{artifact.header['tokenizer'].get('name')} ({artifact.fingerprint[:8]})",
            f"{found.name} ({padded.fingerprint[:8]})",
        )


def check_fingerprint(path: str, artifact: Artifact) -> None:
    """Raise an ArtifactError unless an artifact's header names the tokens that its arrays hold."""
    claimed = artifact.header["tokenizer"].get("fingerprint")
    if claimed != artifact.fingerprint:
        raise ArtifactError(
            path,
            f"its header claims the token fingerprint {str(claimed)[:64]}, but its tokens have "
            f"{artifact.fingerprint}",
            "compile the grammar again",
        )
