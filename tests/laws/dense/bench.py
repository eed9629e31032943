"""One machine, its oracle, and walks over its masks: the law itself.

A mask holds exactly the tokens whose bytes a fork of the matcher takes, and what the oracle of the
case says: each token with which a known text goes on is legal, and each legal token leads to an end
that the oracle takes for a text.
"""

from collections import deque
from functools import lru_cache
from random import Random

from hypothesis import Phase

from maskc.errors import GrammarError
from tests.compiled import legal_ids
from tests.laws.dense.making import vocabulary_of

PHASES = (Phase.explicit, Phase.generate)  # a smaller seed makes no smaller walk
# Of characters that begin with the same byte: è, and × which is no word character.
_ENDS_OF_OTHERS = {b"\xa8", b"\x97"}
_SHORT = 2  # bytes of tokens after which the text may end or not
# Configurations in the search for a near end; walks to one, and their letters.
_MOST_SEEN, _MOST_WALKS, _LONGEST_WALK = 50, 100, 50


class Bench:
    """A machine, its oracle, and the masks that were found right."""

    def __init__(self, case):
        self.case, self.judge = case, case.judge()
        vocabulary = vocabulary_of(case.letters, case.longest)
        self.tokens = vocabulary.tokens[:-1]
        self.end = len(self.tokens)
        self.by_length = sorted(range(self.end), key=lambda token: len(self.tokens[token]))
        try:
            self.made = case.make(vocabulary)
        except GrammarError:  # no text at all
            assert not self.judge.texts
            self.made = None
        self.letters = self._order_letters()
        self._masks, self._rests = {}, {}

    def _order_letters(self):
        """Return bytes and longer letters, those last that texts mostly end with."""
        letters = {token for token in self.tokens if len(token) == 1}
        letters |= {letter.encode() for letter in self.case.letters}
        if not "".join(self.case.letters).isascii():
            letters |= _ENDS_OF_OTHERS
        texts = [text.encode() for text in self.judge.texts[:100]]

        def measure(letter):
            found = [(text.rfind(letter), len(text)) for text in texts if letter in text]
            return sum(index / length for index, length in found) / max(len(found), 1)

        return sorted(letters, key=lambda letter: (measure(letter), letter))

    def check(self, written, matcher):
        """Hold the mask after some bytes against forks, and against the oracle; return it."""
        legal = legal_ids(matcher, self.end + 1)
        if written in self._masks:
            assert legal == self._masks[written], (written, self.show(legal ^ self._masks[written]))
            return legal
        tried, taken, ends = self.take_each(matcher)
        wrong = taken ^ (legal - {self.end})
        kind = "wrongly legal" if wrong & legal else "missing"
        assert not wrong, (written, self.show(wrong), kind)
        assert (self.end in legal) == matcher.is_accepting == self.judge.may_end(written), written
        for token in tried:
            longer = written + self.tokens[token]
            begins = self.judge.begins(longer)
            if begins is None and token in legal:
                begins = self.find_text(matcher, token, longer)
            assert bool(begins) == (token in legal), (written, self.tokens[token])
            if len(self.tokens[token]) <= _SHORT:
                assert (token in ends) == self.judge.may_end(longer), (written, self.tokens[token])
        forced = matcher.forced_bytes()
        for token in legal - {self.end}:
            common = min(len(forced), len(self.tokens[token]))
            assert forced[:common] == self.tokens[token][:common], (written, forced)
        self._masks[written] = legal
        return legal

    def take_each(self, matcher):
        """Return the tokens that a fork was given, those that it took, and those that may end.

        A token is not tried if its text without the last byte is one that was refused.
        """
        tried, taken, refused, ends = [], set(), set(), set()
        for token in self.by_length:
            data = self.tokens[token]
            if data[:-1] in refused:
                refused.add(data)
                continue
            tried.append(token)
            fork = matcher.fork()
            if not fork.accept_bytes(data):
                refused.add(data)
                continue
            taken.add(token)
            if fork.is_accepting:
                ends.add(token)
        return tried, taken, ends

    def find_text(self, matcher, token, longer):
        """Return whether some text begins so, by an end that the machine takes."""
        after = matcher.fork()
        assert after.accept_token(token)
        rest = self.find_rest(after)
        assert rest is not None, (longer, "cannot be finished")
        if not self.judge.may_end(longer + rest):
            return False
        self.judge.add(longer, rest)
        return True

    def find_rest(self, matcher):
        """Return bytes after which the machine may end, ``None`` if there are none."""
        key = matcher.configuration()
        if key not in self._rests:
            self._rests[key] = self._search(matcher)
        return self._rests[key]

    def _search(self, matcher):
        """Search for a near end, then walk at random, mostly by letters that are near to ends."""
        pending, seen = deque([(matcher, b"")]), set()
        while pending and len(seen) < _MOST_SEEN:
            here, written = pending.popleft()
            if here.is_accepting:
                return written
            for letter, after in self._moves(here):
                if after.configuration() not in seen:
                    seen.add(after.configuration())
                    pending.append((after, written + letter))
        walks = (self._wander(matcher, Random(n)) for n in range(_MOST_WALKS if pending else 0))
        return next((written for written in walks if written is not None), None)

    def _wander(self, matcher, draw):
        here, written = matcher, b""
        for _ in range(_LONGEST_WALK):
            if here.is_accepting:
                return written
            moves = list(self._moves(here))
            weights = [(1 + self.letters.index(letter)) ** 2 for letter, _ in moves]
            ((letter, here),) = draw.choices(moves, weights)
            written += letter
        return None

    def _moves(self, here):
        for letter in self.letters:
            after = here.fork()
            if after.accept_bytes(letter):
                yield letter, after

    def walk(self, draw, text=None):
        """Check the masks on the way to a text; to one that is drawn, and off it now and then."""
        if self.made is None:
            return
        strays = text is None
        text = (draw.choice(self.judge.texts) if strays else text).encode()
        matcher, written, n_off = self.made.matcher(), b"", 0
        while True:
            legal = sorted(self.check(written, matcher) - {self.end})
            going_on = [t for t in legal if text.startswith(written + self.tokens[t])]
            if strays and (not going_on or draw.random() < 0.15):
                going_on, n_off = legal, n_off + 1
            if not going_on or n_off > 2:
                break
            token = draw.choice(going_on)
            before = matcher.configuration()
            assert matcher.accept_token(token)
            matcher.rollback(1)
            assert matcher.configuration() == before
            assert matcher.accept_token(token)
            written += self.tokens[token]
        if matcher.is_accepting and self.case.machine == "captures":
            assert matcher.accept_token(self.end)
            spans = sorted(map(tuple, matcher.spans()))
            assert spans == self.judge.spans(written.decode()), written

    def show(self, tokens):
        return [self.tokens[token] for token in sorted(tokens - {self.end})][:5]


@lru_cache(1)
def bench_of(case):
    bench = Bench(case)
    for text in case.more:
        bench.walk(Random(text), text)
    return bench


def name_of(case):
    return f"{case.machine}: {case.name}"
