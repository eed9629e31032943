"""What an artifact says about itself, printed and as JSON."""

import json

from maskc.report.inspect import N_LARGEST, report_artifact
from maskc.report.render import print_report
from tests.report.example import HEADER, TIMINGS, inspection


def printed(capsys, **options):
    print_report(report_artifact(inspection(**options), internals=True))
    return capsys.readouterr().out


def test_the_facts_are_printed(capsys):
    out = printed(capsys)
    for fact in (
        "a.maskc",
        "1.00 MB (1,000,000 bytes)",
        "maskc 0.1.0, format 2",
        "g.lark",
        "basic",
        "words.lark",
        "1,024 ids: 1,000 with text, 24 special or padding",
        "1000, 1001",
        "lalr states",
        "1,234",
        # Classes and undecided rows, with the texts of terminals.
        '"+="  "-="',
        "4 at the median, 9 at the 99th percentile, 17 at most",
        'RSQB open: COMMA | "+="',
        # The witness of what cannot be lexed apart.
        r"b'a\n\xff'",
        "unknown on this machine",
    ):
        assert fact in out
    assert "__ANON" not in out


def test_steps_and_times_are_printed_where_it_was_compiled(capsys):
    out = printed(capsys, timings=TIMINGS)
    lines = [line.split() for line in out.splitlines()]
    assert ["raw", "1,200", "900", "2.5", "s", "█" * 27 + "▊"] in lines
    assert ["pairs", "500", "300", "2.00", "×", "fewer", "█" * 11 + "▌"] in lines
    assert "3.0 s, 2.5 s of the processor, with at most 190 MiB of memory" in out


def test_what_is_not_known_is_left_out(capsys):
    # Without a grammar that Lark takes there are names only, without undecided rows no section.
    header = {**HEADER, "grammar": {**HEADER["grammar"], "text": "start: ("}, "residue": {}}
    out = printed(capsys, header=header)
    assert "__ANON_0  __ANON_1" in out
    assert "Rows that depend on the stack" not in out


def test_small_sections_are_one_line_and_few_are_all_named(capsys):
    out = printed(capsys, n_sections=N_LARGEST + 2)
    assert "s13" in out
    assert "s01" not in out
    assert "2 smaller ones" in out
    assert "3.00 kB" in out
    out = printed(capsys, n_sections=N_LARGEST)
    assert "s00" in out
    assert "smaller ones" not in out


def test_the_dictionary_is_json_and_has_every_section():
    found = json.loads(json.dumps(report_artifact(inspection(n_sections=20)).data))
    assert len(found["sections"]) == 20
    assert found["sections"]["s00"] == {"dtype": "uint8", "shape": [1000], "nbytes": 1000}
    witnesses = [pair.pop("witness") for pair in found["header"]["not_lexed_apart"]]
    assert witnesses == ["a\n\\xff", "00"]
    left_out = {"not_lexed_apart"}
    assert {k: v for k, v in found["header"].items() if k not in left_out} == {
        k: v for k, v in HEADER.items() if k not in left_out
    }
