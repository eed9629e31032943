"""Texts of our own grammars, written token by token through an engine's grammar objects."""

from pathlib import Path
from random import Random

import numpy as np

import maskc
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.verify.general import parses
from tests.engines.steering import Steering

GRAMMARS = Path(__file__).parents[2] / "grammars"
NAMES = ("json", "python", "sql")


class Subject:
    """A grammar compiled for a tokenizer, with what judges its texts."""

    def __init__(self, name, tokenizer, folder):
        self.name = name
        self.artifact = maskc.compile_grammar(GRAMMARS / f"{name}.lark", tokenizer=tokenizer)
        self.artifact.save(folder / f"{name}.maskc")
        self.lark = build_lark(source_from_header(self.artifact.header["grammar"]))
        self.steering = Steering(self.artifact, self.lark, tokenizer)


class Generation:
    """A sequence: random legal tokens, and after some of them those that lead to an end."""

    def __init__(self, subject, seed):
        self.subject, self.draw = subject, Random(seed)
        self.ids, self.limit, self.text = [], self.draw.randint(3, 25), None

    def choose(self, mask):
        """Return the next token.

        Args:
            mask: int32[words], as the engine would apply it.
        """
        legal = np.unpackbits(mask.view(np.uint8), bitorder="little")
        ends = self.subject.steering.ends
        if len(self.ids) >= self.limit:
            wish = self.subject.steering.wish(self.ids)
            if wish is not None:
                assert legal[wish]
                return wish
        ids = [i for i in np.flatnonzero(legal).tolist() if i not in ends]
        return self.draw.choice(ids) if ids else min(ends)

    def take(self, token):
        """Add a token; an end makes it a text."""
        if token in self.subject.steering.ends:
            self.text = self.subject.steering.write(self.ids).decode()
        else:
            self.ids.append(token)

    def parses(self):
        return self.text is not None and parses(self.subject.lark, self.text)
