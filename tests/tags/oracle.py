"""What does a structural tag allow? Extended regular expressions, and their derivatives.

Shares no code and no method with maskc: a tag is written as an expression with complement and
intersection over symbols, which are bytes and whole tokens, and is read by taking derivatives
(Brzozowski 1964). A token is legal iff what is left after its bytes, or after it as one symbol, is
not empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

# ("nil",) ("eps",) ("set", frozenset) ("cat", a, b) ("or", frozenset) ("not", a) ("star", a)
Re = tuple[Any, ...]
NIL: Re = ("nil",)
EPS: Re = ("eps",)
ALL: Re = ("not", NIL)
Symbol = int | tuple[str, int]


def sets(symbols: Iterable[Symbol]) -> Re:
    found = frozenset(symbols)
    return ("set", found) if found else NIL


def cat(*parts: Re) -> Re:
    found = EPS
    for part in reversed(parts):
        if NIL in (part, found):
            return NIL
        if part == EPS:
            continue
        found = part if found == EPS else ("cat", part, found)
    return found


def either(*parts: Re) -> Re:
    flat: set[Re] = set()
    for part in parts:
        flat |= part[1] if part[0] == "or" else {part}
    flat.discard(NIL)
    if ALL in flat:
        return ALL
    if not flat:
        return NIL
    return next(iter(flat)) if len(flat) == 1 else ("or", frozenset(flat))


def negate(inner: Re) -> Re:
    return inner[1] if inner[0] == "not" else ("not", inner)


def both(*parts: Re) -> Re:
    return negate(either(*map(negate, parts)))


def star(inner: Re) -> Re:
    return EPS if inner in (NIL, EPS) else inner if inner[0] == "star" else ("star", inner)


def _written(value: object, gap: Re) -> Re:
    """Return how a value may be written, a list of at most one item with gaps in it."""
    if not isinstance(value, list):
        return literal(json.dumps(value))
    inner = [_written(item, gap) for item in value]
    return cat(literal("["), gap, *inner, *[gap] * len(inner), literal("]"))


def times(inner: Re, low: int, high: int | None) -> Re:
    needed = cat(*[inner] * low)
    if high is None:
        return cat(needed, star(inner))
    return cat(needed, *[either(EPS, inner)] * (high - low))


@cache
def nullable(given: Re) -> bool:
    match given[0]:
        case "eps" | "star":
            return True
        case "cat":
            return nullable(given[1]) and nullable(given[2])
        case "or":
            return any(map(nullable, given[1]))
        case "not":
            return not nullable(given[1])
    return False


@cache
def derive(given: Re, symbol: Symbol) -> Re:
    match given[0]:
        case "set":
            return EPS if symbol in given[1] else NIL
        case "cat":
            left = cat(derive(given[1], symbol), given[2])
            return either(left, derive(given[2], symbol)) if nullable(given[1]) else left
        case "or":
            return either(*(derive(part, symbol) for part in given[1]))
        case "not":
            return negate(derive(given[1], symbol))
        case "star":
            return cat(derive(given[1], symbol), given)
    return NIL


def literal(text: str) -> Re:
    return cat(*(sets([byte]) for byte in text.encode()))


class Oracle:
    """Reads sequences of tokens.

    Args:
        tokens: bytes of each token, ``None`` for a special one.
        specials: names of special tokens.
    """

    def __init__(self, tokens: tuple[bytes | None, ...], specials: dict[str, int]) -> None:
        self.tokens, self.specials = tokens, specials
        self.bytes = sorted({byte for token in tokens if token for byte in token})
        self.symbols: list[Symbol] = [*self.bytes, *(("token", n) for n in range(len(tokens)))]
        self._live: dict[Re, bool] = {}

    def free(self, words: Iterable[str]) -> Re:
        """Texts without some words."""
        texts = star(sets(self.bytes))
        return both(texts, *(negate(cat(ALL, literal(word), ALL)) for word in words))

    def text(self, text: str) -> Re:
        """A text in which names may be tokens."""
        ways = [EPS if not text else cat(literal(text[0]), self.text(text[1:]))]
        for name, token in self.specials.items():
            if text.startswith(name):
                ways.append(cat(sets([("token", token)]), self.text(text[len(name) :])))
        return either(*ways)

    def any_token(self, excludes: Iterable[int]) -> Re:
        usable = {n for n, token in enumerate(self.tokens) if token}
        usable |= set(self.specials.values())
        return sets(("token", n) for n in usable - set(excludes))

    def read(self, given: dict[str, Any], ends: tuple[Any, ...] = ()) -> Re:
        """Return the expression of a format inside of a tag with some ends."""
        kind = given["type"]
        texts = [end for end in ends if isinstance(end, str) and end]
        ids = [end for end in ends if isinstance(end, int)]
        flags = [given.get(name, False) for name in ("at_least_one", "stop_after_first")]
        match kind:
            case "const_string":
                return self.text(given["value"])
            case "json_schema":
                gap = times(sets(b" \n\t"), 0, given["max_whitespace_cnt"])
                return either(*(_written(v, gap) for v in given["json_schema"]["enum"]))
            case "regex":
                return either(*map(literal, given["pattern"].split("|")))
            case "any_text":
                return self.free([*given.get("excludes", ()), *texts])
            case "sequence":
                return cat(*(self.read(e, ends) for e in given["elements"]))
            case "or":
                return either(*(self.read(e, ends) for e in given["elements"]))
            case "optional":
                return times(self.read(given["content"], ends), 0, 1)
            case "plus":
                return times(self.read(given["content"], ends), 1, None)
            case "star":
                return times(self.read(given["content"], ends), 0, None)
            case "repeat":
                high = None if given["max"] < 0 else given["max"]
                return times(self.read(given["content"], ends), given["min"], high)
            case "tag":
                return cat(self.delimiter(given["begin"]), self.rest_of(given))
            case "token":
                return sets([("token", self.token(given["token"]))])
            case "exclude_token" | "any_tokens":
                named = list(map(self.token, given.get("exclude_tokens", ())))
                one = self.any_token([*named, *ids])
                return one if kind == "exclude_token" else times(one, 0, given.get("max_tokens"))
            case "triggered_tags":
                excludes = [*given.get("excludes", ()), *texts]
                tags = [
                    (trigger, cat(self.text(tag["begin"][len(trigger) :]), self.rest_of(tag)))
                    for tag in given["tags"]
                    for trigger in given["triggers"]
                    if tag["begin"].startswith(trigger)
                ]
                one = either(*(self.read(tag) for tag in given["tags"]))
                return self.dispatch(given["triggers"], tags, excludes, one, *flags)
            case "dispatch":
                rules = [(trigger, self.read(inner, ends)) for trigger, inner in given["rules"]]
                triggers = [trigger for trigger, _ in rules]
                loop = given.get("loop", True)
                excludes = given.get("excludes", ())
                return self.dispatch(triggers, rules, excludes, NIL, False, not loop)
            case "tags_with_separator":
                one = either(*(self.read(tag) for tag in given["tags"]))
                more = cat(one, star(cat(self.text(given["separator"]), one)))
                whole = one if flags[1] else more
                return whole if flags[0] else either(EPS, whole)
            case "token_triggered_tags":
                named = map(self.token, given.get("exclude_tokens", ()))
                triggers = list(map(self.token, given["trigger_tokens"]))
                free = star(self.any_token([*named, *ids, *triggers]))
                one = either(*(self.read(tag) for tag in given["tags"]))
                return self.around(free, one, *flags)
            case "token_dispatch":
                named = map(self.token, given.get("exclude_tokens", ()))
                triggers = [self.token(trigger) for trigger, _ in given["rules"]]
                free = star(self.any_token([*named, *triggers]))
                one = either(
                    *(
                        cat(sets([("token", self.token(trigger))]), self.read(inner, ends))
                        for trigger, inner in given["rules"]
                    )
                )
                return self.around(free, one, False, not given.get("loop", True))
        raise ValueError(kind)

    def around(self, free: Re, one: Re, at_least_one: bool, stops: bool) -> Re:
        more = either(EPS, one) if stops else star(cat(one, free))
        if not at_least_one:
            return cat(free, more)
        return one if stops else cat(one, free, more)

    def token(self, given: int | str) -> int:
        if isinstance(given, int):
            return given
        return (
            self.specials.get(given, -1)
            if given in self.specials
            else self.tokens.index(given.encode())
        )

    def delimiter(self, given: Any) -> Re:
        if isinstance(given, dict):
            return self.read(given)
        if isinstance(given, list):
            return either(*map(self.text, given))
        return self.text(given)

    def rest_of(self, tag: dict[str, Any]) -> Re:
        """What follows the beginning of a tag."""
        end = tag["end"]
        ends = [self.token(end["token"])] if isinstance(end, dict) else end
        inner = self.read(tag["content"], tuple([ends] if isinstance(ends, str) else ends))
        return cat(inner, self.delimiter(end))

    def dispatch(
        self,
        triggers: list[str],
        rules: list[tuple[str, Re]],
        excludes: Iterable[str],
        one: Re,
        at_least_one: bool,
        stops: bool,
    ) -> Re:
        """Free text up to a trigger: none that is whole begins before it."""
        excludes = list(excludes)
        turns = []
        for trigger, rest in rules:
            if any(word in trigger for word in excludes):
                continue
            bad = [cat(ALL, literal(word), ALL) for word in [*triggers, *excludes]]
            for word in [*triggers, *excludes]:
                # A word that begins before the trigger and goes on in it.
                bad += [
                    cat(ALL, literal(word[:n]))
                    for n in range(1, len(word))
                    if trigger.startswith(word[n:])
                ]
            before = both(star(sets(self.bytes)), *map(negate, bad))
            turns.append(cat(before, literal(trigger), rest))
            for name, token in self.specials.items():
                if trigger.startswith(name):
                    free, left = self.free([*triggers, *excludes]), trigger[len(name) :]
                    turns.append(cat(free, sets([("token", token)]), self.text(left), rest))
        last = self.free([*triggers, *excludes])
        turn = either(*turns)
        more = either(last, turn) if stops else cat(star(turn), last)
        if not at_least_one:
            return more
        return one if stops else cat(one, more)

    def after(self, given: Re, token: int) -> Re:
        """What is left after a token."""
        found = derive(given, ("token", token))
        text = self.tokens[token]
        if text:
            left = given
            for byte in text:
                left = derive(left, byte)
            found = either(found, left)
        return found

    def is_live(self, given: Re) -> bool:
        """Whether any sequence is left."""
        if given not in self._live:
            seen, open_ = {given}, [given]
            while open_ and not any(map(nullable, seen)):
                here = open_.pop()
                for symbol in self.symbols:
                    after = derive(here, symbol)
                    if after != NIL and after not in seen:
                        seen.add(after)
                        open_.append(after)
            self._live[given] = any(map(nullable, seen))
        return self._live[given]

    def legal(self, given: Re) -> set[int]:
        """The legal tokens, without the end of the sequence."""
        return {n for n in range(len(self.tokens)) if self.is_live(self.after(given, n))}
