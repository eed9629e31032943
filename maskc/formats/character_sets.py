r"""Sets of characters that formats tell apart: those of patterns, and letters of host names.

In ``(?<name>…)`` of ECMA-262 may stand ID_Start, ``$`` and ``_`` anywhere, ID_Continue and the two
joiners after the first character, as UAX #31 derives them, of the Unicode that Python has. In
``\p{…}`` stand ``Lu``, ``gc=Lu``, ``Script=Greek`` and ``Alphabetic``, but not ``Greek``.

``idn-hostname`` and ``idn-email`` tell letters apart by direction, marks by what may follow them,
and characters by what one costs in a label. Their automata (:mod:`maskc.jsonschema.host_names`)
read characters by these classes, and vocabularies are folded by them
(:mod:`maskc.runtime.schema.scans.class_tries`).

Source: ECMA-262, 15th edition, 22.2.1 (RegExpIdentifierName) and tables 67 to 69, and the values of
General_Category and Script in Unicode 14.0.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

_STARTS = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Nl"])
_CONTINUES = _STARTS | {"Mn", "Mc", "Nd", "Pc"}
# $, _, and Other_ID_Start; Pattern_Syntax among letters.
_MORE_STARTS = frozenset([0x24, 0x5F, 0x1885, 0x1886, 0x2118, 0x212E, 0x309B, 0x309C])
_SYNTAX = 0x2E2F
# The joiners, and Other_ID_Continue.
_MORE_CONTINUES = _MORE_STARTS | {0x200C, 0x200D, 0xB7, 0x387, *range(0x1369, 0x1372), 0x19DA}


@lru_cache(maxsize=2)
def _ranges(*, is_first: bool) -> tuple[list[int], list[int]]:
    """Return the first and the last characters of ranges, ascending."""
    categories, more = (_STARTS, _MORE_STARTS) if is_first else (_CONTINUES, _MORE_CONTINUES)
    pairs = ranges_of_categories(categories, more, without=_SYNTAX)
    return [first for first, _ in pairs], [last for _, last in pairs]


def ranges_of_categories(
    categories: frozenset[str], more: Iterable[int] = (), without: int | None = None
) -> list[tuple[int, int]]:
    """Return the ranges of the characters of some categories and more, but for one."""
    # A byte for each character, without a step of Python's: there are 1,114,112.
    of_each = map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))
    stands = bytearray(map(categories.__contains__, of_each))
    for code in more:
        stands[code] = True
    if without is not None:
        stands[without] = False
    return [(run.start(), run.end() - 1) for run in re.finditer(rb"\x01+", stands)]


@lru_cache(maxsize=2)
def name_ranges(*, is_first: bool) -> tuple[tuple[str, str], ...]:
    """Return ASCII, and ranges of the other characters that may stand in a name."""
    firsts, lasts = _ranges(is_first=is_first)
    pairs = zip(map(chr, firsts), map(chr, lasts), strict=True)
    return (("\0", "\x7f"), *(pair for pair in pairs if pair[0] > "\x7f"))


def has_identifier(low: int, high: int, *, is_first: bool) -> bool:
    """Return whether some character from ``low`` to ``high`` may stand in a name.

    >>> has_identifier(0x30, 0x39, is_first=False), has_identifier(0x30, 0x39, is_first=True)
    (True, False)
    """
    firsts, lasts = _ranges(is_first=is_first)
    at = bisect_right(firsts, high) - 1
    return at >= 0 and lasts[at] >= low


_CATEGORIES = """
L Letter Lu Uppercase_Letter Ll Lowercase_Letter Lt Titlecase_Letter LC Cased_Letter Lm
Modifier_Letter Lo Other_Letter M Mark Combining_Mark Mn Nonspacing_Mark Mc Spacing_Mark Me
Enclosing_Mark N Number Nd Decimal_Number digit Nl Letter_Number No Other_Number P Punctuation punct
Pc Connector_Punctuation Pd Dash_Punctuation Ps Open_Punctuation Pe Close_Punctuation Pi
Initial_Punctuation Pf Final_Punctuation Po Other_Punctuation S Symbol Sm Math_Symbol Sc
Currency_Symbol Sk Modifier_Symbol So Other_Symbol Z Separator Zs Space_Separator Zl Line_Separator
Zp Paragraph_Separator C Other Cc Control cntrl Cf Format Cs Surrogate Co Private_Use Cn Unassigned
"""
_BINARY = """
ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M
Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM
Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT
Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji
Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres
Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit
Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo
Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar
Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI
Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase
Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS
"""
_SCRIPTS = """
Adlam Adlm Ahom Ahom Anatolian_Hieroglyphs Hluw Arabic Arab Armenian Armn Avestan Avst Balinese Bali
Bamum Bamu Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo Bopo Brahmi Brah Braille
Brai Buginese Bugi Buhid Buhd Canadian_Aboriginal Cans Carian Cari Caucasian_Albanian Aghb Chakma
Cakm Cham Cham Chorasmian Chrs Cherokee Cher Common Zyyy Coptic Copt Qaac Cypro_Minoan Cpmn
Cuneiform Xsux Cypriot Cprt Cyrillic Cyrl Deseret Dsrt Devanagari Deva Dives_Akuru Diak Dogra Dogr
Duployan Dupl Egyptian_Hieroglyphs Egyp Elbasan Elba Elymaic Elym Ethiopic Ethi Georgian Geor
Glagolitic Glag Gothic Goth Grantha Gran Greek Grek Gujarati Gujr Gunjala_Gondi Gong Gurmukhi Guru
Han Hani Hangul Hang Hanifi_Rohingya Rohg Hanunoo Hano Hatran Hatr Hebrew Hebr Hiragana Hira
Imperial_Aramaic Armi Inherited Zinh Qaai Inscriptional_Pahlavi Phli Inscriptional_Parthian Prti
Javanese Java Kaithi Kthi Kannada Knda Katakana Kana Kayah_Li Kali Kharoshthi Khar
Khitan_Small_Script Kits Khmer Khmr Khojki Khoj Khudawadi Sind Lao Laoo Latin Latn Lepcha Lepc Limbu
Limb Linear_A Lina Linear_B Linb Lisu Lisu Lycian Lyci Lydian Lydi Mahajani Mahj Makasar Maka
Malayalam Mlym Mandaic Mand Manichaean Mani Marchen Marc Medefaidrin Medf Masaram_Gondi Gonm
Meetei_Mayek Mtei Mende_Kikakui Mend Meroitic_Cursive Merc Meroitic_Hieroglyphs Mero Miao Plrd Modi
Modi Mongolian Mong Mro Mroo Multani Mult Myanmar Mymr Nabataean Nbat Nandinagari Nand New_Tai_Lue
Talu Newa Newa Nko Nkoo Nushu Nshu Nyiakeng_Puachue_Hmong Hmnp Ogham Ogam Ol_Chiki Olck
Old_Hungarian Hung Old_Italic Ital Old_North_Arabian Narb Old_Permic Perm Old_Persian Xpeo
Old_Sogdian Sogo Old_South_Arabian Sarb Old_Turkic Orkh Old_Uyghur Ougr Oriya Orya Osage Osge
Osmanya Osma Pahawh_Hmong Hmng Palmyrene Palm Pau_Cin_Hau Pauc Phags_Pa Phag Phoenician Phnx
Psalter_Pahlavi Phlp Rejang Rjng Runic Runr Samaritan Samr Saurashtra Saur Sharada Shrd Shavian Shaw
Siddham Sidd SignWriting Sgnw Sinhala Sinh Sogdian Sogd Sora_Sompeng Sora Soyombo Soyo Sundanese
Sund Syloti_Nagri Sylo Syriac Syrc Tagalog Tglg Tagbanwa Tagb Tai_Le Tale Tai_Tham Lana Tai_Viet
Tavt Takri Takr Tamil Taml Tangsa Tnsa Tangut Tang Telugu Telu Thaana Thaa Thai Thai Tibetan Tibt
Tifinagh Tfng Tirhuta Tirh Toto Toto Ugaritic Ugar Vai Vaii Vithkuqi Vith Wancho Wcho Warang_Citi
Wara Yezidi Yezi Yi Yiii Zanabazar_Square Zanb Unknown Zzzz
"""


def split_category(name: str) -> frozenset[str] | None:
    """Return the categories of two letters in one of any name, ``None`` if there is none.

    >>> sorted(split_category("Cased_Letter")), split_category("Greek")
    (['Ll', 'Lt', 'Lu'], None)
    """
    short, found = "", ""
    names = _CATEGORIES.split()
    for known in names:
        short = known if len(known) <= 2 else short  # its other names follow it
        found = short if known == name else found
    if found == "LC":
        return frozenset(["Lu", "Ll", "Lt"])
    inner = (known for known in names if len(known) == 2 and known != "LC")
    return frozenset(known for known in inner if known.startswith(found)) if found else None


@lru_cache(maxsize=1)
def list_properties() -> tuple[str, ...]:
    """Return all that may stand between the braces, sorted."""
    categories, scripts = _CATEGORIES.split(), _SCRIPTS.split()
    found = {*categories, *_BINARY.split()}
    found |= {f"{name}={value}" for name in ("General_Category", "gc") for value in categories}
    names = ("Script", "sc", "Script_Extensions", "scx")
    found |= {f"{name}={value}" for name in names for value in scripts}
    return tuple(sorted(found))


def is_property(text: str) -> bool:
    """Return whether a text is a property.

    >>> is_property("Lu"), is_property("sc=Grek"), is_property("Greek")
    (True, True, False)
    """
    known = list_properties()
    at = bisect_left(known, text)
    return at < len(known) and known[at] == text


def begins_property(text: str) -> bool:
    """Return whether some property begins with a text.

    >>> begins_property("Scr"), begins_property("x")
    (True, False)
    """
    known = list_properties()
    at = bisect_left(known, text)
    return at < len(known) and known[at].startswith(text)


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
DIGIT, CAPITAL, HYPHEN, DOT, AT, ATOM, OTHER = "0", "C", "-", ".", "@", "=", ""
_ATOMS = "!#$%&'*+/=?^_`{|}~"
_COSTS = (1, 3, 4, 4)  # of a character, by its octets


class LetterClass(NamedTuple):
    """A class of characters, what one costs in a label, and its octets in UTF-8."""

    name: str
    cost: int
    n_octets: int


def kinds() -> dict[int, LetterClass]:
    """Return the kind of each range of characters by its first one, ascending."""
    names = dict.fromkeys((0, 0x80, 0x800, 0x10000), OTHER)
    found = [(ord(c), ord(c), c) for c in (HYPHEN, DOT, AT)]
    found += [(ord(c), ord(c), ATOM) for c in _ATOMS]
    found += [(ord("0"), ord("9"), DIGIT), (ord("A"), ord("Z"), CAPITAL)]
    found += [(ord("a"), ord("z"), LEFT), *_read_ranges()]
    for _, high, _ in found:
        names.setdefault(high + 1, OTHER)
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
