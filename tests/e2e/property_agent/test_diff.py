"""`gate diff` on the example: the prompt that stays, and the one that loses its sentence about the tools."""

import json
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.record.comparison import Verdict
from tests.e2e.property_agent.estate import FOLDER, PROMPT, Estate

SENTENCE = (
    "Use the tools for every fact about places, guests, nights and money; what they do not tell, you do not know.\n"
)
TASKS = {"listings", "bookings", "occupancy", "revenue"}


@pytest.fixture
def proposed(estate: Estate) -> Estate:
    """With twelve of the cases, and a branch whose prompt has lost the sentence."""
    path = f"{FOLDER}/cases.yaml"
    cases = YAML(typ="safe").load((estate.root / path).read_text(encoding="utf-8"))
    estate.write(path, json.dumps([case for number, case in enumerate(cases) if number % 5 < 3]))
    estate.commit()
    estate.change(PROMPT, SENTENCE, "")
    return estate


def test_a_prompt_without_the_sentence_is_blocked_and_the_report_says_which_tool_is_missing(proposed: Estate) -> None:
    outcome = proposed.gate("diff", "--base", "main", "--json")
    assert outcome.code == 1, outcome.err
    record = outcome.record
    assert record.verdict is Verdict.BLOCK
    (suite,) = record.suites
    assert {one.slice for one in suite.quality.slices} == {f"task={task}" for task in TASKS}
    assert suite.quality.overall.mean is not None
    assert suite.quality.overall.mean < -0.9
    samples = proposed.samples("last")
    tools = {case: len(_names(row)) for (case, arm), row in samples.items() if arm == "candidate"}
    assert set(tools.values()) == {0}
    reasons = {score["reason"] for row in samples.values() for score in row["scores"] if score["value"] == 0}
    for name in ("get_listings", "get_bookings", "get_occupancy", "get_revenue"):
        assert any(f'missing: "{name}"' in reason for reason in reasons), reasons
    assert proposed.quiet()
    for report in ("report.md", "report.html"):
        text = (proposed.root / ".gate/last" / report).read_text(encoding="utf-8").replace("\\_", "_")
        assert "missing: " in text, report
        assert "get_listings" in text, report


def _names(row: dict[str, Any]) -> list[str]:
    transcript = row["reply"]["transcript"]
    assert isinstance(transcript, dict)
    return [use["name"] for turn in transcript["turns"] for use in turn["tools"]]
