r"""Sets that patterns of ECMA-262 name: characters of a group's name, and properties.

In ``(?<name>…)`` may stand ID_Start, ``$`` and ``_`` anywhere, ID_Continue and the two joiners
after the first character, as UAX #31 derives them, of the Unicode that Python has. In ``\p{…}``
stand ``Lu``, ``gc=Lu``, ``Script=Greek`` and ``Alphabetic``, but not ``Greek``.

Source: ECMA-262, 15th edition, 22.2.1 (RegExpIdentifierName) and tables 67 to 69, and the values of
General_Category and Script in Unicode 14.0.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from functools import lru_cache

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
    # A byte for each character, without a step of Python's: there are 1,114,112.
    of_each = map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))
    stands = bytearray(map(categories.__contains__, of_each))
    for code in more:
        stands[code] = True
    stands[_SYNTAX] = False
    spans = [found.span() for found in re.finditer(rb"\x01+", stands)]
    return [first for first, _ in spans], [end - 1 for _, end in spans]


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
