"""The formats of the standard as automata, whatever the dialect.

What is no regular set of strings, patterns and all host names in Unicode, an automaton leaves to a
reader of their own; a name that is not the standard's is an annotation.
A leap second is 23:59:60 in UTC, written with an offset of whole or half hours: with
any minute as the offset, an automaton has a state for each minute of the day at each of seven
positions, ten thousand in all. Labels of a ``hostname`` that begin with ``xn--`` are not decoded.

Where ``regex`` stands for keys, or beside a pattern or a length, no reader can be joined with what
else is asked; a smaller language takes its place there, see :func:`build_patterns`.

Example: ``date`` accepts ``2024-02-29`` and not ``2023-02-29``.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits

from maskc.formats import EMAIL, EXACT_EMAIL, EXACT_HOST, HOST, REGEX
from maskc.jsonschema.automata import with_reader
from maskc.jsonschema.host_names import build_names
from maskc.jsonschema.patterns import build_whole
from maskc.runtime.schema.scans.residuals import matrix_of
from maskc.runtime.schema.strings.characters import CharDfa

_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    f"|{_LEAP}-02-29)"
)
_HOUR, _MINUTE = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
_DAY = 24 * 60


def _clock(minute: int) -> str:
    """Return hours and minutes of a minute of the day.

    >>> _clock(1439)
    '23:59'
    """
    return f"{minute % _DAY // 60:02}:{minute % 60:02}"


def _leap_seconds() -> str:
    """Return the pattern of 23:59:60 in UTC, as clocks show it that go by whole or half hours."""
    found = ["23:59:60(?:[.][0-9]+)?[zZ]"]
    for offset in range(0, _DAY, 30):
        ahead, behind = _clock(offset), _clock(-offset)
        shown = _clock(_DAY - 1 + offset)
        found.append(f"{shown}:60(?:[.][0-9]+)?(?:[+]{ahead}|-{behind})")
    return "|".join(found)


_TIME = (
    f"(?:{_HOUR}:{_MINUTE}:[0-5][0-9](?:[.][0-9]+)?(?:[zZ]|[+-]{_HOUR}:{_MINUTE})"
    f"|{_leap_seconds()})"
)
# Without an offset, as OpenAPI's registry of formats has them.
_LOCAL = f"{_HOUR}:{_MINUTE}:[0-5][0-9](?:[.][0-9]+)?"
_DAYS, _HOURS = "[0-9]+D", "(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_MONTHS = f"[0-9]+M(?:{_DAYS})?"
_DURATION = f"P(?:(?:{_DAYS}|{_MONTHS}|[0-9]+Y(?:{_MONTHS})?)(?:T{_HOURS})?|T{_HOURS}|[0-9]+W)"
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_HOSTNAME = f"{_LABEL}(?:[.]{_LABEL})*"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
IPV4 = f"{_OCTET}(?:[.]{_OCTET}){{3}}"
_H16 = "[0-9a-fA-F]{1,4}"
_LS32 = f"(?:{_H16}:{_H16}|{IPV4})"
_IPV6 = (
    f"(?:(?:{_H16}:){{6}}{_LS32}|::(?:{_H16}:){{5}}{_LS32}|(?:{_H16})?::(?:{_H16}:){{4}}{_LS32}"
    f"|(?:(?:{_H16}:){{0,1}}{_H16})?::(?:{_H16}:){{3}}{_LS32}"
    f"|(?:(?:{_H16}:){{0,2}}{_H16})?::(?:{_H16}:){{2}}{_LS32}"
    f"|(?:(?:{_H16}:){{0,3}}{_H16})?::{_H16}:{_LS32}"
    f"|(?:(?:{_H16}:){{0,4}}{_H16})?::{_LS32}"
    f"|(?:(?:{_H16}:){{0,5}}{_H16})?::{_H16}|(?:(?:{_H16}:){{0,6}}{_H16})?::)"
)
_ATOM = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"'
_SUBDOMAIN = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN = f"{_SUBDOMAIN}(?:[.]{_SUBDOMAIN})*"


def _literal() -> str:
    """Return the pattern of an address in brackets, as RFC 5321 has it.

    Numbers may begin with 0, and ``::`` stands for two groups or more.
    """
    octet = "(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})"
    ipv4 = f"{octet}(?:[.]{octet}){{3}}"
    found = [f"(?:{_H16}:){{7}}{_H16}", f"(?:{_H16}:){{6}}{ipv4}"]
    for n_before in range(7):
        before = f"{_H16}(?::{_H16}){{{n_before - 1}}}" if n_before else ""
        after = f"(?:{_H16}(?::{_H16}){{0,{5 - n_before}}})?" if n_before < 6 else ""
        found.append(f"{before}::{after}")
        if n_before <= 4:
            found.append(f"{before}::(?:{_H16}:){{0,{4 - n_before}}}{ipv4}")
    return f"\\[(?:{ipv4}|[iI][pP][vV]6:(?:{'|'.join(found)}))\\]"


_EMAIL = f"(?:{_ATOM}(?:[.]{_ATOM})*|{_QUOTED})@(?:{_DOMAIN}|{_literal()})"


def _uri(more: str, private: str, *, relative: bool) -> str:
    """Return the pattern of RFC 3986, or 3987 with more characters."""
    unreserved = f"a-zA-Z0-9._~{more}"
    subs = "!$&'()*+,;=-"
    encoded = "%[0-9a-fA-F]{2}"
    pchar = f"(?:[{unreserved}:@{subs}]|{encoded})"
    no_colon = f"(?:[{unreserved}@{subs}]|{encoded})"
    future = f"[vV][0-9a-fA-F]+[.][a-zA-Z0-9._~:{subs}]+"
    host = f"(?:\\[(?:{_IPV6}|{future})\\]|(?:[{unreserved}{subs}]|{encoded})*)"
    authority = f"(?:(?:[{unreserved}:{subs}]|{encoded})*@)?{host}(?::[0-9]*)?"
    absolute = f"/(?:{pchar}+(?:/{pchar}*)*)?"
    rest = f"(?:[?](?:{pchar}|[/?{private}])*)?(?:#(?:{pchar}|[/?])*)?"
    scheme = "[a-zA-Z][a-zA-Z0-9+.-]*:"
    full = f"{scheme}(?://{authority}(?:/{pchar}*)*|{absolute}|{pchar}+(?:/{pchar}*)*|){rest}"
    if not relative:
        return full
    part = f"(?://{authority}(?:/{pchar}*)*|{absolute}|{no_colon}+(?:/{pchar}*)*|){rest}"
    return f"(?:{full}|{part})"


_UCS = "".join(
    f"\\u{{{low:x}}}-\\u{{{high:x}}}"
    for low, high in [
        *((0xA0, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFEF)),
        *((plane << 16, (plane << 16) + 0xFFFD) for plane in range(1, 14)),
        (0xE1000, 0xEFFFD),
    ]
)
_PRIVATE = r"\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}"
_LITERAL = (
    rf"(?:[\x21\x23\x24\x26-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e{_UCS}{_PRIVATE}]"
    "|%[0-9a-fA-F]{2})"
)
_VARCHAR = "(?:[a-zA-Z0-9_]|%[0-9a-fA-F]{2})"
_VARSPEC = f"{_VARCHAR}(?:[.]?{_VARCHAR})*(?::[1-9][0-9]{{0,3}}|[*])?"
_TEMPLATE = f"(?:{_LITERAL}|{{[+#./;?&=,!@|]?{_VARSPEC}(?:,{_VARSPEC})*}})*"
# RFC 6531: any character that is not ASCII stands in names, and domains are read on their own.
_IDN_ATOM = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+"
_IDN_QUOTED = r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u{80}-\u{10ffff}]|\\[\x20-\x7e])*"'
_IDN_EMAIL = f"(?:{_IDN_ATOM}(?:[.]{_IDN_ATOM})*|{_IDN_QUOTED})@(?:{_literal()}|[^\\[][^]*)"
_POINTER = "(?:/(?:[^~/]|~[01])*)*"

_PATTERNS = {
    "date-time": f"{_DATE}[tT]{_TIME}",
    "date-time-local": f"{_DATE}[tT]{_LOCAL}",
    "time-local": _LOCAL,
    "date": _DATE,
    "time": _TIME,
    "duration": _DURATION,
    "email": _EMAIL,
    "hostname": _HOSTNAME,
    "ipv4": IPV4,
    "ipv6": _IPV6,
    "uri": _uri("", "", relative=False),
    "uri-reference": _uri("", "", relative=True),
    "iri": _uri(_UCS, _PRIVATE, relative=False),
    "iri-reference": _uri(_UCS, _PRIVATE, relative=True),
    "uri-template": _TEMPLATE,
    "json-pointer": _POINTER,
    "relative-json-pointer": f"(?:0|[1-9][0-9]*)(?:#|{_POINTER})",
    "uuid": "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
}
# Formats of which an automaton leaves a part to a reader, or all.
_READ = {EXACT_HOST: "[^]*", EXACT_EMAIL: _IDN_EMAIL, REGEX: "[^]*"}
NAMES = (*_PATTERNS, HOST, EMAIL, *_READ)
# Bounds on the length that are not part of the automaton.
LENGTHS = {"hostname": (1, 253)}


def read_by(name: str, pattern: str = "[^]*") -> CharDfa:
    """Return the automaton of strings that the reader of a format reads.

    Args:
        pattern: of the strings; the reader reads what leads to its accepting sink, or stays there.
    """
    return with_reader(build_whole(pattern), name)


def build_format(name: str) -> CharDfa | None:
    """Return a format's automaton, ``None`` if it is an annotation."""
    return _build(name) if name in NAMES else None


@lru_cache(maxsize=32)
def _build(name: str) -> CharDfa:
    if name in (HOST, EMAIL):
        found = build_names(name)
        found.matrix = matrix_of(found)  # now, as no mask is to wait for it
        return found
    return read_by(name, _READ[name]) if name in _READ else build_whole(_PATTERNS[name])


_PATTERN_DEPTH = 2
_SIGNS = r"\^$\\.*+?()[\]{}|/"
_ESCAPED = rf"x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|[dDsSwWfnrtv{_SIGNS}]"
_RANGES = " -~|!-~|" + "|".join(
    f"{first}-[{first}-{kind[-1]}]"
    for kind in (digits, ascii_lowercase, ascii_uppercase)
    for first in kind
)
_ITEM = rf"[^\\\]\-^]|\\(?:{_ESCAPED}|[b\-])|{_RANGES}"
_CLASS = rf"\[\^?-?(?:{_ITEM})?(?:{_ITEM}|\^)*-?\]"
_GREATER = "|".join([*(f"{low},[{low}-9]" for low in range(10)), "[0-9],[1-9][0-9]+"])
_QUANTIFIER = rf"(?:[*+?]|\{{(?:[0-9]+,?|{_GREATER})\}})\??"


@lru_cache(maxsize=1)
def build_patterns() -> CharDfa:
    r"""Return the automaton of a regular language of patterns of ECMA-262.

    - Groups and look-arounds are up to two levels deep, without names, and there are no
      back-references.
    - In a class, a range begins with a letter or a digit and ends with one of the same kind, or is
      of printable ASCII, ``!-~``, or of blanks and all of it, `` -~``.
    - There are no ``\p{…}``, ``\u{…}``, ``\c`` and ``\0``; counts are ``{n}``, ``{n,}``, and
      ``{m,n}`` with one digit and a greater number.

    Example: ``^x-[a-z]+(\.[a-z]{2,10})?$`` is one; ``(((a)))`` is none here.
    """
    return build_whole(_pattern(_PATTERN_DEPTH))


def _pattern(depth: int) -> str:
    """Return the pattern of those with so many groups inside each other."""
    atom, assertion = rf"[^{_SIGNS}]|/|\.|\\(?:{_ESCAPED})|{_CLASS}", r"[$^]|\\[bB]"
    if depth:
        inner = _pattern(depth - 1)
        atom += rf"|\((?:\?:)?{inner}\)"
        assertion += rf"|\(\?<?[=!]{inner}\)"
    return f"(?:{assertion}|\\||(?:{atom})(?:{_QUANTIFIER})?)*"
