from maskc.lint.model import Finding, Place, Severity
from maskc.report.sarif import to_sarif

TEXT = 'start: "a"\nWS: / +/\n'


def result(finding, uri="my grammar.lark"):
    log = to_sarif(uri, [finding], TEXT)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [finding.code]
    (found,) = run["results"]
    return found


def test_a_finding_is_a_result_with_a_rule_a_level_and_a_place():
    place = Place("terminal", "WS", 2)
    found = result(Finding("ML007", Severity.WARNING, place, "fact", "  ", "remedy"))
    assert found["ruleId"], found["ruleIndex"] == ("ML007", 0)
    assert found["level"] == "warning"
    assert found["message"]["text"] == "fact (witness: '  '); remedy"
    (location,) = found["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20grammar.lark"},
        "region": {"startLine": 2, "startColumn": 1},
    }


def test_what_has_no_line_has_no_region():
    place = Place("schema", "/properties/a", None)
    found = result(Finding("ML103", Severity.NOTE, place, "fact", None, "remedy"))
    assert found["level"] == "note"
    (location,) = found["locations"]
    assert "region" not in location["physicalLocation"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/properties/a"}]


def test_each_code_is_one_rule():
    finding = Finding("ML007", Severity.WARNING, Place("grammar", "", None), "f", None, "r")
    run = to_sarif("g.lark", [finding, finding], TEXT)["runs"][0]
    assert len(run["tool"]["driver"]["rules"]) == 1
    assert len(run["results"]) == 2
