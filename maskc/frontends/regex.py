r"""A single regular expression as a grammar, whose texts are those that ``re.fullmatch`` takes.

The grammar has one terminal, read by LALR: ``(?:PATTERN)\Z`` where ``re`` knows that the pattern
reads a character, and otherwise ``(?=(?:PATTERN)\Z)[\s\S]+``, since Lark takes no terminal that
might be empty. If the pattern matches the empty text, the terminal is optional. docs/dialects.md
has what is refused, and what may be written beside what ``re`` reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from maskc.bounded import QUIET
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.backreferences import write_without_backreferences
from maskc.frontends.translation import Side, Translation
from maskc.regular.charset import PropertyError, write_properties
from maskc.regular.matching import match_length
from maskc.regular.python import check_conditionals, read_python, refers_back
from maskc.regular.tree import least_width

NAME = "<regex>"

_FLAGS = {
    re.ASCII: "a",
    re.IGNORECASE: "i",
    re.MULTILINE: "m",
    re.DOTALL: "s",
    re.VERBOSE: "x",
}
_GLOBAL_FLAGS = re.compile(r"\(\?[aimsux]+\)(?:\s*\(\?[aimsux]+\))*")


def read_pattern(pattern: str) -> str:
    """Return a pattern that matches the same texts, and nothing but to their end.

    Raises:
        GrammarError: ``re`` refuses the pattern, or it has a back-reference to many texts.
    """
    return _read(pattern)[0]


def translate_regex(pattern: str) -> Translation:
    """Return a grammar of the texts that ``re.fullmatch`` takes."""
    whole, least, groups = _read(pattern)
    pattern = write_properties(pattern)
    if not least:
        whole = rf"(?={whole})[\s\S]+"
    terminal = "PATTERN"
    while terminal in groups:
        terminal += "_"
    check_conditionals(terminal, whole, 0)
    sides: list[Side] = [()] if match_length(pattern, "") == 0 else []
    return Translation(
        parser="lalr",
        lexer="contextual",
        start="start",
        rules={"start": (*sides, (terminal,))},
        terminals={terminal: whole},
        rule_of={},
    )


def _read(pattern: str) -> tuple[str, int, Collection[str]]:
    """Return the pattern to the end of the text, its least width, and the names of its groups."""
    try:
        pattern = write_properties(pattern)
        with QUIET:
            compiled = re.compile(pattern)
            if refers_back(pattern):
                pattern = write_without_backreferences("PATTERN", pattern)
                compiled = re.compile(pattern)
            tree = read_python(pattern)
    except RecursionError:
        raise GrammarError(
            NAME, "re refuses the pattern: too many groups inside each other; open fewer of them"
        ) from None
    except (re.error, OverflowError) as error:
        raise GrammarError(NAME, f"re refuses the pattern: {error}") from None
    except PropertyError as error:
        raise GrammarError(NAME, f"the pattern {error}") from None
    except UnsupportedTerminalError as error:
        raise GrammarError(
            NAME, f"{error.construct}; write the texts that it may repeat in its place"
        ) from None
    if any(0xD800 <= ord(character) <= 0xDFFF for character in pattern):
        raise GrammarError(NAME, "the pattern is not UTF-8; write it in UTF-8")
    flags = "".join(sorted(letter for flag, letter in _FLAGS.items() if compiled.flags & flag))
    leading = _GLOBAL_FLAGS.match(pattern)
    inner = pattern[leading.end() :] if leading else pattern
    # In a verbose pattern the last line may be a comment.
    ending = "\n)" if "x" in flags else ")"
    whole = rf"(?{flags}:{inner}{ending}\Z"
    return whole, least_width(tree), compiled.groupindex
