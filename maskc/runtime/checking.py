"""The checks of an artifact's contents, of every kind, before a machine follows them."""

from __future__ import annotations

from maskc.artifact.header import check_link, check_numbers, check_texts
from maskc.artifact.model import FORMAT, Contents, check
from maskc.artifact.relations import check_ends
from maskc.artifact.sections import PARSERS, is_link, is_schema
from maskc.artifact.starts import check_starts
from maskc.errors import ArtifactError, FormatError


def check_contents(contents: Contents, name: str) -> Contents:
    """Return the contents, if a machine can follow them.

    Raises:
        ArtifactError: it cannot, or they are of another format version.
    """
    version = contents.header.get("format")
    if version != FORMAT:
        raise ArtifactError(
            name,
            f"has format {version!r}, and this version of maskc reads format {FORMAT}",
            "compile the grammar again",
        )
    if "kind" in contents.header:
        kind = str(contents.header["kind"])[:20]
        raise ArtifactError(name, f"is a {kind}, not an artifact", "load a kit with maskc.load_kit")
    grammar = contents.header.get("grammar")
    parser = grammar.get("parser", "lalr") if isinstance(grammar, dict) else "lalr"
    if isinstance(parser, str) and parser not in PARSERS:
        reason = f"is of the kind {parser[:20]!r}, which this maskc does not know"
        raise ArtifactError(name, reason, "install a newer maskc, or compile it again")
    try:
        fault = _find_fault(contents)
    except FormatError as error:
        reason = f"needs the format {error.name}, which {error.reason}"
        raise ArtifactError(name, reason, error.remedy) from None
    fault = fault or check_ends(contents.arrays, contents.header["tokenizer"]["eos_ids"])
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", "compile the grammar again")
    return contents


def _find_fault(contents: Contents) -> str | None:
    """Return what is wrong with contents of some kind, ``None`` if nothing is."""
    if is_schema(contents.header):
        from maskc.runtime.schema.opening import check_plan, check_schema_header

        return check_schema_header(contents.header) or check(contents) or check_plan(contents)
    if is_link(contents.header):
        from maskc.runtime.link.plan.opening import check_link_plan

        return (
            check_link(contents.header)
            or check(contents)
            or check_link_plan(contents, check_contents)
        )
    # All look at the header; only what has passed the last has states to count.
    return (
        check_texts(contents.header)
        or check(contents)
        or check_numbers(contents.header, n_scanner_states=len(contents.arrays["scanner_next"]))
        or check_starts(contents, check_contents)
    )
