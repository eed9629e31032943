import json

import pytest

from benchmarks.conformance import grammars, pages, peers
from benchmarks.conformance.catalogue import Entry
from benchmarks.conformance.texts import Text

GRAMMAR = 'start: "a" | "b" start\n'


def verified(failures=()):
    counts = {
        "corpus": {"files": 1, "tokens": 2},
        "generation": {"texts": 1},
        "oracle": {"comparisons": 3_000},
        "segmentation": {"bytes": 4},
        "mutation": {"mutated texts": 5, "that Lark parses": 1},
        "raw store": {"rows": 6, "rows of the raw store": 70},
    }
    found = [{"name": name, "counts": c, "failures": []} for name, c in counts.items()]
    found[2]["failures"] = list(failures)
    return {"ok": not failures, "experiments": found}


def result(**changes):
    return {
        "ours": False,
        "needs": ["--start", "x"],
        "counts": {"terminals": 1, "productions": 2, "lalr_states": 3},
        "n_bytes": 1_500_000,
        "seconds": 0.25,
        "verified": verified(),
        "texts": {"positive": 8, "negative": 9},
        "differing": 0,
        "peers": {},
        **changes,
    }


def test_a_grammar_with_a_failed_experiment_is_not_right():
    assert not pages.is_right(result(verified=verified([{"what": "a mask differs"}])))


def test_a_grammar_whose_verdicts_differ_from_larks_is_not_right():
    assert not pages.is_right(result(differing=1))


def test_a_grammar_that_does_not_compile_is_not_right():
    assert not pages.is_right({"ours": True, "needs": [], "error": "no"})


def test_a_grammar_without_differences_is_right():
    assert pages.is_right(result())


def test_the_figures_name_rows_before_and_after_streamlining():
    line = pages.format_figures({"g": result()})[-1]
    assert line == "| `g` | 1 | 2 | 3 | 0.2 | 1.5 | 70 | 6 | 1 | 2 | 3,000 | 0 |"


def test_every_line_of_a_table_has_as_many_cells():
    report = {"g": result(), "h": {"ours": False, "needs": [], "error": "no"}}
    for lines in (pages.format_figures(report), pages.format_needs(report)):
        assert len({line.count("|") for line in lines}) == 1


def test_grammars_of_ours_need_nothing_that_a_page_tells():
    assert len(pages.format_needs({"g": result(ours=True)})) == 2


@pytest.mark.parametrize(
    ("found", "cell"),
    [
        (None, "not installed"),
        ({"loads": False, "why": "no | here"}, "does not load: `no ¦ here`"),
        ({"loads": True, "refused": 0, "accepted": 0, "open": 0, "why": ""}, "0"),
        (
            {"loads": True, "refused": 2, "accepted": 1, "open": 4, "why": "killed by signal 11"},
            "3 (2 refused, 1 accepted); 4 open: `killed by signal 11`",
        ),
    ],
)
def test_a_cell_tells_what_a_peer_makes_of_a_grammar(found, cell):
    assert pages.format_peer(found) == cell


def test_only_what_stands_between_the_marks_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n")
    pages.replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n"


def test_a_page_without_marks_is_refused_and_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x: begin -->\n")
    with pytest.raises(ValueError, match="x: end"):
        pages.replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\n"


def answer(monkeypatch, lines, end):
    facts = [json.loads(line) for line in lines]
    monkeypatch.setattr(peers, "_run", lambda *_: (facts, end))
    texts = [Text((1,), True, True), Text((2,), False, False), Text((3,), False, False)]
    return peers.ask_peer("llguidance", GRAMMAR, "start", texts)


def test_verdicts_that_are_not_larks_are_counted_by_their_side(monkeypatch):
    found = answer(monkeypatch, ['{"loads": true}', "false", "true", "false"], "exit status 0")
    assert (found["refused"], found["accepted"], found["open"]) == (1, 1, 0)


def test_texts_that_a_killed_peer_did_not_come_to_are_open(monkeypatch):
    found = answer(monkeypatch, ['{"loads": true}', "true"], "killed by signal 11")
    assert (found["refused"], found["accepted"], found["open"]) == (0, 0, 2)
    assert found["why"] == "killed by signal 11"


def test_a_peer_that_crashes_while_it_loads_a_grammar_does_not_load_it(monkeypatch):
    assert answer(monkeypatch, [], "killed by signal 6") == {
        "loads": False,
        "why": "killed by signal 6",
    }


def test_a_grammar_is_compiled_verified_and_judged(tmp_path, monkeypatch):
    path = grammars.ROOT / "grammars" / "json.lark"
    monkeypatch.setattr(grammars, "TOKENIZER", "bytes")
    monkeypatch.setattr(grammars, "find_peers", dict)
    small = {"--texts": 2, "--max-tokens": 10, "--positions": 4, "--stretches": 1}
    monkeypatch.setattr(
        grammars, "AMOUNTS", {**grammars.AMOUNTS, **small, "--mutations": 4, "--raw-positions": 10}
    )
    found = grammars.examine(Entry(path, texts=("[1, 2]\n",)), tmp_path)
    assert pages.is_right(found)
    assert found["texts"]["positive"] > 1
    assert found["texts"]["negative"] > 0
