r"""A pattern whose back-references repeat one of a few texts, without the back-references.

No automaton compares two parts of a lexeme. Where a group has few texts, by its own automaton or by
the author's list (docs/lexing.md), what follows the group is written once for each of them, in the
order in which ``re`` tries them; what stands before the group stays, so that its ways are tried in
their order.

Example: ``(["'])a\1`` is ``(?:"a"|'a')``.

Limits: a group is not repeated by itself, and stands in the alternative that refers to it; a
pattern with a conditional is refused, and one for the flag ``x``. Where the author lists texts, a
text with another value is read as the new pattern has it, where the old one would have matched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from maskc import regular
from maskc.errors import UnsupportedTerminalError
from maskc.frontends.characters.automaton import list_texts, sample_texts
from maskc.frontends.characters.terminals import write_part
from maskc.regular import (
    Alternation,
    Anchor,
    Atomic,
    BackReference,
    CapturingGroup,
    Characters,
    Conditional,
    Expression,
    Look,
    Repeat,
    walk,
)
from maskc.regular.charset import ANY, literal_set, unite
from maskc.regular.python import read_python

MOST_VALUES = 100
MOST_WRITTEN = 100_000  # parts of what follows a group, once for each of its texts
_N_SAMPLES = 3
_WORDS = ("EOF", "EOT", "END")  # what a name before a text may be, as in a shell
_ODD_LETTERS = re.compile(r"[^\x00-\x7f]|[iIsS]")  # a reference compares their cases otherwise
# A reference by its number, and brackets; other escapes and classes are read whole.
_SIGNS = re.compile(
    r"\\(?P<number>[1-9][0-9]?)(?![0-9])|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|(?P<captures>\((?:\?P<\w+>|(?!\?)))|(?P<opens>\()|(?P<closes>\))",
    re.DOTALL,
)
_WRITTEN_OUT = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}  # flags


def refuse(terminal: str, fact: str) -> UnsupportedTerminalError:
    return UnsupportedTerminalError(
        terminal,
        f"its back-reference cannot be written out: {fact}",
        "write its pattern without one",
    )


def write_without_backreferences(
    terminal: str,
    pattern: str,
    values: Sequence[str] | None = None,
    *,
    flags: int = 0,
    is_joined: bool = False,
) -> str:
    """Return a pattern that matches what another matches, without its back-references.

    Args:
        terminal: for messages.
        pattern: of ``re``; one or more of its groups are referred to.
        values: the texts that the group may have whose texts are not few.
        flags: of ``re``, with which the pattern is read and the new one will be.
        is_joined: whether the pattern is joined to others, so that groups have other numbers.

    Raises:
        UnsupportedTerminalError: the texts of a group are not few and not given, or a group is
            referred to in a way that is not supported, or a given text is not one of the group's.
    """
    if flags & re.VERBOSE:
        raise refuse(terminal, "its pattern has the flag x")
    _check_numbers(terminal, pattern if is_joined else "")
    given, tree = values, _drop_groups(read_python(pattern, flags))
    if any(isinstance(node, Conditional) for node in walk(tree)):
        raise refuse(terminal, "it has a conditional group beside its back-reference")
    while references := [node for node in walk(tree) if isinstance(node, BackReference)]:
        # What follows the group that begins last refers to none that begins there.
        number = max(node.group for node in references)
        quoted = _quote_group(pattern, number)
        group = _Group(terminal, tree, number, references, quoted)
        is_left = len({node.group for node in references}) == 1
        few = None if given is not None and is_left else group.list_texts()
        if few is None and given is None:
            raise group.refuse_many(tree)
        if few is None:
            few, given = group.check_texts(given or ()), None
        tree = group.expand(tree, group.put_in_order(few))
    if given is not None:
        raise refuse(terminal, "it has no back-reference to a group whose texts are not few")
    written = write_part(tree).encode("ascii", "backslashreplace").decode()
    letters = "".join(letter for flag, letter in _WRITTEN_OUT.items() if flags & flag)
    return f"(?-{letters}:{written})" if letters else written


def _check_numbers(terminal: str, pattern: str) -> None:
    numbers = (found["number"] for found in _SIGNS.finditer(pattern))
    for number in filter(None, numbers):
        name = f"of_{terminal.strip('_').lower()}"
        raise UnsupportedTerminalError(
            terminal,
            f"it refers back to group {number} by its number, which changes where patterns are "
            "joined to one",
            f"name the group, as in (?P<{name}>…), and write (?P={name}) for \\{number}",
        )


def _quote_group(pattern: str, number: int) -> str:
    """Return the beginning of a group as its author wrote it."""
    opened, n_captured = list[tuple[int, int]](), 0
    for found in _SIGNS.finditer(pattern):
        if found["captures"] or found["opens"]:
            n_captured += bool(found["captures"])
            opened.append((n_captured if found["captures"] else 0, found.end()))
        elif found["closes"] and opened:
            own, start = opened.pop()
            if own == number:
                return f"({pattern[start : found.start()][:80]})"
    return f"({number})"


def _drop_groups(tree: Expression) -> Expression:
    """Return the tree without the groups that nothing refers to."""
    referred = {node.group for node in walk(tree) if isinstance(node, BackReference)}

    def drop(node: Expression) -> Expression:
        if isinstance(node, CapturingGroup) and node.number not in referred:
            return drop(node.body)
        return _change_parts(node, drop)

    return drop(tree)


def _change_parts(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    match node:
        case regular.Sequence(parts) | Alternation(parts):
            return type(node)(tuple(map(change, parts)))
        case Repeat(body) | Look(body) | CapturingGroup(body) | Atomic(body):
            return replace(node, body=change(body))
    return node


def _drop_brackets(node: Expression) -> Expression:
    """Return an expression of at least the same texts, without groups."""
    if isinstance(node, CapturingGroup | Atomic):
        return _drop_brackets(node.body)
    return _change_parts(node, _drop_brackets)


def _flatten(parts: Iterable[Expression]) -> Iterator[Expression]:
    for part in parts:
        if isinstance(part, regular.Sequence):
            yield from _flatten(part.parts)
        else:
            yield part


class _Group:
    """A group of a pattern, the last one that is referred to."""

    def __init__(
        self,
        terminal: str,
        tree: Expression,
        number: int,
        references: Sequence[BackReference],
        quoted: str,  # the group as its author wrote it
    ) -> None:
        self._terminal, self._number, self._quoted = terminal, number, quoted
        groups = (node for node in walk(tree) if isinstance(node, CapturingGroup))
        self._body = next(group.body for group in groups if group.number == number)
        known = {node.flags for node in references if node.group == number}
        if len(known) > 1:
            raise refuse(terminal, "it ignores case in one place that refers to a group only")
        (self._flags,) = known
        self._folds = bool(self._flags & re.IGNORECASE)
        if any(isinstance(node, BackReference) for node in walk(self._body)):
            raise refuse(terminal, f"its group {quoted} refers back, too")
        self._pattern = write_part(self._body)
        if any(isinstance(node, Look | Anchor) for node in walk(self._body)):
            fact = f"its group {quoted} depends on the text around it"
            raise refuse(terminal, fact)

    def list_texts(self) -> list[str] | None:
        """Return the texts of the group if they are few; one stands for those in other cases."""
        body = self._fold(self._body) if self._folds else self._body
        texts = list_texts(_drop_brackets(body), MOST_VALUES)
        # Atomic groups match less than is listed.
        return texts and [text for text in texts if re.fullmatch(self._pattern, text)]

    def _fold(self, node: Expression) -> Expression:
        """Return small letters in the place of letters, and of sets that do not ignore case any."""
        if not isinstance(node, Characters):
            return _change_parts(node, self._fold)
        if sum(high - low + 1 for low, high in node.ranges) > MOST_VALUES:
            return Characters(ANY)
        points = [n for low, high in node.ranges for n in range(low, high + 1)]
        cases = unite(pair for point in points for pair in literal_set(point, self._flags))
        small = (ord(chr(point).lower()[0]) for point in points)
        return Characters(unite((n, n) for n in small) if cases == node.ranges else ANY)

    def check_texts(self, texts: Iterable[str]) -> list[str]:
        found: set[str] = set()
        for text in texts:
            cases = (text, text.lower(), text.upper()) if self._folds else (text,)
            if any(re.fullmatch(self._pattern, case) is None for case in cases):
                fact = f"its group {self._quoted} does not match the text {text[:80]!r}"
                raise refuse(self._terminal, fact)
            found.add(text.lower() if self._folds else text)
        return sorted(found)

    def put_in_order(self, texts: Iterable[str]) -> list[str]:
        """Return the texts of the group in an order in which ``re`` tries them.

        Two of them match at one index only if one begins with the other. Which of them comes first
        ``re`` says itself: what is left of the longer one may follow the shorter one.
        """
        ordered: list[str] = []
        for text in sorted(texts, key=lambda text: (len(text), text)):
            at = len(ordered)
            for index, shorter in enumerate(ordered):
                if text.startswith(shorter):
                    rest = re.escape(text[len(shorter) :])
                    tried = re.match(rf"(?P<own__>{self._pattern})(?:{rest})?\Z", text)
                    if tried is not None and tried["own__"] == text:
                        at = index
                        break
            ordered.insert(at, text)
        return ordered

    def expand(self, tree: Expression, texts: Sequence[str]) -> Expression:
        """Return the tree with what follows the group, in its alternative, once for each text."""
        if self._folds and any(map(_ODD_LETTERS.search, texts)):
            fact = f"it ignores case, and not alike for all texts of {self._quoted}"
            raise refuse(self._terminal, fact)
        return self._expand(tree, texts)

    def _expand(self, node: Expression, texts: Sequence[str]) -> Expression:
        match node:
            case regular.Sequence(parts):
                return self._expand_sequence(list(_flatten(parts)), texts)
            case Alternation(parts):
                if any(self._is_referred(part) and not self._is_in(part) for part in parts):
                    fact = "the group that it refers back to is in another alternative"
                    raise refuse(self._terminal, fact)
            case CapturingGroup(number=number) if number == self._number:
                raise refuse(self._terminal, "it refers to a group before the group's end")
        return _change_parts(
            node, lambda part: self._expand(part, texts) if self._is_in(part) else part
        )

    def _expand_sequence(self, parts: list[Expression], texts: Sequence[str]) -> Expression:
        at = next(n for n, part in enumerate(parts) if self._is_in(part))
        before, inside, after = parts[:at], parts[at], parts[at + 1 :]
        if any(map(self._is_referred, before)):
            raise refuse(self._terminal, "it refers to a group before the group's end")
        if not any(map(self._is_referred, after)):
            return regular.Sequence((*before, self._expand(inside, texts), *after))
        if not isinstance(inside, CapturingGroup) or inside.number != self._number:
            fact = "it refers to a group from outside of brackets with alternatives or conditions"
            if isinstance(inside, Repeat):
                fact = "the group that it refers back to is repeated"
            elif isinstance(inside, CapturingGroup):
                fact = "of two groups that it refers back to one is inside the other"
            raise refuse(self._terminal, fact)
        if len(texts) * sum(1 for part in after for _ in walk(part)) > MOST_WRITTEN:
            fact = f"once for each text it has more than {MOST_WRITTEN:,} parts"
            raise refuse(self._terminal, fact)
        tails = tuple(
            regular.Sequence((text, *(self._put_in(part, text) for part in after)))
            for text in map(self._spell, texts)
        )
        return regular.Sequence((*before, Alternation(tails)))

    def _put_in(self, node: Expression, text: Expression) -> Expression:
        if isinstance(node, BackReference):
            return text if node.group == self._number else node
        return _change_parts(node, lambda part: self._put_in(part, text))

    def _spell(self, text: str) -> Expression:
        sets = (literal_set(ord(character), self._flags) for character in text)
        return regular.Sequence(tuple(map(Characters, sets)))

    def _is_in(self, part: Expression) -> bool:
        return any(isinstance(n, CapturingGroup) and n.number == self._number for n in walk(part))

    def _is_referred(self, part: Expression) -> bool:
        return any(isinstance(n, BackReference) and n.group == self._number for n in walk(part))

    def refuse_many(self, tree: Expression) -> UnsupportedTerminalError:
        """Return the refusal of a group whose texts are not few, with what lists some of them."""
        texts = [word for word in _WORDS if re.fullmatch(self._pattern, word)]
        if not texts:
            samples = sample_texts(_drop_brackets(self._body), _N_SAMPLES)
            texts = [text for text in samples if re.fullmatch(self._pattern, text)]
        texts = [text for text in texts if not re.search(r"[\s,]", text)]
        try:
            self._expand(tree, texts)
        except UnsupportedTerminalError as error:
            return error
        remedy, name = "write its pattern without one", self._terminal
        if texts:
            is_nameless = name.startswith("__")
            remedy = (
                f"{'give the terminal a name, and ' * is_nameless}list those that it may have, as "
                f"// maskc: backreference={'NAME' if is_nameless else name}:{','.join(texts)}"
            )
        return UnsupportedTerminalError(
            name,
            f"it refers back to its group {self._quoted}, which has too many texts for an "
            "automaton",
            remedy,
        )
