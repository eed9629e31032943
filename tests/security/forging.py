"""Artifacts that somebody forged: numbers changed within their ranges, and the checksum right.

:func:`forge` draws a change of the header's numbers or of an array's; :func:`use` does with an
artifact what engines do, with every public method.
"""

from __future__ import annotations

import copy
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

import maskc
from maskc.artifact.container import decode, encode
from maskc.artifact.sections import sections_of
from maskc.errors import ArtifactError, LimitError
from maskc.runtime.artifact import Artifact
from tests.compiled import compile_text
from tests.security.forged_plans import change_plan, compile_links, compile_schemas

LALR = r"""
start: value*
value: "[" (value ("," value)*)? "]" | NAME opt tail | STRING
opt: | "=" value
tail: opt2 opt2
opt2: | ";"
NAME: /[a-z]+/
STRING: /"[^"]*"/
%ignore / +/
"""
INDENTED = r"""
// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=2
// maskc: OPEN_PAREN_types=LP CLOSE_PAREN_types=RP
start: (line | _NL)*
line: NAME _NL | NAME ":" _NL _INDENT line+ _DEDENT | LP NAME* RP _NL
NAME: /[a-z]+/
LP: "("
RP: ")"
_NL: /(\r?\n[\t ]*)+/
%ignore / +/
%declare _INDENT _DEDENT
"""
GENERAL = r"""
// maskc: parser=earley lexer=dynamic_complete
start: e
e: e "+" e | e e | "(" e ")" | A | B
A: /a+/
B: /[ab]{1,3}/
%ignore " "
"""
TOKENS = (
    *(bytes([b]) for b in b'[],="; abc()+:\n\t\r'),
    *(b"ab", b"a,", b"]]", b"[a", b"\n  ", b"\n\t\n", b":\n ", b")\n", b"a a", b"))", b";;"),
    *(b"a+a", b'"a"', b"a\n    b", b"= [", b"aaaa", b"\n\n", b"\xc3", b"a=b;;c"),
)
JSON = (b'{"a":1', b'{"a":3,"b":[1,"x"],"c":"aa","d', b'{"a":12,"x":["a","\\u0061', b'{"f":1.5e-1')


def compile_examples():
    """Return the artifacts that are forged, as files."""
    grammars = {
        name: encode(artifact.header, artifact.contents.arrays)
        for name, text in (("lalr", LALR), ("indented", INDENTED), ("general", GENERAL))
        for artifact in [compile_text(text, TOKENS)]
    }
    return {**grammars, **compile_schemas(), **compile_links()}


def forge(data: bytes, draw: Random, n_changes: int) -> tuple[bytes, list[str]]:
    """Return another file with a right checksum, and what was changed."""
    header, arrays = decode(data, "whole")
    sections = sections_of(header)
    header, changed = copy.deepcopy(header), {}
    told = []
    for _ in range(n_changes):
        if draw.random() < 0.1:
            told.append(_change_header(header, draw))
            continue
        name = draw.choice(sorted(arrays))
        if name in ("schema_plan", "link_plan") and draw.random() < 0.9:
            change = (draw.getrandbits(31), draw.getrandbits(31))
            changed[name], more = change_plan(changed.get(name, arrays[name]), [change])
            told += more
            continue
        array = changed.setdefault(name, arrays[name].copy())
        if draw.random() < 0.03:
            length = draw.choice([0, max(0, len(array) - 1)])
            changed[name] = array[:length].copy()
            told.append(f"{name} is cut to {length}")
        elif array.size:
            told.append(_change_array(name, array, draw, arrays, sections[name]))
    return encode(header, {**arrays, **changed}), told


def _change_array(name, array, draw, arrays, section):
    flat = array.reshape(-1)
    known = arrays[name].reshape(-1)
    low, high = int(known.min()), int(known.max())
    here = draw.randrange(flat.size)
    if section.offsets is not None:
        here = draw.randrange(flat.size)
        value = draw.randint(int(flat[max(0, here - 1)]), int(flat[min(flat.size - 1, here + 1)]))
    elif draw.random() < 0.8:
        value = draw.choice(
            [low, high, int(known[draw.randrange(known.size)]), int(flat[here]) + 1]
        )
    else:
        info = np.iinfo(array.dtype)
        value = draw.choice(
            [0, 1, -1, -2, -3, -8, int(info.min), int(info.max), draw.getrandbits(63)]
        )
    value = np.array([value & 0xFFFF_FFFF_FFFF_FFFF], np.uint64).astype(array.dtype)[0]
    n_same = draw.choice([1, 1, 1, 2, 5, flat.size])
    if section.offsets is not None:
        n_same = 1
    flat[here : here + n_same] = value
    return f"{name}[{here}:{here + n_same}] = {value}"


def _change_header(header, draw):
    """Change one of the numbers, or leave an entry out."""
    entries = [(header, "scanner_start"), (header, "end_lookahead"), (header, "layout")]
    entries += [(header["tokenizer"], key) for key in ("vocab_size", "eos_ids")]
    entries += [(header["sizes"], key) for key in header["sizes"]]
    entries += [(header["grammar"], "parser")]
    if isinstance(header.get("link"), dict):
        entries += [(header["link"], key) for key in header["link"]]
        entries += [(header["tokenizer"], key) for key in header["tokenizer"]]
        entries += [(header["grammar"], key) for key in header["grammar"]]
    if isinstance(header.get("schema_layout"), dict):
        entries += [(header["schema_layout"], key) for key in header["schema_layout"]]
        entries += [(header["tokenizer"], "fingerprint")]
    if isinstance(header.get("layout"), dict):
        entries += [(header["layout"], key) for key in header["layout"]] * 3
    holder, key = draw.choice(entries)
    values = [*range(6), -1, 40, 1 << 40, None, True, [], [0], [1, 1], {}, "earley", 1.5, "remove"]
    value = draw.choice(values)
    if value == "remove":
        holder.pop(key, None)
    else:
        holder[key] = value
    return f"{key} = {value!r}"


def load_forged(data: bytes, path: Path) -> Artifact | None:
    """Return the artifact of a file, ``None`` if loading refuses it."""
    path.write_bytes(data)
    try:
        return maskc.load(path, cache_bytes=1 << 20)
    except ArtifactError:
        return None


def use(artifact: Artifact, draw: Random, n_steps: int = 12) -> None:
    """Do what engines do. What it does may make no sense, but nothing raises.

    Only a text that is read in too many ways does, as each engine knows.
    """
    matcher = artifact.matcher()
    bitmask = maskc.allocate_bitmask(3, artifact.vocab_size)
    for step in range(n_steps):
        matcher.fill_bitmask(bitmask, 0)
        bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
        legal = np.flatnonzero(bits).tolist()
        assert not legal or legal[-1] < artifact.vocab_size
        ids = draw.sample(range(artifact.vocab_size), min(6, artifact.vocab_size))
        chosen = draw.choice(legal) if legal and draw.random() < 0.8 else draw.choice(ids)
        with suppress(LimitError):
            matcher.accept_token(chosen)
        with suppress(LimitError):
            matcher.validate_tokens(ids)
        if step % 3 == 0:
            twin = matcher.fork()
            with suppress(LimitError):
                twin.accept_bytes(
                    draw.choice([b"a", b"[a]", b"a:\n  b\n", b"a b a", b"((a", b"a;;b=c", *JSON])
                )
            maskc.fill_bitmasks([matcher, twin], bitmask, [2, 1])
            assert isinstance(twin.configuration(), tuple)
            assert matcher.mask_id() >= -1
    text = b"".join(draw.choices(TOKENS, k=12))
    with suppress(LimitError):
        artifact.matcher().accept_bytes(text)
    with suppress(LimitError):
        matcher.forced_bytes()
        matcher.forced_tokens(lambda text: [text.encode()[0]] if text else [], before="a")
    matcher.rollback(draw.randint(0, 2) if matcher._undo.n_states > 1 else 0)
    assert matcher.is_accepting in (True, False)
    matcher.reset()
    assert len(artifact.mask_table()) <= 1 << 16
