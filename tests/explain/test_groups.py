"""Legal tokens by terminal."""

from maskc.explain.questions import explain
from tests.compiled import EVERY_BYTE, compile_text

WORDS = """\
start: "if" NAME | NAME "=" /[0-9]+/
NAME: /[a-z]+/
%ignore /[ ]+/
"""


def groups(artifact, text):
    found = explain(artifact, text).groups
    return {group.name: (group.n_tokens, group.examples) for group in found}


def test_a_token_belongs_to_the_first_terminal_that_it_reads_a_part_of(json_artifact):
    found = groups(json_artifact, b'{"a": 1')
    assert found["NUMBER"] == (14, tuple(b"%c" % c for c in b".0123456"))
    assert found["RBRACE"] == (1, (b"}",))
    assert found[None] == (4, (b"\t", b"\n", b"\r", b" "))


def test_what_ends_the_open_lexeme_with_a_byte_of_its_own_belongs_to_it(json_artifact):
    assert b'": ' in all_of(json_artifact, b'{"a', "STRING")
    assert groups(json_artifact, b'{"a')["STRING"][0] == len(legal(json_artifact, b'{"a'))


def test_a_token_of_two_terminals_counts_for_both():
    artifact = compile_text(WORDS, (*EVERY_BYTE, b" i", b"if", b"if x", b"x="))
    found = groups(artifact, b"")
    assert found["IF"] == (4, (b"i", b" i", b"if", b"if x"))
    assert found["NAME"][0] == 26 + 3  # `if` alone is no NAME, and `if x` goes on after it
    assert b"x=" in all_of(artifact, b"", "NAME")
    assert [group.name for group in explain(artifact, b"").groups][-1] is None


def test_every_legal_token_is_in_a_group(json_artifact, blocks_artifact):
    for artifact, text in (
        *((json_artifact, t) for t in (b"", b"[", b"[1", b'{"a', b'{"a":', b"[tru")),
        *((blocks_artifact, t) for t in (b"", b"if a\n", b"if a\n  b\n", b"a", b"i")),
    ):
        found = explain(artifact, text).groups
        assert {t for g in found for t in all_of(artifact, text, g.name)} == legal(artifact, text)


def legal(artifact, text):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(text)
    return {t for i in matcher.legal_tokens().tolist() if (t := artifact.token_bytes(i))}


def all_of(artifact, text, name):
    """Return all tokens of a group, by asking for them one at a time."""
    from maskc.explain.groups import group_tokens
    from maskc.explain.readings import open_reader

    reader = open_reader(artifact)
    readings, _ = reader.read(reader.start(), text)
    return {
        token
        for token in legal(artifact, text)
        if name in {group.name for group in group_tokens(reader, readings, [token])}
    }
