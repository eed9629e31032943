"""Does a formula hold of a value?

Example: ``length(0, 3)`` holds of ``"abc"`` and of ``12345``, and not of ``"abcd"``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.jsonschema.formulas import ABOUT, BIT, Formula, Keys, in_order
from maskc.jsonschema.values import Value
from maskc.runtime.schema.plan.custom import accepts
from maskc.runtime.schema.strings.characters import CharDfa

# Formulas inside each other, references included: compiled code has no bound of its own, and the
# interpreter's is about the same.
_MOST_DEPTH = 700


class Holding:
    """Says which values formulas hold of.

    Args:
        dfas: automata over characters, by number; there may come to be more.
        expand: gives what a closed formula says, by its key.
    """

    def __init__(self, dfas: list[CharDfa], expand: Callable[[Any], Formula]) -> None:
        self._dfas, self._expand = dfas, expand
        self._depth = 0

    def contains_key(self, keys: Keys, name: str) -> bool:
        """Return whether a name is in a set of keys."""
        if keys[0] == "names":
            return name in keys[1]
        if keys[0] == "dfa":
            return self._accepts(keys[1], name)
        if keys[0] == "strings":
            return self.holds(keys[1], ("string", name))
        return name not in keys[1] and not any(self._accepts(n, name) for n in keys[2])

    def _accepts(self, number: int, text: str) -> bool:
        return accepts(self._dfas[number], text)

    def holds(self, formula: Formula, value: Value) -> bool:
        """Return whether a formula holds of a value.

        Raises:
            RecursionError: it is nested too deep, with its references.
        """
        kind, args = formula.kind, formula.args
        if kind in ABOUT:
            return bool(value[0] != ABOUT[kind] or self._holds_atom(kind, args, value[1]))
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "types":
            return bool(BIT[value[0]] & args[0])
        if kind in ("values", "novalues"):
            return bool((value in args[0]) == (kind == "values"))
        self._depth += 1
        try:
            if self._depth > _MOST_DEPTH:
                raise RecursionError
            if kind in ("and", "or"):
                for part in in_order(args[0]):
                    if self.holds(part, value) != (kind == "and"):
                        return kind == "or"
                return kind == "and"
            if kind in ("one", "noone"):
                n_held = 0
                for part in args[0]:
                    n_held += self.holds(part, value)
                return (n_held == 1) == (kind == "one")
            return self.holds(self._expand(args[0]), value) == (kind == "ref")
        finally:
            self._depth -= 1

    def _holds_atom(self, kind: str, args: tuple[Any, ...], held: Any) -> bool:
        if kind == "string":
            return bool(self._accepts(args[0], held) == args[1])
        if kind in ("length", "count", "size"):
            return len(held) >= args[0] and (args[1] is None or len(held) <= args[1])
        if kind == "bounds":
            low, low_open, high, high_open = args
            return (low is None or held > low or held == low and not low_open) and (
                high is None or held < high or held == high and not high_open
            )
        if kind == "multiple":
            return bool(((held / args[0]).denominator == 1) == args[1])
        if kind == "order":
            return True
        if kind == "spelled":
            return bool(held.denominator == 1 or args[0] == 2)
        if kind == "any":
            return any(self._holds_atom("some", pair, held) for pair in args[0])
        if kind in ("all", "some"):
            chosen = [v for key, v in held if self.contains_key(args[0], key)]
            outcome = (self.holds(args[1], v) for v in chosen)
            return all(outcome) if kind == "all" else any(outcome)
        if kind == "unique":
            return bool((len(set(held)) == len(held)) == args[0])
        items = held[args[0] : args[1]]
        n_fit = sum(self.holds(args[2], v) for v in items)
        if kind == "items":
            return bool(n_fit == len(items))
        return n_fit >= args[3] and (args[4] is None or n_fit <= args[4])
