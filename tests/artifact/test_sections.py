"""Which arrays there are, by the kind of the artifact."""

import pytest

from maskc.artifact.sections import (
    GENERAL_SECTIONS,
    LALR_SECTIONS,
    is_general,
    is_schema,
    sections_of,
)


def header_of(parser):
    return {"grammar": {"parser": parser}}


def test_an_artifact_has_the_arrays_of_its_kind(contents):
    assert set(contents.arrays) == set(LALR_SECTIONS)
    assert sections_of(contents.header) is LALR_SECTIONS
    assert sections_of(header_of("earley")) is GENERAL_SECTIONS
    assert set(sections_of(header_of("schema"))) == {"token_first", "token_bytes", "schema_plan"}


@pytest.mark.parametrize("header", [{}, {"grammar": None}, {"grammar": {}}])
def test_a_header_that_does_not_say_its_parser_is_of_an_lalr_grammar(header):
    assert not is_general(header)
    assert not is_schema(header)


@pytest.mark.parametrize("sections", [LALR_SECTIONS, GENERAL_SECTIONS])
def test_offsets_are_one_more_than_what_they_divide(sections):
    for name, section in sections.items():
        if section.offsets is not None:
            assert section.dims[0].endswith("+1"), name
            assert section.offsets in sections, name
