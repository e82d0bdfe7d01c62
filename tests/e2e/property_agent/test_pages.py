"""What the pages on agents show works as it stands."""

import json
import re
from pathlib import Path

from gate.cases import reading as cases
from gate.config import gatefile
from gate.config.targets import ToolLoop
from tests.e2e.property_agent.estate import CONFIG, FOLDER, ROOT, Estate
from tests.e2e.property_agent.landlord import judgement
from tests.support.model_server import Behaviour

GUIDE = (ROOT / "docs/how-to/agents.md").read_text(encoding="utf-8")
TASKS = ("listings", "bookings", "occupancy", "revenue")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def test_the_configuration_shown_is_valid() -> None:
    (shown,) = [block for block in blocks("yaml") if block.startswith("version: 1")]
    assert isinstance(gatefile.load(shown, "guide.yaml").suites[0].target, ToolLoop)


def test_the_cases_shown_are_valid() -> None:
    (shown,) = [block for block in blocks("yaml") if block.startswith("- name")]
    found = cases.parse(shown, "guide.yaml")
    assert [case.id for case in found] == [
        *("get_listing_details", "multi_round_conversation", "which_one", "curious_landlord"),
    ]
    lines = re.findall(r"^    (expected_tools: .*)$", GUIDE, re.MULTILINE)
    text = "".join(f"- name: c{number}\n  prompt: x\n  {line}\n" for number, line in enumerate(lines))
    assert len(cases.parse(text, "guide.yaml")) == 3


def test_the_examples_pages_count_right() -> None:
    found = tuple(cases.parse((ROOT / FOLDER / "cases.yaml").read_text(encoding="utf-8"), "cases.yaml"))
    assert len(found) == 20
    assert [sum(case.slices["task"] == task for case in found) for task in TASKS] == [5] * 4
    assert sum(bool(case.rounds) for case in found) == 4
    assert [case.id for case in found if case.revival] == ["after_a_break"]
    assert [case.id for case in found if case.facts] == ["which_one"]
    assert [case.id for case in found if case.user] == ["curious_landlord"]


def other_agent(estate: Estate, target: str) -> None:
    """Let something else answer two rounds, with a revival after the first."""
    config_text = (estate.root / CONFIG).read_text(encoding="utf-8")
    changed = re.sub(r"    target:\n.*?(?=    conversation:)", f"    target: {target}\n", config_text, flags=re.DOTALL)
    estate.write(CONFIG, re.sub(r"      - database: .*\n", "", changed).replace("    slices: [task]\n", ""))
    said = {"name": "again", "rounds": [{"prompt": "One?"}, {"prompt": "Two?"}], "test_agent_revival": True}
    estate.write(f"{FOLDER}/cases.yaml", json.dumps([said]))
    estate.models.behaviour = Behaviour(
        judgement=lambda system, user: judgement(system, "# Answer\nHere is what I found")
    )


def test_the_python_agent_shown_works(estate: Estate, tmp_path: Path) -> None:
    (shown,) = blocks("python")
    other_agent(estate, "{python: agents.property:Agent}")
    (estate.root / "agents").mkdir()
    estate.write("agents/property.py", shown.replace("/tmp/sessions", str(tmp_path / "sessions")))
    outcome = estate.gate("check")
    assert outcome.code == 0, outcome.err + outcome.out
    transcript = estate.samples()["again", "candidate"]["reply"]["transcript"]
    assert transcript["revived"] == [0]
    assert [turn["answer"] for turn in transcript["turns"]] == [
        "You have the Beach House. (1 messages)",
        "You have the Beach House. (2 messages)",
    ]
    assert transcript["turns"][0]["tools"][0]["name"] == "get_listings"


def test_the_program_in_another_language_follows_the_protocol() -> None:
    program = (ROOT / "docs/examples/agent.mjs").read_text(encoding="utf-8")
    kinds = set(re.findall(r'"?type"?(?:: | === )"(\w+)"', program))
    assert kinds == {"start", "send", "close", "reopen", "ok", "answer"}
