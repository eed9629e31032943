r"""An upper bound on the size that Lark gives to rules and terminals when it writes them out.

Lark turns every optional part, group and small count into alternatives: ``["a"] ["b"]`` becomes
four, n optional parts become 2\ :sup:`n`. It writes out a template for every use of it with other
arguments, and a terminal wherever another one names it. We count before it does.

The count is of symbols, each alternative's end included, and an upper bound: what Lark finds twice
it drops, after it was made. A template that makes itself with ever new arguments has no end and is
counted up to the limit.

Source: Lark 1.3, ``load_grammar.py``: EBNF_to_BNF, SimplifyRule_Visitor, ApplyTemplates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from lark import Tree
from lark.load_grammar import REPEAT_BREAK_THRESHOLD, SMALL_FACTOR_THRESHOLD, Grammar
from lark.utils import small_factors

from maskc.budget import current_limits, quote_symbol
from maskc.errors import GrammarError, LimitError
from maskc.limits import HOW_TO_RAISE

_INFINITE = 10**15  # larger counts are all the same, and need no long numbers
_MOST_COUNTED = 10**9  # repetitions of one part: Lark writes at least one rule for each factor

Size = tuple[int, int]  # alternatives, and the symbols in all of them
_NOTHING: Size = (0, 0)
_EMPTY: Size = (1, 0)
_SYMBOL: Size = (1, 1)


def check_expansion(grammar: Grammar, name: str) -> None:
    """Check that Lark can write a grammar out within the limits.

    Raises:
        LimitError: it cannot; the message names the rule or the terminal.
        GrammarError: a count is beyond all bounds.
    """
    _check_terminals(grammar, name)
    limit = current_limits().work
    counted: dict[str, int] = {}
    total = 0
    for rule, size in _count_rules(grammar, name, current_limits().text):
        total += size
        counted[rule] = counted.get(rule, 0) + size
        if total > limit:
            largest = max(counted, key=lambda key: counted[key])
            share = f"{counted[largest]:,}" if counted[largest] < _INFINITE else "no end"
            raise LimitError(
                f"symbols in rules after Lark has written them out ({share} in this one)",
                limit,
                "give its groups and optional parts rules of their own, count less, "
                f"or allow more with {HOW_TO_RAISE['work']}",
                f"{name}: {quote_symbol('rule', largest)}",
            )


def _check_terminals(grammar: Grammar, name: str) -> None:
    """Count the characters of each terminal's pattern, what it names written out."""
    limit = current_limits().text
    sizes: dict[int, int] = {}
    total = 0
    for terminal, (tree, _) in grammar.term_defs:
        if not tree:  # %declare
            continue
        for subtree in _inner_first(tree, sizes):
            sizes[id(subtree)] = min(
                _INFINITE,
                1
                + sum(
                    sizes[id(child)] if isinstance(child, Tree) else len(str(child))
                    for child in subtree.children
                ),
            )
        total += sizes[id(tree)]
        if total > limit:
            raise LimitError(
                "characters in terminals once Lark has replaced names by patterns",
                limit,
                "refer to other terminals less often in it, or write a rule instead, "
                f"or allow more with {HOW_TO_RAISE['text']}",
                f"{name}: {quote_symbol('terminal', str(terminal))}",
            )


def _inner_first(tree: Tree[Any], done: Mapping[int, object]) -> Iterator[Tree[Any]]:
    """Yield the trees in a tree that are not done, inner ones first; shared ones once."""
    waiting = [(tree, False)]
    seen: set[int] = set()
    while waiting:
        inner, is_open = waiting.pop()
        if is_open:
            yield inner
        elif id(inner) not in seen and id(inner) not in done:
            seen.add(id(inner))
            waiting.append((inner, True))
            waiting += [(c, False) for c in inner.children if isinstance(c, Tree)]


def _count_rules(grammar: Grammar, name: str, most_characters: int) -> Iterator[tuple[str, int]]:
    """Yield each rule, or template that is used, with how many symbols Lark makes of it."""
    templates = {str(rule): (params, tree) for rule, params, tree, _ in grammar.rule_defs if params}
    instances = _Instances()
    waiting = deque[tuple[str, Tree[Any], dict[str, int]]]()
    for rule, params, tree, _ in grammar.rule_defs:
        if tree is None:  # %declare, for which Lark has no sentence
            raise GrammarError(
                name,
                f"{quote_symbol('rule', str(rule))} is declared, and Lark declares terminals "
                "alone; define it, or write its name in upper case",
            )
        if not params:
            waiting.append((str(rule), tree, {}))
    while waiting:
        rule, tree, arguments = waiting.popleft()
        yield rule, _count_tree(tree, name, rule)
        for template, values in instances.add_uses(tree, arguments):
            if template not in templates:
                continue  # Lark says so itself
            if instances.n_characters > most_characters:
                raise LimitError(
                    "characters in the names of the templates it uses",
                    most_characters,
                    "use fewer and shorter arguments: a template that uses itself with ever "
                    f"new ones has no end; or allow more with {HOW_TO_RAISE['text']}",
                    f"{name}: {quote_symbol('rule', rule)}",
                )
            params, body = templates[template]
            waiting.append((template, body, dict(zip(params, values, strict=False))))


@dataclass(slots=True)
class _Instances:
    """The uses of templates, numbered, with what Lark calls them counted and not written."""

    numbers: dict[tuple[str, tuple[int, ...]] | str, int] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    n_characters: int = 0

    def add_uses(
        self, tree: Tree[Any], arguments: Mapping[str, int]
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the uses in a tree that are new, with their arguments as numbers."""
        of_tree: dict[int, int] = {}
        for subtree in _inner_first(tree, of_tree):
            if subtree.data == "value":
                child = subtree.children[0]
                of_tree[id(subtree)] = self._number_of(child, of_tree, arguments)
            elif subtree.data == "template_usage":
                called, *values = subtree.children
                template = str(cast(Any, called).name)
                if template in arguments:
                    template = self.texts[arguments[template]]
                numbers = tuple(self._number_of(v, of_tree, arguments) for v in values)
                known = (template, numbers) in self.numbers
                length = len(template) + 2 + sum(self.lengths[n] + 1 for n in numbers)
                of_tree[id(subtree)] = self._number((template, numbers), length)
                if not known:
                    yield template, numbers

    def _number_of(self, node: Any, of_tree: dict[int, int], arguments: Mapping[str, int]) -> int:
        if isinstance(node, Tree):
            if id(node) in of_tree:
                return of_tree[id(node)]
            text = "".join(map(str, node.children))
        else:
            text = str(getattr(node, "name", node))
            if text in arguments:
                return arguments[text]
        return self._number(text, len(text))

    def _number(self, key: tuple[str, tuple[int, ...]] | str, length: int) -> int:
        number = self.numbers.setdefault(key, len(self.lengths))
        if number == len(self.lengths):
            self.lengths.append(min(length, _INFINITE))
            self.texts.append(key if isinstance(key, str) else "")
            self.n_characters += self.lengths[-1]
        return number


def _count_tree(tree: Tree[Any], name: str, rule: str) -> int:
    """Return the symbols of all rules that Lark makes of one, each alternative's end included."""
    sizes: dict[int, Size] = {}
    more = 0  # in rules of their own, made for repetitions
    for subtree in _inner_first(tree, sizes):
        parts = [sizes[id(c)] if isinstance(c, Tree) else _SYMBOL for c in subtree.children]
        match subtree.data:
            case "expansions":
                size = _NOTHING
                for part in parts:
                    size = _either(size, part)
            case "expansion":
                size = _EMPTY
                for part in parts:
                    size = _then(size, part)
            case "maybe":
                size = _either(parts[0], _EMPTY)
            case "alias":
                size = parts[0]
            case "expr":
                low, high = _read_counts(subtree.children[1:], name, rule)
                size, made = _repeat(parts[0], low, high)
                more = min(_INFINITE, more + made)
            case _:
                size = _SYMBOL
        sizes[id(subtree)] = size
    alternatives, symbols = sizes[id(tree)]
    return min(_INFINITE, alternatives + symbols + more)


def _read_counts(operator: list[Any], name: str, rule: str) -> tuple[int, int | None]:
    sign, *counts = operator
    if sign != "~":
        return {"?": (0, 1), "*": (0, None), "+": (1, None)}[str(sign)]
    if max(map(len, counts)) > len(str(_MOST_COUNTED)):
        raise GrammarError(
            f"{name}: {quote_symbol('rule', rule)}",
            f"a count has {max(map(len, counts))} digits; write a smaller one",
        )
    low, high = int(counts[0]), int(counts[-1])
    return low, max(low, high)


def _repeat(part: Size, low: int, high: int | None) -> tuple[Size, int]:
    """Return the size in place of a repetition, and the symbols of rules that are made for it."""
    if high is None:
        made = _sum_up(_either(part, _then(_SYMBOL, part)))
        return (_SYMBOL if low else _either(_SYMBOL, _EMPTY)), made
    if (low, high) == (0, 1):
        return _either(part, _EMPTY), 0
    if high < REPEAT_BREAK_THRESHOLD:
        size = _NOTHING
        for count in range(max(0, low), high + 1):
            size = _either(size, _power(part, count))
        return size, 0
    made = 0
    inner = part
    for a, b in small_factors(max(0, low), SMALL_FACTOR_THRESHOLD):
        made += _sum_up(_then(_power(inner, a), _power(part, b)))
        inner = _SYMBOL
    if low == high:
        return inner, min(_INFINITE, made)
    first, last = inner, part
    for a, b in small_factors(high - low + 1, SMALL_FACTOR_THRESHOLD):
        optional = _NOTHING
        for count in range(a):
            optional = _either(optional, _then(_power(last, count), _SYMBOL))
        for count in range(b):
            optional = _either(optional, _then(_power(last, a), _power(part, count)))
        made += _sum_up(optional) + _sum_up(_then(_power(last, a), _power(part, b)))
        last = _SYMBOL
    return _then(first, _SYMBOL), min(_INFINITE, made)


def _either(left: Size, right: Size) -> Size:
    return min(_INFINITE, left[0] + right[0]), min(_INFINITE, left[1] + right[1])


def _then(left: Size, right: Size) -> Size:
    alternatives = min(_INFINITE, left[0] * right[0])
    return alternatives, min(_INFINITE, left[1] * right[0] + right[1] * left[0])


def _power(part: Size, count: int) -> Size:
    size = _EMPTY
    for _ in range(count):
        size = _then(size, part)
    return size


def _sum_up(size: Size) -> int:
    return size[0] + size[1]
