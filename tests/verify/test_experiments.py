from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc.artifact.model import Contents
from maskc.errors import GrammarError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.verify import VerifyOptions, run_verify
from maskc.verify.files import choose_files, find_corpus
from maskc.verify.generation import generate_texts
from maskc.verify.model import Document, Experiment, Outcome, Unit
from maskc.verify.plan import GRAMMAR, expect_units, plan_first, plan_second, run_unit

QUICK = VerifyOptions(
    files=20,
    texts=4,
    max_tokens=40,
    positions=20,
    stretches=10,
    mutations=20,
    raw_positions=300,
    seed=1,
    allow_refused=True,
)
NOTHING = VerifyOptions(
    files=5,
    texts=0,
    positions=0,
    stretches=0,
    mutations=0,
    raw_positions=0,
    allow_refused=True,
)


def outcome(report, name):
    return next(e for e in report.experiments if e.name == name)


def test_a_sound_artifact_passes_all_six(saved, corpus):
    report = run_verify(saved, [str(corpus)], QUICK)
    assert report.ok
    assert [e.name for e in report.experiments] == list(GRAMMAR)
    assert outcome(report, "corpus").counts["files that Lark parses"] == 12
    assert outcome(report, "corpus").counts["files that Lark refuses"] == 1
    assert outcome(report, "corpus").counts["skipped, not UTF-8"] == 1
    assert outcome(report, "generation").counts["texts"] == 4
    assert outcome(report, "oracle").counts["positions"] == 20
    assert outcome(report, "segmentation").counts["stretches"] == 10
    assert outcome(report, "mutation").counts["mutated texts"] == 20
    assert outcome(report, "raw store").counts["positions"] == 300
    assert outcome(report, "raw store").counts["rows of the raw store"] > 100
    assert outcome(report, "oracle").counts.get("undecided by the oracle", 0) == 0


def test_the_same_seed_gives_the_same_report(saved, corpus):
    first, second = (run_verify(saved, [str(corpus)], QUICK).to_dict() for _ in range(2))
    assert first == second


def test_another_seed_gives_another_report(saved, corpus):
    other = VerifyOptions(**{**options_of(QUICK), "seed": 2})
    first, second = (run_verify(saved, [str(corpus)], o).to_dict() for o in (QUICK, other))
    assert first != second


def options_of(options):
    return {name: getattr(options, name) for name in VerifyOptions.__slots__}


def changed(artifact, path, **arrays):
    """Save a copy with some sections replaced."""
    contents = artifact.contents
    copy = Contents(dict(contents.header), {**contents.arrays, **arrays})
    type(artifact)(copy).save(path)
    return path


def with_masks(artifact, path, bit):
    """Save a copy whose large token sets hold no token, or all."""
    masks = artifact.contents.arrays["masks"]
    every = np.zeros(masks.shape[1] * 32, dtype=np.bool_)
    every[: artifact.vocab_size] = bit
    row = np.packbits(every, bitorder="little").view(np.int32)
    return changed(artifact, path, masks=np.broadcast_to(row, masks.shape).copy())


@pytest.fixture
def too_little(artifact, tmp_path):
    return with_masks(artifact, tmp_path / "a.maskc", False)


@pytest.fixture
def too_much(artifact, tmp_path):
    return with_masks(artifact, tmp_path / "a.maskc", True)


@pytest.mark.parametrize("name", ["generation", "oracle", "segmentation", "mutation", "raw store"])
def test_tokens_that_are_lost_are_found(too_little, corpus, name):
    assert not outcome(run_verify(too_little, [str(corpus)], QUICK), name).ok


@pytest.mark.parametrize("name", ["generation", "oracle", "mutation", "raw store"])
def test_tokens_too_many_are_found(too_much, corpus, name):
    """Not by the segmentation: what is legal there is legal here too."""
    assert not outcome(run_verify(too_much, [str(corpus)], QUICK), name).ok


def test_a_difference_from_the_oracle_has_a_witness(too_little, corpus):
    failures = outcome(run_verify(too_little, [str(corpus)], QUICK), "oracle").failures
    assert {"file", "line", "offset", "before", "after", "token"} <= set(failures[0])
    assert ("illegal", "legal") in {(f["maskc"], f["oracle"]) for f in failures}


def test_a_token_too_many_has_a_witness(too_much, corpus):
    failures = outcome(run_verify(too_much, [str(corpus)], QUICK), "oracle").failures
    assert ("legal", "illegal") in {(f["maskc"], f["oracle"]) for f in failures}


def test_a_text_that_cannot_be_walked_is_found(artifact, corpus, tmp_path):
    """The parser's live sets are emptied, so that the first token is refused."""
    live = np.zeros_like(artifact.contents.arrays["live"])
    path = changed(artifact, tmp_path / "a.maskc", live=live)
    experiment = outcome(run_verify(path, [str(corpus)], NOTHING), "corpus")
    assert not experiment.ok
    failure = experiment.failures[0]
    assert failure["what"] == "a token is illegal in a text that Lark parses"
    assert (failure["line"], failure["offset"], failure["lark"]) == (1, 0, "parses the text")


@pytest.mark.parametrize(
    ("text", "compiled", "judged", "what"),
    [
        ("ab", '"a" "b" "c"', '"a" "b"', "the end is illegal after a text that Lark parses"),
        ("ab", '"a" "b"', '"a" "c"', "a text that Lark refuses is accepted"),
        ("ab", '"a" "c"', '"a" "b"', "a token is illegal in a text that Lark parses"),
    ],
)
def test_a_language_that_differs_is_found(subject_of, text, compiled, judged, what):
    subject = subject_of(f"start: {compiled}", f"start: {judged}")
    found = run_unit(subject, Unit("corpus", 0, "", 1, Document("a.txt", text)))
    assert [failure["what"] for failure in found.failures] == [what]


def test_an_experiment_that_checked_nothing_has_not_passed():
    assert not Experiment("corpus", needed="files").ok


def test_failures_are_all_counted_and_the_first_are_kept():
    joined = Experiment("corpus", needed="files")
    for number in range(30):
        found = Experiment("corpus", needed="files")
        found.fail(what=number)
        joined.add(found)
    assert joined.counts["failures"] == 30
    assert [failure["what"] for failure in joined.failures] == list(range(20))


def test_a_corpus_without_files_is_refused(saved, tmp_path):
    with pytest.raises(GrammarError, match="holds no file"):
        run_verify(saved, [str(tmp_path / "none.d")[:-7]], VerifyOptions(max_bytes=0))
    with pytest.raises(GrammarError, match="is no file or folder"):
        run_verify(saved, [str(tmp_path / "none")], QUICK)


def test_a_folder_gives_the_files_of_its_most_common_kind(corpus, tmp_path):
    for path in corpus.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "README").write_text("no suffix")
    assert len(find_corpus([str(tmp_path)], 10_000).files) == 14


def test_files_are_chosen_by_the_seed(corpus):
    files = find_corpus([str(corpus)], 10_000).files
    assert choose_files(files, 5, 1) == choose_files(files, 5, 1)
    assert choose_files(files, 5, 1) != choose_files(files, 5, 2)


def test_generated_texts_are_parsed_and_repeatable(artifact):
    texts = list(generate_texts(artifact, count=5, max_tokens=60, seed=3))
    lark = build_lark(source_from_header(artifact.header["grammar"]))
    assert [t.problem for t in texts] == [None] * 5
    for text in texts:
        lark.parse(text.text)
    assert texts == list(generate_texts(artifact, count=5, max_tokens=60, seed=3))


def amounts(units):
    found = {}
    for unit in units:
        found[unit.experiment] = found.get(unit.experiment, 0) + unit.amount
    return found


def test_a_plan_does_as_much_as_is_asked():
    files = [Document(f"{n}", "x" * 50, 500) for n in range(7)]
    options = VerifyOptions(texts=7, positions=33, stretches=12, mutations=8, raw_positions=450)
    assert amounts(plan_first(GRAMMAR, options, files)) == {
        "raw store": 0,
        "generation": 7,
        "corpus": 7,
    }
    assert amounts(plan_second(GRAMMAR, options, files)) == {
        "oracle": 33,
        "segmentation": 12,
        "mutation": 8,
        "raw store": 450,
    }


def test_what_is_expected_is_what_is_planned_if_there_are_texts_enough():
    files = [Document(f"{n}", "x" * 50, 500) for n in range(20)]
    units = [
        *plan_first(GRAMMAR, VerifyOptions(), files),
        *plan_second(GRAMMAR, VerifyOptions(), files),
    ]
    planned = {name: sum(u.experiment == name for u in units) for name in GRAMMAR}
    assert expect_units(GRAMMAR, VerifyOptions(), 20) == planned


def test_units_of_an_experiment_have_numbers_of_their_own():
    files = [Document(f"{n}", "x" * 50, 500) for n in range(20)]
    units = [
        *plan_first(GRAMMAR, VerifyOptions(), files),
        *plan_second(GRAMMAR, VerifyOptions(), files),
    ]
    assert len({(u.experiment, u.number) for u in units}) == len(units)


def test_an_empty_text_is_not_mutated():
    units = plan_second(GRAMMAR, VerifyOptions(), [Document("empty", "", 0)])
    assert "mutation" not in amounts(units)
    assert amounts(units)["segmentation"] == 200


def test_a_language_of_the_empty_text_is_not_mutated(tmp_path):
    maskc.compile_grammar("start:\n", tokenizer="bytes").save(tmp_path / "a.maskc")
    (tmp_path / "a.txt").write_text("")
    report = run_verify(tmp_path / "a.maskc", [str(tmp_path / "a.txt")], QUICK)
    assert "mutation" not in [e.name for e in report.experiments]
    assert report.ok


def test_a_second_stage_without_texts_has_not_passed(saved, tmp_path):
    (tmp_path / "a.json").write_text("{")
    options = VerifyOptions(**{**options_of(QUICK), "texts": 0})
    report = run_verify(saved, [str(tmp_path / "a.json")], options)
    assert {e.outcome for e in report.experiments} == {Outcome.NOTHING}
    assert "mutation" in [e.name for e in report.experiments]


def test_every_fourth_text_has_characters_of_several_bytes():
    files = [Document(str(n), "é" if n == 3 else "e", 1) for n in range(50)]
    units = [u for u in plan_second(GRAMMAR, VerifyOptions(), files) if u.experiment == "oracle"]
    assert {u.document.name for u in units if u.number % 4 == 3} == {"3"}


def test_long_texts_are_mutated_only_if_there_is_no_other():
    long, short = Document("long", "x" * 30_000, 9), Document("short", "x", 1)
    both = plan_second(GRAMMAR, VerifyOptions(raw_positions=0), [long, short])
    assert {u.document.name for u in both if u.experiment == "mutation"} == {"short"}
    alone = plan_second(GRAMMAR, VerifyOptions(raw_positions=0), [long])
    assert {u.document.name for u in alone if u.experiment == "mutation"} == {"long"}


def test_files_keep_their_line_ends(saved, tmp_path):
    path = Path(tmp_path / "a.json")
    path.write_bytes(b"[1,\r\n2]")
    report = run_verify(saved, [str(path)], NOTHING)
    assert outcome(report, "corpus").counts["tokens"] == 7
