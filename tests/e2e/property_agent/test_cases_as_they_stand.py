"""Tests of agents as people write them, in JSON with no other key, run on the example's agent."""

import json
from pathlib import Path

from tests.e2e.property_agent.estate import CONFIG, FOLDER, Estate

CASES = Path(__file__).with_name("seed_cases.json")


def test_both_run_unchanged(estate: Estate) -> None:
    estate.write(f"{FOLDER}/cases.json", CASES.read_text(encoding="utf-8"))
    estate.change(CONFIG, f"{FOLDER}/cases.yaml", f"{FOLDER}/cases.json")
    estate.change(CONFIG, "    slices: [task]\n", "")
    outcome = estate.gate("check", "--json")
    assert outcome.code == 0, outcome.err + outcome.out
    samples = estate.samples()
    # In whatever order they were finished.
    assert sorted(case for case, _ in samples) == ["get_listing_details", "multi_round_conversation"]
    details = samples["get_listing_details", "candidate"]
    assert "12 Dune Road" in details["reply"]["text"]
    assert {"scorer": "expected_tools", "value": 1.0} in [
        {key: score[key] for key in ("scorer", "value")} for score in details["scores"]
    ]
    transcript = samples["multi_round_conversation", "candidate"]["reply"]["transcript"]
    assert transcript["revived"] == [0]
    assert json.loads(transcript["turns"][1]["tools"][0]["arguments"])["listing"] == "Beach House"
    criteria = json.loads(CASES.read_text(encoding="utf-8"))[1]["rounds"][1]["judge_prompt"]
    assert any(criteria in f"{entry.system}{entry.user}" for entry in estate.models.ledger)
