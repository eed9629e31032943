"""A compiled grammar, schema or tag over a vocabulary, ready to make matchers.

An artifact with terminals narrowed and a constraint of a request have machines of their own, and
the tokens of an artifact or of a kit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_flag, as_float, as_path, as_text
from maskc.artifact.container import encode
from maskc.artifact.model import Contents, examples_of
from maskc.artifact.sections import is_general, is_link, is_schema
from maskc.artifact.starts import find_start, read_start, starts_of
from maskc.errors import ArtifactError
from maskc.files import write_atomically
from maskc.runtime import Shared, made_once
from maskc.runtime.arguments import as_count, as_number
from maskc.runtime.batches import follow_examples
from maskc.runtime.cache import Budget
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.loading import KitLike, drop_tokens, leaves_tokens, load_contents, open_table
from maskc.runtime.machine import Machine
from maskc.runtime.matcher import Matcher
from maskc.runtime.pool import MaskPool
from maskc.runtime.step_budget import USUAL_STEPS
from maskc.runtime.vocabulary import TOKEN_ARRAYS, TokenTable, share_tokens

if TYPE_CHECKING:
    from maskc.runtime.budget import Endings
    from maskc.runtime.holes import Binder, Bound, Given

DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
_MOST_READY = 512  # masks


class Compiled(Shared):
    """A language of texts over a vocabulary, ready to make matchers.

    ``copy.copy`` and ``copy.deepcopy`` return it itself, and it is not pickled.

    Attributes:
        machine: the machine that all its matchers share.
        table: the tokens.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
    """

    pickle_remedy = "send what it was made of, and make it there"

    machine: Machine[Any]

    def __init__(
        self, machine: Machine[Any] | None, table: TokenTable, eos_ids: tuple[int, ...]
    ) -> None:
        # A class that opens its machine when it is first asked for gives none.
        if machine is not None:
            self.machine = machine
        self.table = table
        self.vocab_size, self.eos_ids, self.ends = table.vocab_size, eos_ids, frozenset(eos_ids)

    @made_once
    def endings(self) -> Endings:
        """What is known of how few tokens finish its texts; made when it is first asked for."""
        from maskc.runtime.budget import endings_of

        return endings_of(self.machine, self.table.index, self.ends)

    def check_own_tokens(self) -> None:
        """Check that its texts can be limited to the tokenizer's own tokens.

        Raises:
            SpellingError: they cannot.
        """

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text.

        Of a kit's constraint, its methods raise a ``LimitError`` where a text can be read in too
        many ways at once, or a pattern needs too many states; the matcher stays as it was.
        """
        return Matcher(self, self.machine.start())

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number so far, by number; they cannot be written to.

        Numbers are given in the order in which masks are first needed, by all matchers of this
        artifact or of a kit's constraints, and never again: rows are added, and those that are
        there stay as they are.

        Args:
            first: leave out the masks with smaller numbers.

        Returns:
            int32[number of masks - first, ceil(vocab_size / 32)]; no rows if there are fewer.

        Raises:
            TypeError: ``first`` is no integer.
            ValueError: it is less than 0.
        """
        return self.machine.pool.table(as_count("first", first))


class Artifact(Compiled):
    """A grammar compiled for a vocabulary. Immutable; make one matcher for each sequence.

    ``copy.copy`` and ``copy.deepcopy`` return it itself; it is saved to a file, and not pickled.

    Attributes:
        header: what the artifact says about itself.
        tokens: the vocabulary, which all artifacts and kits of the process share.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
        budget: what its matchers remember is charged to.
        starts: the start symbols that it was compiled for, the first one first; none if it was
            made from no grammar.
    """

    pickle_remedy = "send the path of its file, and maskc.load it there"

    def __init__(
        self,
        contents: Contents,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        steps: int = USUAL_STEPS,
    ) -> None:
        self.tokens = share_tokens(*(contents.arrays[name] for name in TOKEN_ARRAYS))
        arrays = {**contents.arrays, **self.tokens.arrays}
        self.contents = Contents(contents.header, arrays, contents.made)
        self.header = contents.header
        super().__init__(None, self.tokens, tuple(contents.header["tokenizer"]["eos_ids"]))
        self.starts = starts_of(contents.header)
        self._parts: dict[int, Artifact] = {}
        self._cache_bytes = as_count("cache_bytes", cache_bytes)
        self._steps = as_count("steps", steps)
        self.budget = Budget(self._cache_bytes * 3 // 8)

    @made_once
    def machine(self) -> Machine[Any]:
        """The machine that all matchers share."""
        budget = self.budget
        # About as many masks are needed by the first few thousand tokens.
        n_ready = min(_MOST_READY, len(self.contents.arrays.get("union_base", ())) // 4)
        pool = MaskPool(
            self.vocab_size,
            self.eos_ids,
            self._cache_bytes,
            steps=self._steps,
            budget=budget,
            n_ready=n_ready,
        )
        return self.open_machine(budget, pool)

    def open_machine(self, budget: Budget, pool: MaskPool) -> Machine[Any]:
        """Return a machine of its own for others, who say what it may remember, and where.

        Args:
            budget: what cached results are charged to.
            pool: the distinct masks, of the same vocabulary.
        """
        return _machine_of(self.header)(self.contents, self.token_bytes, budget, pool)

    @property
    def remembered_bytes(self) -> int:
        """About how much memory its matchers take for what they remember, all together.

        It is of the first start symbol: the others have memories of their own.
        """
        pool = self.machine.pool
        n_bytes = pool.n_bytes + self.budget.n_bytes
        return n_bytes + (0 if pool.endings is None else int(pool.endings.n_bytes))

    def token_bytes(self, token_id: int) -> bytes | None:
        """Return a token's bytes, ``None`` for special tokens and padding.

        Raises:
            TypeError: it is no integer.
        """
        return self.tokens.text_of(
            token_id if type(token_id) is int else as_number("a token", token_id)
        )

    def is_text(self, token_id: int) -> bool:
        """Whether a token has bytes; False for an id that is none.

        Raises:
            TypeError: it is no integer.
        """
        token_id = as_number("a token", token_id)
        return 0 <= token_id < self.vocab_size and self.token_bytes(token_id) is not None

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the tokens that the arrays hold, whatever the header claims."""
        return self.tokens.fingerprint(self.eos_ids)

    @made_once
    def content_hash(self) -> str:
        """SHA-256, in hexadecimal, of all that the artifact holds: the checksum of its file.

        It is worked out from what is in memory, and takes as long as saving.
        """
        return encode(*self._stored())[-32:].hex()

    def for_start(self, start: str | None) -> Artifact:
        """Return the artifact of one start symbol; ``None`` is the first one, which is this.

        It remembers masks of its own, within as many bytes as this one may.

        Raises:
            ArtifactError: the artifact was not compiled for that start symbol.
        """
        number = 0
        if start is not None:
            number = find_start(self.header, as_text("a start symbol", start))
        if number == 0:
            return self
        part = self._parts.get(number)
        if part is None:
            contents = read_start(self.contents, number)
            made = Artifact(contents, cache_bytes=self._cache_bytes, steps=self._steps)
            # Of two threads that make it at once, all get what the first one made.
            part = self._parts.setdefault(number, made)
        return part

    def bind(self, **holes: Given) -> Bound:
        """Return the artifact with terminals narrowed: each of their lexemes is one of some words.

        Args:
            holes: by the terminal's name the words, or a pattern of
                :func:`maskc.compile_pattern` that matches them as a whole.

        Raises:
            HoleError: a terminal cannot be narrowed, or to none of these words.
            TypeError: what is given for a terminal is neither words nor a pattern.
            UnknownSymbolError: the grammar has no such terminal.
        """
        return self.binder.bind(holes)

    @made_once
    def binder(self) -> Binder:
        """What narrows its terminals."""
        from maskc.runtime.holes import Binder

        return Binder(self, self.budget)

    def matcher(self, *, start: str | None = None, **holes: Given) -> Matcher:
        """Return a matcher at the start of the text.

        Args:
            start: one of the start symbols; default: the first.
            holes: terminals that are narrowed, see :meth:`bind`.

        Raises:
            ArtifactError: the artifact was not compiled for that start symbol.
            HoleError, TypeError, UnknownSymbolError: as :meth:`bind`.
        """
        if start is not None and self.for_start(start) is not self:
            return self.for_start(start).matcher(start=None, **holes)
        if holes:
            return self.bind(**holes).matcher()
        return Matcher(self, self.machine.start())

    def prepare(self, examples: Iterable[Iterable[int]] | None = None, *, seconds: float) -> int:
        """Follow texts ahead, so that fills and tokens of texts like them find their work done.

        No mask changes by it, and what is remembered stays within ``cache_bytes``. Matchers may be
        used meanwhile.

        Args:
            examples: token ids of texts from their start, the likeliest first. What comes after an
                illegal token is left out. ``None``: those that the artifact has; that of a JSON
                Schema or of tools has some.
            seconds: how long it may take; one token more may be followed after that.

        Returns:
            how many tokens were followed.

        Raises:
            LimitError: a text asks too much for one mask, see :func:`load`.
            TypeError: a token is no integer.
        """
        until = as_float("seconds", seconds)
        if examples is None:
            examples = examples_of(self.contents)
        return follow_examples(self.matcher, self.vocab_size, examples, until)

    def __repr__(self) -> str:
        grammar, tokenizer = self.header.get("grammar"), self.header["tokenizer"]
        name = grammar.get("name") if isinstance(grammar, dict) else self.header.get("kind")
        return f"<maskc.Artifact of {str(name)[:60]} for {str(tokenizer.get('name'))[:60]}>"

    def save(self, path: str | os.PathLike[str], *, kit: KitLike | None = None) -> None:
        """Write the artifact: to a temporary file beside ``path``, then renamed.

        Args:
            path: of the file.
            kit: the kit of the artifact's tokenizer, or its path: the file then leaves the
                vocabulary to it, and can be loaded only where the kit is.

        Raises:
            ArtifactError: the kit is none, or is for another tokenizer.
            OutputError: the folder cannot be written to.
        """
        name = as_path("what an artifact is saved to", path)
        if kit is None:
            header, arrays = self._stored()
        else:
            self._check_kit(kit)
            header, arrays = drop_tokens(self.header, self.contents.arrays)
        write_atomically(name, encode(header, arrays))

    def _check_kit(self, kit: KitLike) -> None:
        if open_table(kit).fingerprint(self.eos_ids) != self.fingerprint:
            raise ArtifactError(
                str(kit) if isinstance(kit, str | os.PathLike) else "<kit>",
                "is a kit for another tokenizer than the artifact's",
                "give the kit of the tokenizer that the artifact is for",
            )

    def _stored(self) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]]:
        """Return header and arrays as the artifact's file has them."""
        if leaves_tokens(self.header):
            return drop_tokens(self.header, self.contents.arrays)
        return self.header, self.contents.arrays


def load(
    path: str | os.PathLike[str],
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    mapped: bool = True,
    kit: KitLike | None = None,
    steps: int = USUAL_STEPS,
) -> Artifact:
    """Return an artifact from a file, checked.

    Args:
        path: of a file that ``maskc compile`` or :meth:`Artifact.save` wrote.
        cache_bytes: how much memory the artifact's matchers may take for what they remember, all
            together, beside the artifact itself and their stacks: half of it for masks that have a
            number, an eighth for other masks, the rest for what tokens did to which stacks. With
            0 nothing is remembered, and no mask has a number.
        mapped: leave the contents in the file, so that processes share its pages. The file must
            then be replaced by renaming and never written to: who writes into it changes the
            masks, or ends the process. False reads it into memory.
        kit: the kit to which the artifact leaves its vocabulary, or its path; default: one that is
            open, or one in the artifact's folder. An artifact that has its vocabulary needs none.
        steps: how much may be looked at for one mask, and to read one token; a step takes one to
            two microseconds. Beyond it the matcher raises a ``LimitError`` and stays as it was. Of
            an LALR grammar only what restricts its terminals counts: the rest is bounded when it is
            compiled.

    Raises:
        ArtifactError: it is not an artifact, damaged, of another format version, or its kit is not
            there.
        TypeError: ``cache_bytes`` or ``steps`` is no integer.
        ValueError: it is less than 0.
    """
    as_count("cache_bytes", cache_bytes)
    as_count("steps", steps)
    name, mapped = as_path("an artifact", path), as_flag("mapped", mapped)
    contents = load_contents(name, kit, mapped=mapped)
    return Artifact(contents, cache_bytes=cache_bytes, steps=steps)


def _machine_of(header: dict[str, Any]) -> Callable[..., Machine[Any]]:
    """Return what makes the machine of an artifact with this header; most need no other one."""
    if is_schema(header):
        from maskc.runtime.schema.opening import open_schema

        return open_schema
    if is_link(header):
        from maskc.runtime.link.plan import open_link

        return partial(open_link, open_grammar=open_grammar)
    if is_general(header):
        from maskc.runtime.glr import GlrMachine

        return GlrMachine
    return LalrMachine


def open_grammar(contents: Contents, budget: Budget, pool: MaskPool) -> Machine[Any]:
    """Return the machine of a grammar in a link, which remembers what it does with the link's."""
    return Artifact(contents).open_machine(budget, pool)
