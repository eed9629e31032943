"""One sequence being generated: which tokens are legal next, and taking them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_text, check_callable
from maskc.errors import WrongTypeError, WrongValueError
from maskc.runtime.arguments import WORD, as_bytes, as_count, as_number, as_row, check_bitmask
from maskc.runtime.forced import Encode, find_forced_bytes, keep_stable
from maskc.runtime.machine import Hypotheses, may_end_with, take_again, take_all
from maskc.runtime.step_budget import one_mask
from maskc.runtime.undo import UndoLog

if TYPE_CHECKING:
    from maskc.runtime.artifact import Compiled
    from maskc.runtime.budget import Completion
    from maskc.runtime.budget.completions import Point

_HALF = "has half of a surrogate pair, which has no UTF-8; leave it out"
# Of a matcher that has filled no bitmask.
_NO_BITMASK: ref[NDArray[np.int32]] = ref(np.zeros((0, 0), dtype=np.int32))


class Matcher:
    """The state of one sequence.

    No integer given as a token raises, and no illegal one changes anything. What is no
    integer is a ``TypeError``, and changes nothing either; NumPy's integers are integers.

    ``copy.copy`` and ``copy.deepcopy`` are :meth:`fork`; a matcher is not pickled.
    """

    __slots__ = (
        "_artifact",
        "_ends",
        "_filled",
        "_hypotheses",
        "_is_exact",
        "_machine",
        "_n_words",
        "_point",
        "_terminated",
        "_undo",
    )

    def __init__(
        self, artifact: Compiled, hypotheses: Hypotheses, undo: UndoLog | None = None
    ) -> None:
        self._artifact = artifact
        self._hypotheses = hypotheses
        self._terminated = False
        # Of the artifact, where they are read without a detour.
        self._machine, self._ends = artifact.machine, artifact.ends
        self._n_words = -(-artifact.vocab_size // 32)
        # The bitmask that was checked last: engines fill the same one again and again.
        self._filled = _NO_BITMASK
        # One entry a token: the state before it.
        self._undo = UndoLog() if undo is None else undo
        # Of the last mask with a budget: where the text was, and whether it is the plain one.
        self._point: Point | None = None
        self._is_exact = True

    def fill_bitmask(
        self, bitmask: NDArray[np.int32], row: int, *, tokens_left: int | None = None
    ) -> None:
        """Write the legal tokens into one row.

        Args:
            bitmask: int32[batch, ceil(vocab_size / 32)], C-contiguous, aligned, written to.
            row: which row.
            tokens_left: how many tokens may still come, this one and the end of sequence included:
                only tokens after which a text is known that finishes it in those that are left are
                legal, and :attr:`is_exact` is False if some others are. ``None``: any number.

        A terminated sequence allows its end-of-sequence tokens, and nothing else.

        Raises:
            LimitError: it takes too many steps to find a text that finishes this one; nothing is
                written.
            TokensLeftError: no text is known that finishes this one in so many tokens; nothing is
                written. It does not happen if the mask before had one more token left.
            TypeError: ``bitmask`` is no such array, or a number no integer; nothing is written.
            ValueError: ``bitmask`` has another shape, is strided, unaligned or read-only, there is
                no such row, or ``tokens_left`` is less than 0; nothing is written.
        """
        # A checked array is looked at again, as its type and dimensions can be set in place.
        if (
            type(row) is not int
            or row < 0
            or bitmask is not self._filled()
            # So is a reference to an array that is gone.
            or bitmask is None  # type: ignore[redundant-expr]
            or bitmask.dtype is not WORD
            or bitmask.ndim != 2
        ):
            row = self._check_row(bitmask, row)
        hypotheses = self._hypotheses
        if tokens_left is not None:
            data = self._words_within(tokens_left).data
        elif len(hypotheses) == 1 and not self._terminated:
            data = self._machine.mask(hypotheses[0]).data
        else:
            data = self._words().data
        try:
            # NumPy's copy lets go of the interpreter's lock, and a thread that computes has it for
            # 5 ms then; this one keeps it.
            bitmask[row].data[:] = data
        except IndexError:
            as_row(row, bitmask)
            raise
        except (TypeError, ValueError):
            # Changed in place since it was checked, or int32 by another of C's names.
            row = self._check_row(bitmask, row)
            bitmask[row] = np.asarray(data)

    @property
    def is_exact(self) -> bool:
        """Whether the last mask that was asked for with ``tokens_left`` was the plain one.

        True before there was one.
        """
        return self._is_exact

    def shortest_completion(self) -> Completion:
        """Return tokens that finish the text, few of them, the end of sequence last.

        Returns:
            the ids; none if the text is over: an end of sequence was accepted.

        Raises:
            LimitError: it takes too many steps to find some.
            TokensLeftError: none are known; ``needed`` is ``None``.
        """
        from maskc.runtime.budget import Completion

        if self._terminated:
            return Completion([])
        return self._artifact.endings.completion(self._find_point())

    def mask_id(self) -> int:
        """Return the number of the mask that :meth:`fill_bitmask` would write.

        It is the mask's row in :meth:`Artifact.mask_table`, and stays so. -1: the mask has no
        number, since those that came before it take half of the artifact's ``cache_bytes``; it
        is composed as before, and has to be filled.
        """
        machine = self._machine
        if self._terminated:
            return machine.pool.end_only.number
        return machine.mask_numbers((self._hypotheses,))[0]

    def accept_token(self, token_id: int) -> bool:
        """Take a token; return False, and change nothing, if it is illegal.

        Raises:
            TypeError: it is no integer; nothing is changed.
        """
        if type(token_id) is not int:
            token_id = as_number("a token", token_id)
        if self._terminated:
            return False
        here = self._hypotheses
        if token_id in self._ends:
            if not may_end_with(self._machine, self._ends, here, token_id):
                return False
            self._undo.append(here, token_id)
            self._terminated = True
            return True
        after = self._machine.take(here, token_id)
        if not after:
            return False
        self._undo.append(here, token_id)
        self._hypotheses = after
        return True

    def accept_tokens(self, token_ids: Iterable[int]) -> int:
        """Take tokens up to the first illegal one; return how many were taken.

        What follows the first illegal one is not read. Nothing is taken if reading raises.

        Raises:
            TypeError: one that was read is no integer; nothing is changed.
        """
        before, after, terminated = self._take_all(token_ids)
        for hypotheses, token_id in before:
            self._undo.append(hypotheses, token_id)
        self._hypotheses, self._terminated = after, terminated
        return len(before)

    def validate_tokens(self, token_ids: Iterable[int]) -> int:
        """Return how many of the tokens :meth:`accept_tokens` would take; change nothing.

        Raises:
            TypeError: one that was read is no integer.
        """
        return len(self._take_all(token_ids)[0])

    def accept_bytes(self, data: bytes | bytearray | memoryview) -> bool:
        """Take bytes as if they were one token; return False, and change nothing, if illegal.

        Raises:
            TypeError: it is a text, or anything else but bytes; nothing is changed.
        """
        text = data if type(data) is bytes else as_bytes(data)
        if self._terminated:
            return False
        after = self._machine.step(self._hypotheses, text) if text else self._hypotheses
        if not after:
            return False
        self._undo.append(self._hypotheses, text)
        self._hypotheses = after
        return True

    def accept_text(self, text: str) -> bool:
        """Take a text as if it were one token; return False, and change nothing, if illegal.

        Raises:
            TypeError: it is not a text; nothing is changed.
            ValueError: it has half of a surrogate pair; nothing is changed.
        """
        try:
            return self.accept_bytes(as_text("a text", text).encode())
        except UnicodeEncodeError:
            raise WrongValueError(f"a text {_HALF}") from None

    def legal_tokens(self) -> NDArray[np.intp]:
        """Return the ids of the tokens that :meth:`fill_bitmask` would write as legal.

        It is for looking at: an engine wants the bitmask.

        Returns:
            intp[number of legal tokens], in increasing order.
        """
        bits = np.unpackbits(self._words().view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    def __repr__(self) -> str:
        state = "terminated" if self._terminated else f"{self._undo.n_states} tokens accepted"
        return f"<maskc.Matcher of {self._artifact!r}: {state}>"

    def rollback(self, n: int) -> None:
        """Forget the last ``n`` accepted tokens, an end of sequence included.

        The last 65,536 can be forgotten, whatever came before them: a long text's matcher does not
        grow with it.

        Raises:
            TypeError: it is no integer.
            ValueError: fewer than ``n`` were accepted since the start, or are remembered.
        """
        n_back = n if type(n) is int else as_number("n", n)
        n_states = self._undo.n_states
        if not 0 <= n_back <= n_states:
            raise WrongValueError(f"cannot roll back {n_back} of {n_states} accepted tokens")
        if n_back:
            self._hypotheses = self._undo.back(n_back, self._retake)
            self._terminated = False

    def fork(self) -> Self:
        """Return an independent matcher in the same state."""
        copy = type(self)(self._artifact, self._hypotheses, self._undo.fork())
        # Private, but of its own class.
        copy._terminated = self._terminated  # noqa: SLF001
        copy._point, copy._is_exact = self._point, self._is_exact  # noqa: SLF001
        return copy

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise WrongTypeError(
            "a matcher is not pickled, as it shares its artifact's tables; send the token ids, "
            "and accept them in a matcher of the artifact that is loaded there"
        )

    def reset(self) -> None:
        """Go back to the start of the text."""
        self._hypotheses = self._machine.start()
        self._terminated = False
        self._undo = UndoLog()

    @property
    def is_accepting(self) -> bool:
        """Whether an end-of-sequence token is legal now."""
        machine = self._machine
        return not self._terminated and any(machine.may_end(h) for h in self._hypotheses)

    @property
    def is_terminated(self) -> bool:
        """Whether an end-of-sequence token was accepted."""
        return self._terminated

    def configuration(self) -> Hashable:
        """Return all that the future depends on: equal for two matchers iff no text tells.

        It takes time in proportion to the depth of what is open.
        """
        return (self._terminated, *map(self._machine.describe, self._hypotheses))

    def forced_bytes(self) -> bytes:
        """Return the bytes that every way to go on begins with; empty if there is a choice."""
        if self._terminated:
            return b""
        return find_forced_bytes(self._machine, self._hypotheses, self._artifact.table)

    def forced_tokens(self, encode: Encode, *, before: str = "") -> list[int]:
        """Return tokens that may be appended without asking the model.

        They are those that the tokenizer itself writes for :meth:`forced_bytes`, as far as they
        are the same for every text that follows. All are legal, and no end of sequence is among
        them; nothing is accepted.

        Args:
            encode: the tokenizer: text to ids, without special tokens, as
                ``maskc.vocab.load_encoder("llama3").encode`` or, of transformers,
                ``partial(tokenizer.encode, add_special_tokens=False)``. If its ids do not write
                the text byte for byte, no token is returned.
            before: the text so far, or its end from where the tokenizer begins a new token in
                any case: what precedes a text can change how it is cut.

        Raises:
            TypeError: ``before`` is not a text.
        """
        try:
            as_text("before", before).encode()
        except UnicodeEncodeError:
            raise WrongValueError(f"before {_HALF}") from None
        check_callable("encode", encode)
        forced = self.forced_bytes()
        if not forced:
            return []
        return keep_stable(forced, before, encode, self._artifact.table.token_texts)

    def _take_all(
        self, token_ids: Iterable[int]
    ) -> tuple[list[tuple[Hypotheses, int]], Hypotheses, bool]:
        """Return what tokens would do, see :func:`take_all`."""
        return take_all(
            self._machine, self._ends, self._hypotheses, token_ids, terminated=self._terminated
        )

    def _retake(self, here: Hypotheses, taken: Sequence[int | bytes]) -> list[Hypotheses]:
        """Return hypotheses, and those after each of what was taken there before."""
        return take_again(self._machine, here, taken)

    def _words(self) -> NDArray[np.int32]:
        """Return the mask, not to be written to."""
        machine = self._machine
        if self._terminated:
            return machine.pool.end_only.words
        if len(self._hypotheses) == 1:
            return machine.mask(self._hypotheses[0]).words
        with one_mask(machine.pool.steps):
            return machine.pool.unite(map(machine.mask, self._hypotheses)).words

    def _words_within(self, tokens_left: int) -> NDArray[np.int32]:
        """Return the mask of the tokens that leave enough of a budget, not to be written to."""
        n_left = tokens_left
        if type(n_left) is not int or n_left < 0:
            n_left = as_count("tokens_left", tokens_left)
        if self._terminated:
            return self._machine.pool.end_only.words
        point = self._find_point(n_left)
        words = self._artifact.endings.mask(point, n_left)
        self._point, self._is_exact = point, words is None
        return self._words() if words is None else words

    def _find_point(self, tokens_left: int | None = None) -> Point:
        return self._artifact.endings.point(self._plain(), self._point, tokens_left)

    def _plain(self) -> Hypotheses:
        """Return the hypotheses as the artifact's own machine has them."""
        return self._hypotheses

    def _check_row(self, bitmask: NDArray[np.int32], row: int) -> int:
        """Return the number of a row that can be written to, and remember its bitmask."""
        check_bitmask(bitmask, self._n_words)
        number = as_row(row, bitmask)
        # A mask of one word would fit into rows of any width.
        if self._n_words > 1:
            self._filled = ref(bitmask)
        return number
