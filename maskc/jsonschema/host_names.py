"""``idn-hostname`` and ``idn-email`` as automata, smaller than the standard's languages.

The length of a label in Punycode and its direction are no regular properties. These languages keep
the rules of RFC 5890 to 5893 by simple counts. A host name is one of two kinds:

- At most ten labels of ASCII with at most 24 characters.
- At most four labels of small letters. A label begins with a letter. It costs at most 50: a
  character of ASCII costs 1, another one 3 below U+0800 and 4 above. So its Punycode has at most 62
  octets (tests/laws/test_host_costs.py computes the worst case), and four labels at most 251. The
  letters of a label run in one direction; one that runs from right to left has no digits or marks.

No label has two hyphens side by side or one at an end. The characters are those of the Basic
Multilingual Plane in scripts of today that RFC 5892 permits without a rule of context. A text of
them is in NFC: a mark follows only marks of lesser combining classes, and a mark that would be
joined with the one before it may not follow it.

Example: ``почта.example`` is a host name, ``поч--та`` and ``l·l`` are none, though the standard
takes ``l·l``.

``WIDER`` has the pattern of a larger language for each name. Where a schema negates the format,
the strings outside of that one are meant, so each value is valid there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from maskc.formats.registry import EMAIL, HOST
from maskc.jsonschema.exploring import StateNumbers, explore_rows
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

# Letters by direction; marks: most, those with which a SECOND would be joined, and below those
# whose combining class is not 0, by it.
LEFT, RIGHT, MARK, FIRST, SECOND = "l", "r", "m", "f", "s"
# Ranges, with a step of two where a colon stands: Unicode 14, so all Pythons know the characters.
CHARACTERS = {
    LEFT: (
        "df-f6 f8-ff 101:131 135 137-138 13a:13e 142:148 14b:177 17a:180 183 185 188 18c-18d "
        "192 195 199-19b 19e 1a1:1a5 1a8 1aa-1ab 1ad 1b0 1b4 1b6 1b9-1bb 1bd-1c3 1ce:1da "
        "1dc-1dd 1df:1ed 1ef-1f0 1f5 1f9:231 233-239 23c 23f-240 242 247:24d 24f-2af 371 373 "
        "377 37b-37d 390 3ac-3ce 3d7:3ef 3f3 3f8 3fb-3fc 430-45f 461:481 48b:4bf 4c2:4cc "
        "4ce-4cf 4d1:52f 559 560-586 588 904-939 93d 950 960-961 966-96f 971-980 985-98c "
        "98f-990 993-9a8 9aa-9b0 9b2 9b6-9b9 9bd 9ce 9e0-9e1 9e6-9f1 9fc a05-a0a a0f-a10 "
        "a13-a28 a2a-a30 a32 a35 a38-a39 a5c a66-a6f a72-a74 a85-a8d a8f-a91 a93-aa8 aaa-ab0 "
        "ab2-ab3 ab5-ab9 abd ad0 ae0-ae1 ae6-aef af9 b05-b0c b0f-b10 b13-b28 b2a-b30 b32-b33 "
        "b35-b39 b3d b5f-b61 b66-b6f b71 b83 b85-b8a b8e-b90 b92-b95 b99-b9a b9c b9e-b9f "
        "ba3-ba4 ba8-baa bae-bb9 bd0 be6-bef c05-c0c c0e-c10 c12-c28 c2a-c39 c3d c58-c5a c5d "
        "c60-c61 c66-c6f c80 c85-c8c c8e-c90 c92-ca8 caa-cb3 cb5-cb9 cbd cdd-cde ce0-ce1 "
        "ce6-cef cf1-cf2 d04-d0c d0e-d10 d12-d3a d3d d4e d54-d56 d5f-d61 d66-d6f d7a-d7f "
        "d85-d96 d9a-db1 db3-dbb dbd dc0-dc6 de6-def e01-e30 e32 e40-e46 e50-e59 e81-e82 e84 "
        "e86-e8a e8c-ea3 ea5 ea7-eb0 eb2 ebd ec0-ec4 ec6 ed0-ed9 ede-edf f00 f0b f20-f29 "
        "f40-f42 f44-f47 f49-f4c f4e-f51 f53-f56 f58-f5b f5d-f68 f6a-f6c f88-f8c 1000-102a "
        "103f-1049 1050-1055 105a-105d 1061 1065-1066 106e-1070 1075-1081 108e 1090-1099 "
        "10d0-10fa 10fd-10ff 1200-1248 124a-124d 1250-1256 1258 125a-125d 1260-1288 128a-128d "
        "1290-12b0 12b2-12b5 12b8-12be 12c0 12c2-12c5 12c8-12d6 12d8-1310 1312-1315 1318-135a "
        "1380-138f 1780-17b3 17d7 17dc 17e0-17e9 1e01:1e93 1e95-1e99 1e9c-1e9d 1e9f:1efd "
        "1eff-1f07 1f10-1f15 1f20-1f27 1f30-1f37 1f40-1f45 1f50-1f57 1f60-1f67 1f70:1f7c "
        "1fb0-1fb1 1fb6 1fc6 1fd0-1fd2 1fd6-1fd7 1fe0-1fe2 1fe4-1fe7 1ff6 3005-3007 303c "
        "3041-3096 309d-309e 30a1-30fa 30fc-30fe 3105-312f 3400-4dbf 4e00-9fff ac00-d7a3"
    ),
    RIGHT: "5d0-5ea 620-63f 641-64a 66e-66f 671-674 679-6d3 6d5 6e5-6e6 6ee-6ef 6fa-6ff",
    MARK: (
        "900-903 93a-93b 93e-94c 94e-94f 955-957 962-963 981-983 9bf-9c4 9c8 9cb-9cc 9e2-9e3 "
        "a01-a03 a3e-a42 a47-a48 a4b-a4c a51 a70-a71 a75 a81-a83 abe-ac5 ac7-ac9 acb-acc "
        "ae2-ae3 afa-aff b01-b03 b3f-b44 b48 b4b-b4c b55 b62-b63 b82 bbf-bc2 bc8 bca-bcc "
        "c00-c04 c3e-c44 c46-c48 c4a-c4c c62-c63 c81-c83 cbe cc0-cc1 cc3-cc4 cc7-cc8 ccb-ccc "
        "ce2-ce3 d00-d03 d3f-d44 d48 d4a-d4c d62-d63 d81-d83 dd0-dd4 dd6 dd8 dda-dde df2-df3 "
        "e31 e34-e37 e47 e4c-e4e eb1 eb4-eb7 ebb-ebc ecc-ecd f3e-f3f f7e-f7f f8d-f92 f94-f97 "
        "f99-f9c f9e-fa1 fa3-fa6 fa8-fab fad-fb8 fba-fbc 102b-102d 102f-1036 1038 103b-103e "
        "1056-1059 105e-1060 1062-1064 1067-106d 1071-1074 1082-108c 108f 109a-109d 17b6-17d1 "
        "17d3"
    ),
    FIRST: "9c7 b47 bc6-bc7 cbf cc6 cca d46-d47 dd9",
    SECOND: "9be 9d7 b3e b56-b57 bbe cc2 cd5-cd6 d3e d57 dcf ddf",
    "7": "9bc a3c abc b3c c3c cbc 1037",
    "9": "94d 9cd a4d acd b4d bcd c4d ccd d3b-d3c d4d e3a eba f84 1039-103a 17d2",
    "103": "e38-e39",
    "107": "e48-e4b",
    "118": "eb8-eb9",
    "122": "ec8-ecb",
}
_DIGIT, _CAPITAL, _HYPHEN, _DOT, _AT, _ATOM, _OTHER = "0", "C", "-", ".", "@", "=", ""
_ATOMS = "!#$%&'*+/=?^_`{|}~"
_COMBINING = tuple(name for name in CHARACTERS if name.isdigit())
_MARKS = frozenset([MARK, FIRST, SECOND, *_COMBINING])
_COSTS = (1, 3, 4, 4)  # of a character, by its octets
MOST_COST, _MOST_LABELS = 50, 4
_MOST_ASCII, _MOST_ASCII_LABELS = 24, 10
_MOST_LOCAL = 64  # octets
WIDER = {HOST: r"^[a-zA-Z0-9.\-\u{80}-\u{10ffff}]+$", EMAIL: "@"}


class LetterClass(NamedTuple):
    """A class of characters, what one costs in a label, and its octets in UTF-8."""

    name: str
    cost: int
    n_octets: int


class CostedLabel(NamedTuple):
    """What was read of a host name: the labels before, and the label under way.

    ``last`` is the class of its last character: that of letters stands for all after which any
    mark may come, and ends with a hyphen after one.
    """

    n_before: int = 0
    cost: int = 0
    last: str = ""

    @property
    def may_end(self) -> bool:
        return self.last != "" and self.last[-1] != _HYPHEN


# As a host name of ASCII, and as one of four labels; ``None`` where it is none.
Host = tuple[CostedLabel | None, CostedLabel | None]
_BEGIN: Host = (CostedLabel(), CostedLabel())


class LocalPart(NamedTuple):
    """What stands before the @ of an address: octets, and whether a character must come."""

    n_octets: int = 0
    is_open: bool = True


def kinds() -> dict[int, LetterClass]:
    """Return the kind of each range of characters by its first one, ascending."""
    names = dict.fromkeys((0, 0x80, 0x800, 0x10000), _OTHER)
    found = [(ord(c), ord(c), c) for c in (_HYPHEN, _DOT, _AT)]
    found += [(ord(c), ord(c), _ATOM) for c in _ATOMS]
    found += [(ord("0"), ord("9"), _DIGIT), (ord("A"), ord("Z"), _CAPITAL)]
    found += [(ord("a"), ord("z"), LEFT), *_read_ranges()]
    for _, high, _ in found:
        names.setdefault(high + 1, _OTHER)
    names |= {low: name for low, _, name in found}
    return {low: _kind(low, names[low]) for low in sorted(names)}


def _read_ranges() -> Iterator[tuple[int, int, str]]:
    for name, text in CHARACTERS.items():
        for part in text.split():
            if ":" in part:
                low, high = (int(end, 16) for end in part.split(":"))
                yield from ((code, code, name) for code in range(low, high + 1, 2))
            else:
                first, _, last = part.partition("-")
                yield int(first, 16), int(last or first, 16), name


def _kind(code: int, name: str) -> LetterClass:
    n_octets = len(chr(code).encode())
    return LetterClass(name, _COSTS[n_octets - 1], n_octets)


def _after_ascii(last: str, kind: LetterClass) -> str | None:
    """Return the class after one more character of a label of ASCII, ``None`` if none begins so."""
    if kind.n_octets > 1:
        return None
    if kind.name == _HYPHEN:
        return LEFT + _HYPHEN if last == LEFT else None
    return LEFT if kind.name in (LEFT, _CAPITAL, _DIGIT) else None


def _after(last: str, kind: LetterClass) -> str | None:
    """Return the class after one more character of another label."""
    name, is_right = kind.name, last[:1] == RIGHT
    if name in (LEFT, RIGHT):
        return name if not last or is_right == (name == RIGHT) else None
    if not last or name == last[-1] == _HYPHEN:
        return None
    if name == _HYPHEN:
        return (RIGHT if is_right else LEFT) + _HYPHEN
    if is_right or name not in _MARKS:
        return LEFT if name == _DIGIT and not is_right else None
    if last[-1] == _HYPHEN or name == SECOND and last == FIRST:
        return None
    if name not in _COMBINING:
        return FIRST if name == FIRST else LEFT
    return name if last not in _COMBINING or int(last) < int(name) else None


class _Names:
    """Steps host names of one kind.

    Args:
        kinds: of the columns.
        after: the class of a label's last character and the next one → the class after it.
        most: what a label costs.
    """

    def __init__(
        self,
        kinds: Sequence[LetterClass],
        after: Callable[[str, LetterClass], str | None],
        *,
        most: int,
        most_labels: int,
    ) -> None:
        self._kinds, self._after = kinds, after
        self._most, self._most_labels = most, most_labels
        self._dot = next(n for n, kind in enumerate(kinds) if kind.name == _DOT)
        self._known: dict[str, list[tuple[int, int, str]]] = {}

    def row(self, label: CostedLabel | None) -> dict[int, CostedLabel]:
        """Return the labels after each column after which there is one."""
        if label is None:
            return {}
        n_before, cost, last = label
        found = {
            column: CostedLabel(n_before, cost + more, after)
            for column, more, after in self._moves(last)
            if cost + more <= self._most
        }
        if label.may_end and n_before + 1 < self._most_labels:
            found[self._dot] = CostedLabel(n_before + 1)
        return found

    def _moves(self, last: str) -> list[tuple[int, int, str]]:
        if last not in self._known:
            made = ((n, kind.cost, self._after(last, kind)) for n, kind in enumerate(self._kinds))
            self._known[last] = [(n, cost, after) for n, cost, after in made if after is not None]
        return self._known[last]


def _follow_local(local: LocalPart, kind: LetterClass) -> LocalPart | Host | None:
    if kind.name == _AT:
        return None if local.is_open else _BEGIN
    n_octets = local.n_octets + kind.n_octets
    if n_octets > _MOST_LOCAL or kind.name == _OTHER and kind.n_octets == 1:
        return None
    return None if kind.name == _DOT and local.is_open else LocalPart(n_octets, kind.name == _DOT)


def build_names(name: str) -> CharDfa:
    """Return the automaton of idn-hostname or idn-email."""
    is_email = name == EMAIL
    found = kinds()
    columns = {kind: n for n, kind in enumerate(dict.fromkeys(found.values()))}
    plain = _Names(list(columns), _after_ascii, most=_MOST_ASCII, most_labels=_MOST_ASCII_LABELS)
    mixed = _Names(list(columns), _after, most=MOST_COST, most_labels=_MOST_LABELS)

    def follow(state: LocalPart | Host, numbers: StateNumbers) -> list[int]:
        if isinstance(state, LocalPart):
            return numbers.row([_follow_local(state, kind) for kind in columns])
        rows = plain.row(state[0]), mixed.row(state[1])
        after = [(rows[0].get(n), rows[1].get(n)) for n in range(len(columns))]
        return numbers.row([host if any(host) else None for host in after])

    def label(state: LocalPart | Host) -> int:
        is_host = not isinstance(state, LocalPart) and any(name and name.may_end for name in state)
        return 0 if is_host else NO_LABEL

    begin = LocalPart() if is_email else _BEGIN
    starts, of_range = list(found), [columns[kind] for kind in found.values()]
    return explore_rows(starts, of_range, len(columns), begin, follow, label, 1)
