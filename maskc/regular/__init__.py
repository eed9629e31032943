"""Regular expressions: their syntax tree, its parsers, and automata over bytes that follow ``re``.

The parsers of ``re`` (:mod:`~maskc.regular.python`) and of ECMA-262 (:mod:`~maskc.regular.ecma`)
make the syntax tree that is here; and so do the readers of GBNF and EBNF, whose rules also have
names of rules and exceptions. What asks something of an expression is a function over this tree.
Flags are gone: a leaf is the set of characters that it reads, whatever flags said so. Nothing here
knows a grammar or a token.

The empty sequence matches the empty text, the empty choice nothing at all. The parsers keep an
expression as it is written, since ``re`` tries its ways in order. The functions :func:`sequence`,
:func:`choice` and :func:`repeat` keep sets of texts simple: no sequence in a sequence, no choice of
one, no empty text among choices.

Example: ``"a" [0-9]*`` is ``sequence(literal("a"), repeat(Characters(((48, 57),)), 0, None))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from maskc.errors import LimitError
from maskc.regular.charset import CodePoints, unite

# Python's parser of patterns calls itself for each group, and so do we.
MAX_SIZE, MAX_NESTED = 20_000, 80

GREEDY, LAZY, POSSESSIVE = "greedy", "lazy", "possessive"


@dataclass(frozen=True, slots=True)
class Characters:
    """One code point of a set."""

    ranges: CodePoints


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """Any of the parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The body, ``low`` to ``high`` times; ``None``: any number. ``mode`` is the order of tries."""

    body: Expression
    low: int
    high: int | None
    mode: str = GREEDY


@dataclass(frozen=True, slots=True)
class Anchor:
    r"""``^``, ``$``, ``\A``, ``\Z``, ``\b`` or ``\B``, without the backslash."""

    kind: str
    is_multiline: bool = False
    is_ascii: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A look-ahead or a look-behind."""

    body: Expression
    positive: bool
    ahead: bool = True


@dataclass(frozen=True, slots=True)
class CapturingGroup:
    """A group that captures."""

    body: Expression
    number: int


@dataclass(frozen=True, slots=True)
class Atomic:
    """The first match of the body, whatever follows."""

    body: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """One part if a group has matched, and else the other."""

    group: int
    present: Expression
    absent: Expression


@dataclass(frozen=True, slots=True)
class BackReference:
    """What a group has matched; ``least`` is the group's least width."""

    group: int
    least: int
    flags: int = 0  # of re: whether case is ignored, and for ASCII alone


@dataclass(frozen=True, slots=True)
class Reference:
    """What the rule of that name matches."""

    name: str


@dataclass(frozen=True, slots=True)
class Except:
    """What ``left`` matches and ``right`` does not; ``location`` is ``file:line``."""

    left: Expression
    right: Expression
    location: str


Expression = (
    Characters
    | Sequence
    | Alternation
    | Repeat
    | Anchor
    | Look
    | CapturingGroup
    | Atomic
    | Conditional
    | BackReference
    | Reference
    | Except
)

EMPTY_TEXT = Sequence(())
NOTHING = Alternation(())


@dataclass(frozen=True, slots=True)
class CharacterGrammar:
    """Rules over characters, all defined."""

    name: str
    rules: Mapping[str, Expression]
    start: str


def children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Sequence(parts) | Alternation(parts):
            return parts
        case Repeat(body) | Look(body) | CapturingGroup(body) | Atomic(body):
            return (body,)
        case Conditional(_, present, absent):
            return (present, absent)
        case Except(left, right):
            return (left, right)
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all parts of it, each before those inside it, in order."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(children(node))


def least_width(expression: Expression) -> int:
    """Return the fewest characters that an expression matches, as ``re`` counts them."""
    match expression:
        case Characters():
            return 1
        case BackReference(least=least):
            return least
        case Sequence(parts):
            return sum(map(least_width, parts))
        case Alternation(parts):
            return min(map(least_width, parts), default=0)
        case Repeat(body, low):
            return low * least_width(body)
        case CapturingGroup(body) | Atomic(body):
            return least_width(body)
        case Conditional(_, present, absent):
            return min(least_width(present), least_width(absent))
    return 0


def literal(text: str) -> Expression:
    return sequence(*(Characters(((ord(c), ord(c)),)) for c in text))


def sequence(*parts: Expression) -> Expression:
    """Return the parts one after the other.

    >>> sequence(literal("a"), NOTHING) == NOTHING
    True
    """
    flat: list[Expression] = []
    for part in parts:
        if part == NOTHING:
            return NOTHING
        for inner in part.parts if isinstance(part, Sequence) else (part,):
            if flat and isinstance(flat[-1], Characters) and inner == Repeat(flat[-1], 0, None):
                flat[-1] = Repeat(flat[-1], 1, None)
            else:
                flat.append(inner)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def choice(*parts: Expression) -> Expression:
    """Return any of the parts; sets of characters among them become one.

    >>> choice(literal("a"), literal("b"), EMPTY_TEXT)
    Repeat(body=Characters(ranges=((97, 98),)), low=0, high=1, mode='greedy')
    """
    flat: dict[Expression, None] = {}
    optional = False
    for part in parts:
        for alternative in part.parts if isinstance(part, Alternation) else (part,):
            if alternative == EMPTY_TEXT:
                optional = True
            elif isinstance(alternative, Repeat) and (alternative.low, alternative.high) == (0, 1):
                optional = True
                body = alternative.body
                flat |= dict.fromkeys(body.parts if isinstance(body, Alternation) else (body,))
            else:
                flat[alternative] = None
    found = tuple(_join_characters(flat))
    chosen = found[0] if len(found) == 1 else Alternation(found)
    return repeat(chosen, 0, 1) if optional else chosen


def _join_characters(parts: dict[Expression, None]) -> Iterator[Expression]:
    """Yield the parts, with one set of characters where the first of several stood."""
    joined = unite(r for part in parts if isinstance(part, Characters) for r in part.ranges)
    for part in parts:
        if not isinstance(part, Characters):
            yield part
        elif joined:
            yield Characters(joined)
            joined = ()


def repeat(body: Expression, low: int, high: int | None) -> Expression:
    if body == EMPTY_TEXT or high == 0:
        return EMPTY_TEXT
    if body == NOTHING:
        return EMPTY_TEXT if low == 0 else NOTHING
    if (low, high) == (1, 1):
        return body
    if isinstance(body, Repeat) and (body.low, body.high) == (0, None):
        return body
    if isinstance(body, Repeat) and body.low in (0, 1) and low in (0, 1):
        # (x?)*, (x+)?, (x+)+ and their like; not (x{0,3})?, which stays as it is written.
        if (high is None and body.high in (1, None)) or (high == 1 and body.high is None):
            return repeat(body.body, min(low, body.low), None)
        if high == 1 and body.high == 1:
            return repeat(body.body, min(low, body.low), 1)
    return Repeat(body, low, high)


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return a sequence, choice or repetition with its parts changed; any other one as it is."""
    match expression:
        case Sequence(parts):
            return sequence(*map(change, parts))
        case Alternation(parts):
            return choice(*map(change, parts))
        case Repeat(body, low, high):
            return repeat(change(body), low, high)
    return expression


def references(expression: Expression) -> set[str]:
    return {node.name for node in walk(expression) if isinstance(node, Reference)}


def is_nullable(expression: Expression) -> bool:
    match expression:
        case Sequence(parts):
            return all(map(is_nullable, parts))
        case Alternation(parts):
            return any(map(is_nullable, parts))
        case Repeat(body, low):
            return low == 0 or is_nullable(body)
    return False


def measure(expression: Expression) -> int:
    """Return how many characters and names it has once its bounded repetitions are written out."""
    match expression:
        case Repeat(body, low, high):
            return measure(body) * max(low, high or 0, 1)
        case Sequence() | Alternation() | Except():
            return sum(map(measure, children(expression)))
    return 1


def nesting(expression: Expression) -> int:
    """Return how many choices and repetitions stand one inside the other."""
    inner = max(map(nesting, children(expression)), default=0)
    return inner + isinstance(expression, Alternation | Repeat)


def check_size(location: str, expression: Expression) -> Expression:
    """Return the expression if it is not too large to be written out.

    Raises:
        LimitError: its repetitions, one inside the other, are.
    """
    if measure(expression) > MAX_SIZE:
        raise LimitError(
            f"characters and names in one expression at {location} when its repetitions are "
            "written out",
            MAX_SIZE,
            "lower their counts, or write * for any number",
        )
    return expression
