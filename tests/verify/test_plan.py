from pathlib import Path

import pytest

from maskc.errors import ArtifactError
from maskc.files import read_checksum
from maskc.kinds import GRAMMAR as KIND
from maskc.verify.model import Document, VerifyOptions
from maskc.verify.plan import expect_units, name_unit, plan_first, plan_second, run_unit_anywhere

GRAMMAR = KIND.subject().experiments
TEXTS = [Document(f"{n}.txt", "x" * (n + 1), n_tokens=n + 1) for n in range(5)]
NOTHING = VerifyOptions(texts=0, positions=0, segments=0, mutations=0, raw_positions=0)


def amounts(units):
    found = {}
    for unit in units:
        found[unit.experiment] = found.get(unit.experiment, 0) + unit.amount
    return found


def test_the_first_stage_walks_every_file_and_draws_every_text():
    options = VerifyOptions(texts=5)
    assert amounts(plan_first(GRAMMAR, options, TEXTS)) == {
        "optimisation": 0,
        "generation": 5,
        "corpus": 5,
    }


def test_the_second_stage_does_as_much_as_is_asked():
    options = VerifyOptions(positions=45, segments=7, mutations=11, raw_positions=9)
    asked = {"oracle": 45, "segmentation": 7, "mutation": 11, "optimisation": 9}
    assert amounts(plan_second(GRAMMAR, options, TEXTS)) == asked


def test_masks_are_compared_at_no_more_positions_than_the_texts_have():
    assert (
        amounts(plan_second(GRAMMAR, VerifyOptions(), TEXTS))["optimisation"] == 2 + 3 + 4 + 5 + 6
    )


def test_without_a_text_there_is_no_second_stage():
    assert plan_second(GRAMMAR, VerifyOptions(), []) == []


def test_what_is_not_asked_for_is_not_planned():
    assert amounts(plan_first(GRAMMAR, NOTHING, TEXTS)) == {"corpus": 5}
    assert plan_second(GRAMMAR, NOTHING, TEXTS) == []
    assert expect_units(GRAMMAR, NOTHING, 5) == {"corpus": 5}


def test_every_fourth_unit_takes_a_text_beyond_ascii():
    texts = [*TEXTS, Document("wide.txt", "é", n_tokens=1)]
    units = plan_second(GRAMMAR, VerifyOptions(segments=100, positions=0, mutations=0), texts)
    segments = [unit for unit in units if unit.experiment == "segmentation"]
    assert {unit.document.name for unit in segments[3::4]} == {"wide.txt"}


def test_a_plan_depends_on_the_seed_and_on_nothing_else():
    first, again = (plan_second(GRAMMAR, VerifyOptions(), TEXTS) for _ in range(2))
    assert first == again != plan_second(GRAMMAR, VerifyOptions(seed=1), TEXTS)


@pytest.mark.parametrize(
    ("number", "name"), [(0, "part 1: experiment generation"), (3, "3.txt: experiment corpus")]
)
def test_a_unit_is_called_by_its_text(number, name):
    generation, *_ = plan_first(GRAMMAR, VerifyOptions(raw_positions=0), [])
    unit = generation if number == 0 else plan_first(GRAMMAR, NOTHING, TEXTS)[number]
    assert name_unit(unit) == name


def test_units_are_done_without_another_process_too(saved):
    (unit,) = plan_first(GRAMMAR, NOTHING, [Document("a.json", "[1]")])
    found = run_unit_anywhere(str(saved), read_checksum(saved), NOTHING, Path(), unit)
    assert found.counts["files that Lark parses"] == 1


def test_a_unit_is_not_done_with_another_artifact_than_the_one_that_is_verified(saved):
    (unit,) = plan_first(GRAMMAR, NOTHING, [Document("a.json", "[1]")])
    with pytest.raises(ArtifactError, match="another file where a part of the work is done"):
        run_unit_anywhere(str(saved), "00" * 32, NOTHING, Path(), unit)


def test_units_are_as_many_as_expected_if_there_are_texts_enough_and_have_numbers_of_their_own():
    files = [Document(f"{n}", "x" * 50, 500) for n in range(20)]
    options = VerifyOptions()
    units = [*plan_first(GRAMMAR, options, files), *plan_second(GRAMMAR, options, files)]
    planned = {name: sum(u.experiment == name for u in units) for name in GRAMMAR}
    assert expect_units(GRAMMAR, options, 20) == planned
    assert len({(u.experiment, u.number) for u in units}) == len(units)


def test_an_empty_text_is_not_mutated():
    units = plan_second(GRAMMAR, VerifyOptions(), [Document("empty", "", 0)])
    assert "mutation" not in amounts(units)
    assert amounts(units)["segmentation"] == 200


def test_long_texts_are_mutated_only_if_there_is_no_other():
    long, short = Document("long", "x" * 30_000, 9), Document("short", "x", 1)
    for documents, chosen in (([long, short], "short"), ([long], "long")):
        units = plan_second(GRAMMAR, VerifyOptions(raw_positions=0), documents)
        assert {u.document.name for u in units if u.experiment == "mutation"} == {chosen}
