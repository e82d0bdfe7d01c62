"""`gate generate --diff`: how a change affects the rules of a prompt, and the updated files."""

import shutil
from pathlib import Path

import pytest

from gate.config import gatefile
from gate.record.run import PromisesRecord
from tests.e2e.generate.desk import JUDGE, MODEL, PROMPT, RULES, Desk, document, planned
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader, stage_of
from tests.support.rendering import commands
from tests.support.repository import make

TWENTY = PROMPT.replace("at most 80 words", "at most 20 words")
POLITE = PROMPT.replace("Always end", "You must be polite. Always end")
SHORT = PROMPT.replace("The answer must have at most 80 words. ", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the prompt on the main branch."""
    return make(tmp_path_factory.mktemp("shop"), {"prompts/shop.md": PROMPT, ".gitignore": ".gate/\n"})


@pytest.fixture
def repo(tmp_path: Path, folder: Path, server: ModelServer) -> Desk:
    return Desk(shutil.copytree(folder, tmp_path, dirs_exist_ok=True), server)


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory, folder: Path, running: ModelServer) -> Path:
    """The same with tests."""
    copied = tmp_path_factory.mktemp("tested")
    running.behaviour = Behaviour(judgement=reader)
    made = Desk(shutil.copytree(folder, copied, dirs_exist_ok=True), running).generate("--effort", "min")
    assert made.code == 0, made.err
    return copied


@pytest.fixture
def old(tmp_path: Path, tested: Path, server: ModelServer) -> Desk:
    """A repository whose prompt has tests."""
    return Desk(shutil.copytree(tested, tmp_path, dirs_exist_ok=True), server)


def compared(desk: Desk, *arguments: str) -> PromisesRecord:
    made = desk.generate("--diff", "--base", "main", "--json", *arguments)
    assert made.code == 0, made.err
    return PromisesRecord.model_validate_json(made.out)


def states(found: PromisesRecord) -> dict[str, list[str | None]]:
    """Rules by state, in their old wording, or in the new wording if they are new."""
    told: dict[str, list[str | None]] = {}
    for one in found.changes:
        told.setdefault(one.state, []).append(one.before or one.after)
    return told


def test_an_unchanged_prompt_makes_no_calls(repo: Desk) -> None:
    assert states(compared(repo)) == {}
    assert repo.asked == 0
    made = repo.generate("--diff", "--base", "main")
    assert (made.code, made.out, made.err) == (0, "The rules of the prompt did not change.\n", "")


def test_new_and_stricter_rules_are_tested_on_both_versions(repo: Desk) -> None:
    repo.write("prompts/shop.md", POLITE.replace("at most 80", "at most 20"))
    found = compared(repo, "--evaluate", "openai:gpt-4o-mini", "--judge-model", JUDGE, "--set", "tests_per_rule=1")
    assert set(states(found)) == {"added", "tightened"}
    assert [trial.tests for trial in found.trials] == [2, 2]
    answers = [entry for entry in repo.server.ledger if entry.model == "gpt-4o-mini"]
    assert len(answers) == 2 * 4
    assert {"80" in entry.system for entry in answers} == {True, False}


def test_undecided_rules_stay_open(old: Desk) -> None:
    before = old.spec()
    old.write("prompts/shop.md", PROMPT.replace("Never name a competitor.", "Never name a competitor in a heading."))
    made = old.generate("--diff", "--base", "main", "--update", "--effort", "min")
    assert made.code == 0, made.err
    assert "not known" in made.out
    assert "not changed, decide about them yourself: R2" in made.out
    assert old.spec().prompt == before.prompt
    again = old.generate("--diff", "--base", "main", "--update", "--effort", "min")
    assert "not changed, decide about them yourself: R2" in again.out


def test_after_an_update_there_is_nothing_left_to_generate(old: Desk) -> None:
    level = "min"
    old.write("prompts/shop.md", POLITE.replace("at most 80", "at most 20"))
    updated = old.generate("--diff", "--base", "main", "--update", "--effort", level)
    assert updated.code == 0, updated.err
    assert "R1 → R4, new: R5" in updated.out
    _, _, suite = updated.out.partition("version: 1\n")
    (entry,) = gatefile.load(f"version: 1\n{suite}", "shown").suites
    words = [scorer for scorer in entry.scorers if scorer.kind == "words"]
    assert [(scorer.name, scorer.options["max"]) for scorer in words] == [("R4", 20)]
    assert entry.cases == "evals/shop/cases.yaml"
    assert {rule.text for rule in old.spec().rules} == {
        "Never name a competitor.",
        "Always end with a question.",
        "You must be polite.",
        "The answer must have at most 20 words.",
    }
    assert {case.slices["rule"] for case in old.cases() if case.obsolete} == {"R1"}
    assert {case.slices["rule"] for case in old.cases()} == {"R1", "R2", "R3", "R4", "R5"}
    files = old.files()
    paid, made = old.paid("--effort", level)
    assert (made.code, paid) == (0, 0), made.err
    assert old.files() == files
    assert "nothing to do" in made.out
    paid, made = old.paid("--effort", level, "--json")
    assert (made.code, paid, old.files()) == (0, 0, files), made.err
    assert "has the tests of 4 rules" in document(made)["nothing_to_do"]
    assert "nothing to do" in old.generate("--effort", level, "--plan").out


def test_a_version_without_rules_is_compared(repo: Desk) -> None:
    repo.write("prompts/shop.md", "Hello.")
    assert {name: len(rules) for name, rules in states(compared(repo)).items()} == {"removed": RULES}


def test_the_plan_is_shown_before_the_calls(repo: Desk) -> None:
    repo.write("prompts/shop.md", POLITE)
    plan = repo.generate("--diff", "--base", "main", "--plan", "--evaluate", "openai:gpt-4o-mini", "--effort", "min")
    assert plan.code == 0, plan.err
    assert repo.asked == 0
    made = repo.generate("--diff", "--base", "main", "--evaluate", "openai:gpt-4o-mini", "--effort", "min")
    assert " ".join(plan.out.split()).startswith(made.err.splitlines()[0])
    # The new rule has no old version to compare with, and both versions give the same answers to two tests.
    assert repo.asked == planned(plan) - 1 - 2
    assert "about $" in made.err.splitlines()[0]


def test_the_judge_of_a_comparison_has_temperature_0(repo: Desk) -> None:
    repo.write("prompts/shop.md", PROMPT.replace("Never name a competitor.", "Never name a competitor in a heading."))
    compared(repo, "--judge-model", "openai:gpt-4o")
    assert "specdiff" in {stage_of(entry.system) for entry in repo.server.ledger}
    asked = [body.get("temperature") for body in repo.server.bodies if body["model"] == "gpt-4o"]
    assert asked == [0.0]


@pytest.mark.parametrize("option", [["--set", "max_rules=3"], ["--instructions", "review=Be strict"]])
def test_options_without_effect_on_a_comparison_are_refused(repo: Desk, option: list[str]) -> None:
    made = repo.generate("--diff", "--base", "main", *option)
    assert (made.code, repo.asked) == (2, 0)
    assert "cannot be used with --diff" in made.err


def test_a_case_file_that_cannot_be_extended_leaves_both_files_unchanged(old: Desk) -> None:
    old.write("evals/shop/cases.yaml", "id: a\ninput: x\n")
    files = old.files()
    old.write("prompts/shop.md", SHORT)
    made = old.generate("--diff", "--base", "main", "--update", "--effort", "min")
    assert made.code == 2, made
    assert old.files() == files | {"prompts/shop.md": SHORT.encode()}


HAND = '{"id": "a", "input": "hello", "slices": {"rule": "R1"}}\n'


def suite_with(cases: str) -> str:
    scorer = "scorers: [contains: {value: a}]"
    return f"version: 1\nsuites: [{{name: shop, prompt: prompts/shop.md, cases: {cases}, model: {MODEL}, {scorer}}}]\n"


def test_hand_written_cases_are_not_changed(old: Desk) -> None:
    old.write("exam/hand.jsonl", HAND)
    old.write("gate.yaml", suite_with("exam/hand.jsonl"))
    old.write("prompts/shop.md", TWENTY)
    made = old.generate("--diff", "--base", "main", "--update", "--effort", "min")
    assert made.code == 0, made.err
    assert (old.root / "exam/hand.jsonl").read_text(encoding="utf-8") == HAND
    assert {case.slices["rule"] for case in old.cases() if case.obsolete} == {"R1"}
    assert "R4" in {case.slices["rule"] for case in old.cases()}
    assert "exam/hand.jsonl: not changed" in made.out


def test_removing_all_cases_is_reported(old: Desk) -> None:
    old.write("prompts/shop.md", "You answer kindly.\n")
    made = old.generate("--diff", "--base", "main", "--update", "--effort", "min", "--quiet")
    assert made.code == 0, made.err
    assert "evals/shop/cases.yaml: no active case is left, all 6 cases are marked obsolete" in made.err
    assert "scorers: []" not in made.out


def test_printed_texts_are_not_commands(old: Desk) -> None:
    key = "sk-ant-api03-" + "A1" * 20
    old.write("prompts/shop.md", f"{PROMPT}It must always say ##[error]y ::add-mask::x \u202e {key}.\n")
    for form in ("--json", "--update"):
        made = old.generate("--diff", "--base", "main", "--effort", "min", form)
        assert made.code == 0, made.err
        assert "error" in made.out
        assert commands(made.out + made.err) == []
        for bad in ("\u202e", key):
            assert bad not in made.out + made.err
