"""Does a formula hold of a value?

Example: ``length(0, 3)`` holds of ``"abc"`` and of ``12345``, and not of ``"abcd"``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.jsonschema.formulas import ABOUT, BIT, Formula, Keys, in_order
from maskc.jsonschema.values import Value
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa


class Holding:
    """Says which values formulas hold of.

    Args:
        dfas: automata over characters, by number; there may come to be more.
        expand: gives what a closed formula says, by its key.
    """

    def __init__(self, dfas: list[CharDfa], expand: Callable[[Any], Formula]) -> None:
        self._dfas, self._expand = dfas, expand

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
        dfa = self._dfas[number]
        return dfa.labels[dfa.read(text)] != NO_LABEL

    def holds(self, formula: Formula, value: Value) -> bool:
        """Return whether a formula holds of a value."""
        kind, args = formula.kind, formula.args
        about = ABOUT.get(kind)
        if about is not None:
            return value[0] != about or self._holds_atom(kind, args, value[1])
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "and":
            return all(self.holds(part, value) for part in in_order(args[0]))
        if kind == "or":
            return any(self.holds(part, value) for part in in_order(args[0]))
        if kind == "types":
            return bool(BIT[value[0]] & args[0])
        if kind in ("values", "novalues"):
            return bool((value in args[0]) == (kind == "values"))
        if kind in ("one", "noone"):
            return (sum(self.holds(part, value) for part in args[0]) == 1) == (kind == "one")
        inner = self.holds(self._expand(args[0]), value)
        return inner == (kind == "ref")

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
        if kind in ("all", "some"):
            chosen = [v for key, v in held if self.contains_key(args[0], key)]
            outcome = (self.holds(args[1], v) for v in chosen)
            return all(outcome) if kind == "all" else any(outcome)
        if kind == "unique":
            return bool((len(set(held)) == len(held)) == args[0])
        chosen = held[args[0] : args[1]]
        n_fit = sum(self.holds(args[2], v) for v in chosen)
        if kind == "items":
            return n_fit == len(chosen)
        return n_fit >= args[3] and (args[4] is None or n_fit <= args[4])
