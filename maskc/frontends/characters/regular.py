r"""The rules over characters that are regular, as regular expressions.

A rule that does not come back to itself is what its right side is, with the rules it names put in.
Rules that come back to themselves at their right end only (or at their left end only) are a
system of linear equations: ``x = a x | b`` is ``a* b``. Any other recursion stays a rule.

An exception ``A - B`` must have regular sides; it is put in as the automaton of the difference.

Source: Arden 1961, *Delayed logic and finite state machines*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters.automaton import MAX_STATES, ExpressionTooLargeError, subtract
from maskc.frontends.characters.terminals import write_longest
from maskc.grammar.sets import find_components
from maskc.regular import (
    EMPTY_TEXT,
    MAX_NESTED,
    NOTHING,
    Alternation,
    Except,
    Expression,
    Reference,
    Repeat,
    Sequence,
    choice,
    measure,
    nesting,
    rebuild,
    references,
    repeat,
    sequence,
    walk,
)

MAX_FOLDED = 20_000
_MOST_RULES = 500  # that come back to each other

Linear = tuple[dict[str, Expression], Expression]


class Regular:
    """The rules that are regular.

    Of rules that come back to each other, those are known that others name. One that is larger than
    ``most_copied`` and named more than once is put in nowhere, and stands by itself.
    """

    def __init__(
        self, rules: Mapping[str, Expression], start: str, most_copied: int = MAX_FOLDED
    ) -> None:
        self._shared = set[str]()
        # rule → its regular expression, without references; the others are absent
        self.expressions: dict[str, Expression] = {}
        named = {name: Counter(_list_named(body)) for name, body in rules.items()}
        n_uses = Counter([start])
        for counts in named.values():
            n_uses.update(counts)
        for component in find_components({name: sorted(counts) for name, counts in named.items()}):
            own = Counter[str]()
            for name in component:
                own.update(named[name])
            by_others = {name: n_uses[name] - own[name] for name in component}
            entries = {name for name, n in by_others.items() if n}
            self._solve({name: rules[name] for name in component}, entries)
            self._shared |= {
                name
                for name in entries & self.expressions.keys()
                if by_others[name] > 1 and measure(self.expressions[name]) > most_copied
            }

    def resolve(self, expression: Expression) -> Expression | None:
        """Return an expression with all rules put in; ``None`` if it is not regular, or too large.

        Raises:
            GrammarError: a side of an exception is not regular.
            LimitError: the automaton of an exception is too large.
        """
        found = self._put_in(expression, frozenset())
        return found if found is not None and measure(found) <= MAX_FOLDED else None

    def may_join(self, expression: Expression) -> bool:
        """Return whether it is regular, and can be one expression with what stands beside it."""
        is_shared = not self._shared.isdisjoint(references(expression))
        return not is_shared and self.resolve(expression) is not None

    def put_in_exceptions(self, expression: Expression) -> Expression:
        if isinstance(expression, Except):
            return self._replace(expression, frozenset())
        return rebuild(expression, self.put_in_exceptions)

    def _solve(self, rules: dict[str, Expression], entries: AbstractSet[str]) -> None:
        own = frozenset(rules)
        bodies = {name: self._put_in(body, own) for name, body in rules.items()}
        known = {
            name: body
            for name, body in bodies.items()
            if body is not None and measure(body) <= MAX_FOLDED and nesting(body) <= MAX_NESTED
        }
        if len(known) < len(own):
            return
        for mirrored in (False, True):
            linear = {n: mirror(b) if mirrored else b for n, b in known.items()}
            solved = _solve_linear(linear, entries)
            if solved is not None:
                self.expressions |= {n: mirror(b) if mirrored else b for n, b in solved.items()}
                return

    def _put_in(self, expression: Expression, kept: frozenset[str]) -> Expression | None:
        """Return the expression with regular rules put in, but for the kept ones."""
        names = references(expression)
        is_regular = all(name in kept or name in self.expressions for name in names)
        copies = not isinstance(expression, Reference) and not self._shared.isdisjoint(names)
        return self._replace(expression, kept) if is_regular and not copies else None

    def _replace(self, expression: Expression, kept: frozenset[str]) -> Expression:
        match expression:
            case Reference(name):
                return expression if name in kept else self.expressions[name]
            case Except(left, right, location):
                return _subtract(location, self._put_in(left, kept), self._put_in(right, kept))
        return rebuild(expression, lambda part: self._replace(part, kept))


def _subtract(location: str, left: Expression | None, right: Expression | None) -> Expression:
    if left is None or right is None or references(left) or references(right):
        raise GrammarError(
            location,
            "both sides of an exception A - B must be regular, and one of them is recursive or too "
            "large; write what is left of A instead",
        )
    return _subtract_regular(location, left, right)


@lru_cache(maxsize=256)
def _subtract_regular(location: str, left: Expression, right: Expression) -> Expression:
    try:
        return write_longest(subtract(left, right))
    except ExpressionTooLargeError:
        raise LimitError(
            f"states in the automaton of the exception A - B at {location}, or an expression of it",
            MAX_STATES,
            "write what is left of A instead",
        ) from None


def _list_named(expression: Expression) -> list[str]:
    return [part.name for part in walk(expression) if isinstance(part, Reference)]


def mirror(expression: Expression) -> Expression:
    if isinstance(expression, Sequence):
        return sequence(*map(mirror, reversed(expression.parts)))
    return rebuild(expression, mirror)


def _solve_linear(
    bodies: Mapping[str, Expression], entries: AbstractSet[str]
) -> dict[str, Expression] | None:
    """Return the expressions of some names, which others are put into; ``None`` if that fails.

    It fails if some recursion is not at the right end, or an expression is too large, or there are
    too many names.
    """
    if len(bodies) > _MOST_RULES:
        return None
    equations: dict[str, Linear] = {}
    for name, body in bodies.items():
        read = _read_linear(body)
        if read is None:
            return None
        equations[name] = read
    users: dict[str, set[str]] = {name: set() for name in bodies}
    for name, (terms, _) in equations.items():
        for named in terms:
            users[named].add(name)
    # What makes the others least longer comes first.
    waiting = sorted(bodies.keys() - entries)
    while waiting:
        name = min(waiting, key=lambda name: len(users[name]) * (1 + len(equations[name][0])))
        waiting.remove(name)
        closed = {name: _close(name, equations.pop(name))}
        for named in closed[name][0]:
            users[named] |= users[name]
            users[named].discard(name)
        longer = {n: _substitute(equations[n], closed) for n in users[name] - {name}}
        if not _are_small(longer):
            return None
        equations |= longer
    solved: dict[str, Linear] = {}
    for name, equation in equations.items():
        mine = _close(name, _substitute(equation, solved))
        solved = {other: _substitute(known, {name: mine}) for other, known in solved.items()}
        solved[name] = mine
        if not _are_small(solved):
            return None
    return {name: rest for name, (_, rest) in solved.items()}


def _close(name: str, equation: Linear) -> Linear:
    """Return what a name is without itself."""
    terms, rest = equation
    loop = repeat(terms.get(name, NOTHING), 0, None)
    others = {other: sequence(loop, term) for other, term in terms.items() if other != name}
    return others, sequence(loop, rest)


def _are_small(equations: Mapping[str, Linear]) -> bool:
    written = [e for terms, rest in equations.values() for e in (*terms.values(), rest)]
    return (
        sum(map(measure, written)) <= MAX_FOLDED
        and max(map(nesting, written), default=0) <= MAX_NESTED
    )


def _substitute(equation: Linear, known: Mapping[str, Linear]) -> Linear:
    terms: dict[str, Expression] = {}
    rest = [equation[1]]
    for name, term in equation[0].items():
        if name not in known:
            terms[name] = choice(terms.get(name, NOTHING), term)
            continue
        inner_terms, inner_rest = known[name]
        rest.append(sequence(term, inner_rest))
        for other, inner in inner_terms.items():
            terms[other] = choice(terms.get(other, NOTHING), sequence(term, inner))
    return terms, choice(*rest)


def _read_linear(expression: Expression) -> Linear | None:
    """Return name → what stands before it, and the texts without a name."""
    if not references(expression):
        return {}, expression
    match expression:
        case Reference(name):
            return {name: EMPTY_TEXT}, NOTHING
        case Sequence(parts):
            if any(references(part) for part in parts[:-1]):
                return None
            last = _read_linear(parts[-1])
            if last is None:
                return None
            before = sequence(*parts[:-1])
            terms = {name: sequence(before, term) for name, term in last[0].items()}
            return terms, sequence(before, last[1])
        case Alternation(parts):
            read = [_read_linear(part) for part in parts]
            known = [linear for linear in read if linear is not None]
            if len(known) < len(read):
                return None
            terms = {}
            for inner, _ in known:
                for name, term in inner.items():
                    terms[name] = choice(terms.get(name, NOTHING), term)
            return terms, choice(*(rest for _, rest in known))
        case Repeat(body, 0, 1):
            inside = _read_linear(body)
            return None if inside is None else (inside[0], choice(inside[1], EMPTY_TEXT))
    return None
