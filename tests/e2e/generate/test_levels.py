"""Levels of effort: number of requests, written files, and a second run."""

import json
import re

from gate.config.gatefile import load
from tests.e2e.generate.desk import MODEL, RULES, Desk, counted, document, planned

# intent, inputs, rules, inverse; then those of the level: review, tests, expansion, checks of the inputs.
CALLS = {"min": 4 + 1, "low": 4 + 1 + 2 + 2, "medium": 4 + 1 + 6 + 4, "high": 4 + 1 + 6 + 30 + 30}
TESTS = {"min": 1, "low": 2, "medium": 3, "high": 5}


def test_a_level_makes_its_planned_calls_and_a_second_run_none(desk: Desk) -> None:
    level = "high"
    paid, made = desk.paid("--effort", level)
    assert made.code == 0, made.err
    [now] = re.findall(r"^now: about (\d+) calls?, [\d,]+ tokens, about \$[\d.]+, for up to", made.err, re.MULTILINE)
    assert int(now) == paid - 4 - (level != "min"), "what is still to come once the rules are known"
    assert paid == CALLS[level]
    assert counted(desk.cases()) == {
        (f"R{rule}", kind): TESTS[level] for rule in range(1, RULES + 1) for kind in ("rule", "inverse")
    }

    assert planned(desk.generate("--effort", level, "--plan")) == CALLS[level] - 4 - (level != "min")
    files = desk.files()
    paid, again = desk.paid("--effort", level)
    assert paid == 0
    assert desk.files() == files
    assert "cases.yaml: the cases; review them before you use them (unchanged)" in " ".join(again.out.split())


def test_hand_written_files_are_not_overwritten(desk: Desk) -> None:
    desk.generate("--effort", "min")
    reviewed = desk.write("evals/shop/cases.yaml", "- {id: mine, input: Hello}\n")
    made = desk.generate("--effort", "min")
    assert reviewed.read_text() == "- {id: mine, input: Hello}\n"
    assert len(desk.cases("evals/shop/cases-2.yaml")) == 2 * RULES
    assert "cases-2.yaml" in made.out


def test_the_result_can_be_json(desk: Desk) -> None:
    found = document(desk.generate("--effort", "min", "--json"))
    assert found["schema"] == "prompt-gate/generation/1"
    assert [one["id"] for one in found["specification"]["rules"]] == ["R1", "R2", "R3"]
    assert len(found["tests"]) == 2 * RULES
    assert found["calls"] == {"made": CALLS["min"], "cached": 0, "retried": 0}
    assert found["spent_usd"] > 0
    assert 0 < found["diversity"]["distinct_1"] <= found["diversity"]["distinct_2"] <= 1
    assert found == json.loads((desk.root / ".gate/generate/shop/generation.json").read_text())


def test_the_summary_ends_in_a_suite_that_runs(desk: Desk) -> None:
    made = desk.generate("--effort", "min", "--judge-model", "anthropic:claude-haiku-4-5")
    summary = (desk.root / ".gate/generate/shop/summary.md").read_text(encoding="utf-8")
    fenced = re.search(r"^```yaml\n(.*?)^```$", summary, re.MULTILINE | re.DOTALL)
    assert fenced is not None
    assert fenced[1] in made.out
    [suite] = load(fenced[1], "gate.yaml").suites
    assert (suite.name, str(suite.model), list(suite.slices)) == ("shop", MODEL, ["rule", "kind"])
    words, ending, judge = suite.scorers
    assert (words.kind, words.name, words.options["max"]) == ("words", "R1", 80)
    assert (ending.kind, ending.name) == ("regex", "R3")
    assert judge.options["criteria"] == "The answer keeps each of these rules:\n- Never name a competitor."
    desk.write("gate.yaml", fenced[1])
    checked = desk.gate("check", "--samples", "1", "--json")
    assert checked.code == 1, checked.err  # the server's answers are not right
    assert len(checked.record.new[0].cases) == 2 * RULES
