"""SARIF of every kind of run, held to the schema of the standard."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate.record.run import RunRecord
from gate.report.exports import sarif
from gate.report.view.headline import plain_first_line
from tests.golden.runs import runs

RUNS = runs()

SCHEMA = Path(__file__).parents[2] / "data/formats/sarif-2.1.0.json"


@cache
def validator() -> Any:
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text()))


def told(run: RunRecord, lines: dict[str, list[tuple[int, int]]] | None = None, prefix: str = "") -> dict[str, Any]:
    text = sarif.render(run, lines or {}, prefix)
    assert text.isascii()
    found: dict[str, Any] = json.loads(text)["runs"][0]
    return found


def test_every_kind_of_run_satisfies_the_schema() -> None:
    for run in RUNS.values():
        validator().validate(json.loads(sarif.render(run, {"prompts/support.md": [(3, 5), (9, 9)]})))


def test_a_result_lies_on_the_changed_lines() -> None:
    found = told(RUNS["block"], {"prompts/support.md": [(3, 5), (9, 9)]})["results"]
    levels = [("slice-regressed", "error"), ("slice-regressed", "error"), ("slice-suspect", "warning")]
    assert [(one["ruleId"], one["level"]) for one in found] == levels
    place = found[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "prompts/support.md"
    assert place["region"] == {"startLine": 3, "endLine": 5}
    assert found[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 9
    # The texts are those of the record, and the first line of the comment begins in the same words.
    shown = [one.text for one in RUNS["block"].findings if one.severity != "note"]
    assert [one["message"]["text"] for one in found] == shown
    assert shown[0].startswith(plain_first_line(RUNS["block"]).removeprefix("BLOCK: "))


def test_paths_begin_in_the_root_of_the_repository() -> None:
    found = told(RUNS["block"], {"bots/a b/prompts/support.md": [(7, 7)]}, "bots/a b/")["results"][0]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bots/a%20b/prompts/support.md"
    assert place["region"]["startLine"] == 7


@pytest.mark.threat("exports")
@pytest.mark.parametrize("path", ["python:app.prompts:support", "//host.invalid/x", "/etc/passwd", "../up.md"])
def test_what_is_no_file_of_the_repository_is_told_where_it_is_asked_for(path: str) -> None:
    run = RUNS["block"]
    arm = run.suites[0].candidate.model_copy(update={"path": path})
    run = run.model_copy(update={"suites": [run.suites[0].model_copy(update={"candidate": arm})]})
    place = told(run)["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "gate.yaml"


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("hold-cost", {"cost-above-limit": "warning"}),
        ("hold-suspect", {"slice-suspect": "error"}),
        ("new-block", {"pass-rate-missed": "error"}),
        ("override-run", {"slice-regressed": "note", "slice-suspect": "note"}),
        ("pass", {}),
        ("skipped", {}),
        ("check-block", {"pass-rate-missed": "error"}),
    ],
)
def test_levels_follow_the_verdict(name: str, rules: dict[str, str]) -> None:
    found = {one["ruleId"]: one["level"] for one in told(RUNS[name])["results"]}
    assert {rule: found.get(rule) for rule in rules} == rules
    assert rules or not found


def test_a_result_keeps_its_fingerprint_from_run_to_run() -> None:
    def prints(run: RunRecord) -> list[str]:
        # The name that GitHub tells results apart by; the line, which a prompt's next edit changes, is not part of it.
        found = told(run, {"prompts/support.md": [(len(run.created), 99)]})["results"]
        return [one["partialFingerprints"]["primaryLocationLineHash"] for one in found]

    run = RUNS["block"]
    later = run.model_copy(update={"commit": "f" * 40, "created": "2027-01-01"})
    assert prints(run) == prints(later)
    assert len(set(prints(run))) == 3


def test_what_kept_the_gate_from_a_verdict_is_a_notification() -> None:
    found = told(RUNS["no-key"])["invocations"][0]
    assert found["executionSuccessful"] is False
    assert "OPENAI_API_KEY" in found["toolExecutionNotifications"][0]["message"]["text"]
    assert told(RUNS["block"])["invocations"][0]["executionSuccessful"] is True
