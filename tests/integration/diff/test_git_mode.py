"""Two refs of a real repository: whose prompt, whose exam, and which suites."""

import shutil
from pathlib import Path

import pytest

from gate.domain.verdict import Verdict
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.example import CONFIG, case


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / "gate.yaml").write_text(CONFIG)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/support.md").write_text("Help the customer. quality=1.0")
    (tmp_path / "prompts/faq.md").write_text("Answer. quality=1.0")
    write_jsonl(tmp_path / "evals/support.jsonl", [case(i, "gold" if i % 2 else "free") for i in range(40)])
    write_jsonl(tmp_path / "evals/faq.jsonl", [case(i, "free") for i in range(12)])
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def run(repo: Path, *more: str) -> Outcome:
    return gate("diff", "--base", "main", "--json", *more, cwd=repo)


def break_gold(repo: Path) -> None:
    (repo / "prompts/support.md").write_text("Help. quality=1.0 quality[gold]=0.1")


def test_a_change_in_the_working_tree_is_compared_with_the_base(repo: Path) -> None:
    break_gold(repo)
    outcome = run(repo)
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert "tier=gold" in record.reasons[0]
    assert [suite.name for suite in record.suites] == ["support"]
    arms = record.suites[0]
    assert (arms.baseline.ref, arms.candidate.ref) == ("main", "working tree")
    assert arms.baseline.sha == git(repo, "rev-parse", "main")


def test_a_change_on_a_branch_is_read_from_git_whatever_is_checked_out(repo: Path) -> None:
    git(repo, "switch", "--quiet", "--create", "change")
    break_gold(repo)
    git(repo, "commit", "--quiet", "--all", "--message", "two")
    git(repo, "switch", "--quiet", "main")
    record = run(repo, "--head", "change").record
    assert record.verdict is Verdict.BLOCK
    assert record.commit == git(repo, "rev-parse", "change")


def test_from_a_folder_below_the_root(repo: Path) -> None:
    break_gold(repo)
    assert gate("diff", "--base", "main", "--quiet", cwd=repo / "prompts").code == 1


def test_nothing_touched_is_skipped(repo: Path) -> None:
    (repo / "README.md").write_text("Hello")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 0
    assert "SKIPPED" in outcome.out
    assert not (repo / ".gate").exists()


def test_everything_on_request(repo: Path) -> None:
    record = run(repo, "--all").record
    assert [suite.name for suite in record.suites] == ["support", "faq"]
    assert record.verdict is Verdict.PASS


def test_one_suite_on_request(repo: Path) -> None:
    break_gold(repo)
    (repo / "prompts/faq.md").write_text("Answer quickly. quality=1.0")
    assert [suite.name for suite in run(repo, "--suite", "faq").record.suites] == ["faq"]
    assert gate("diff", "--base", "main", "--suite", "nope", cwd=repo).code == 2


def test_the_exam_is_the_bases(repo: Path) -> None:
    break_gold(repo)
    kept = [case(i, "free") for i in range(0, 40, 2)]
    write_jsonl(repo / "evals/support.jsonl", [*kept[1:], {**kept[0], "expected": "anything"}, case(99, "free")])
    outcome = run(repo)
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    exam = record.suites[0].exam
    assert (exam.cases, exam.ref) == (40, "main")
    assert exam.added == ["c99"]
    assert exam.edited == ["c0"]
    assert len(exam.removed) == 20


def test_a_policy_that_the_change_loosens_is_not_used(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(CONFIG.replace("slices: [tier]", "slices: []"))
    assert run(repo).record.verdict is Verdict.BLOCK


def test_a_run_policy_that_the_change_edits_is_told_and_not_used(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(CONFIG + "policy: {confidence: 0.999, mode: advisory}\nbudget: {max_calls: 500}\n")
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    assert record.method.alpha == 0.025
    assert record.run_edits == ["policy.confidence", "policy.mode", "budget.max_calls"]
    told = [(value.old, value.new) for value in record.run_values]
    assert told == [("0.95", "0.999"), ("enforce", "advisory"), ("not set", "500")]


def test_a_renamed_suite_does_not_bring_an_easier_exam(repo: Path) -> None:
    break_gold(repo)
    easier = CONFIG.replace("name: support", "name: helpdesk").replace("[contains]", "[{regex: {pattern: .}}]")
    (repo / "gate.yaml").write_text(easier)
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["helpdesk"]
    assert outcome.record.suites[0].exam.scorers == ["contains"]


def test_a_change_of_the_model_alone_runs_the_suite(repo: Path) -> None:
    params = 'defaults: {model: "fake:oracle", samples: 2, params: {max_output_tokens: 9}}'
    (repo / "gate.yaml").write_text(CONFIG.replace('defaults: {model: "fake:oracle", samples: 2}', params))
    record = run(repo, "--suite", "support").record
    assert (record.suites[0].baseline.params, record.suites[0].candidate.params) == ({}, {"max_output_tokens": 9})


@pytest.mark.parametrize("name", ["support", "support2"])
@pytest.mark.parametrize("model", ["fake:echo", "replay:answers.jsonl"])
def test_a_change_cannot_answer_with_recorded_or_made_up_answers(repo: Path, name: str, model: str) -> None:
    (repo / "gate.yaml").write_text(CONFIG.replace("fake:oracle", model).replace("name: support", f"name: {name}"))
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "is no model" in outcome.err


def test_first_adoption_uses_its_own_exam_and_says_so(repo: Path) -> None:
    git(repo, "rm", "--quiet", "--cached", "gate.yaml")
    git(repo, "commit", "--quiet", "--message", "without a configuration")
    break_gold(repo)
    outcome = run(repo)
    assert outcome.record.verdict is Verdict.BLOCK
    assert "gate.yaml is new" in outcome.err
    assert any("gate.yaml is new" in note for note in outcome.record.notes)


def test_a_glob_is_one_suite_for_each_file(repo: Path) -> None:
    globbed = CONFIG[: CONFIG.index("suites:")] + (
        "suites:\n  - {name: all, prompt: 'prompts/*.md', cases: evals/faq.jsonl, scorers: [contains]}\n"
    )
    (repo / "gate.yaml").write_text(globbed)
    git(repo, "commit", "--quiet", "--all", "--message", "glob")
    (repo / "prompts/faq.md").write_text("Answer in one word. quality=1.0")
    assert [suite.name for suite in run(repo).record.suites] == ["all:faq"]


def test_the_verdict_is_the_same_when_run_again(repo: Path) -> None:
    break_gold(repo)
    first, second = run(repo).record, run(repo).record
    assert (first.seed, first.verdict) == (second.seed, second.verdict)
    assert first.suites[0].quality == second.suites[0].quality


FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]


def test_a_change_cannot_drop_the_suite_of_the_prompt_that_it_breaks(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(FAQ_ONLY)
    (repo / "evals/support.jsonl").unlink()
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["support"]
    assert len(outcome.record.suites[0].exam.removed) == 40
    assert any("no suite for prompts/support.md any more" in note for note in outcome.record.notes)


def test_a_change_cannot_point_the_suite_at_another_file(repo: Path) -> None:
    break_gold(repo)
    (repo / "prompts/harmless.md").write_text("Help the customer. quality=1.0")
    (repo / "gate.yaml").write_text(CONFIG.replace("prompts/support.md", "prompts/harmless.md"))
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["support", "support at prompts/support.md"]


def test_a_prompt_that_the_configuration_still_names_and_that_is_gone_is_a_mistake(repo: Path) -> None:
    git(repo, "rm", "--quiet", "prompts/support.md")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "prompts/support.md: there is no such prompt at working tree" in outcome.err
    assert "to delete the prompt, take its suite out, too" in " ".join(outcome.err.split())


DELETED = "prompts/support.md, which main examines with 40 cases, is deleted."


def test_a_deleted_prompt_holds_the_others(repo: Path) -> None:
    git(repo, "rm", "--quiet", "prompts/support.md")
    (repo / "gate.yaml").write_text(FAQ_ONLY)
    (repo / "prompts/faq.md").write_text("Answer. Be kind. quality=1.0")
    outcome = run(repo)
    record = outcome.record
    assert (outcome.code, record.verdict, record.deleted) == (0, Verdict.HOLD, ["prompts/support.md"])
    assert [suite.name for suite in record.suites] == ["faq"]
    assert DELETED in record.reasons
    assert DELETED in record.notes


def test_a_change_that_only_deletes_is_a_hold(repo: Path) -> None:
    git(repo, "rm", "--quiet", "prompts/support.md")
    config = FAQ_ONLY.replace("version: 1", "version: 1\npolicy: {fail_on: hold}")
    (repo / "gate.yaml").write_text(FAQ_ONLY)
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict, outcome.record.reasons) == (0, Verdict.HOLD, [DELETED])
    assert "HOLD: prompts/support.md is deleted" in gate("diff", "--base", "main", "-q", cwd=repo).out
    assert gate("diff", "--base", "main", "--fail-on", "hold", "-q", cwd=repo).code == 1
    assert "prompts/support.md" in (repo / ".gate/last/report.md").read_text()
    # What the change itself says about failing does not count.
    (repo / "gate.yaml").write_text(config)
    assert gate("diff", "--base", "main", "-q", cwd=repo).code == 0


@pytest.mark.parametrize("config", [FAQ_ONLY, CONFIG.replace("prompts/support.md", "prompts/new.md")])
def test_a_prompt_does_not_slip_away_by_moving(repo: Path, config: str) -> None:
    text = (repo / "prompts/support.md").read_text()
    git(repo, "mv", "prompts/support.md", "prompts/elsewhere.md")
    (repo / "prompts/elsewhere.md").write_text(text + "\nquality[gold]=0.1\n")
    (repo / "prompts/new.md").write_text("Something else. quality=1.0")
    (repo / "gate.yaml").write_text(config)
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    assert "prompts/support.md is now prompts/elsewhere.md; it is compared with what it was." in record.notes
    assert "prompts/elsewhere.md" in {suite.candidate.path for suite in record.suites}


def test_a_prompt_that_moves_within_its_pattern_keeps_its_exam(repo: Path) -> None:
    head = CONFIG[: CONFIG.index("suites:")]
    pattern = (
        "  - {name: all, prompt: 'prompts/*.md', cases: evals/support.jsonl, scorers: [contains], slices: [tier]}\n"
    )
    (repo / "gate.yaml").write_text(f"{head}suites:\n{pattern}")
    git(repo, "commit", "--quiet", "--all", "--message", "pattern")
    text = (repo / "prompts/support.md").read_text()
    git(repo, "mv", "prompts/support.md", "prompts/help.md")
    (repo / "prompts/help.md").write_text(text + "\nquality[gold]=0.1\n")
    record = run(repo).record
    assert (record.verdict, [suite.name for suite in record.suites], record.new) == (Verdict.BLOCK, ["all:help"], [])
    assert record.suites[0].baseline.path == "prompts/support.md"


def test_a_link_that_the_repository_brings_is_not_written_through(
    repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "victim").write_text("precious")
    break_gold(repo)
    (repo / ".gate/last").mkdir(parents=True)
    (repo / ".gate/last/samples.jsonl").symlink_to(outside / "victim")
    (repo / ".gate/last/run.json").symlink_to(outside / "victim")
    assert gate("diff", "--base", "main", "-q", cwd=repo).code == 1
    assert (outside / "victim").read_text() == "precious"
    assert not (repo / ".gate/last/samples.jsonl").is_symlink()
    shutil.rmtree(repo / ".gate")
    (repo / ".gate").symlink_to(outside)
    assert gate("diff", "--base", "main", "-q", cwd=repo).code == 2
    assert [path.name for path in outside.iterdir()] == ["victim"]


def test_a_name_is_no_command_to_the_runner(repo: Path) -> None:
    (repo / "gate.yaml").write_text(CONFIG.replace("name: faq", 'name: "::add-mask::a"'))
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert not any(line.lstrip().startswith("::") for line in (outcome.out + outcome.err).splitlines())


def test_a_prompt_that_moves_is_compared_with_where_it_was(repo: Path) -> None:
    git(repo, "mv", "prompts/support.md", "prompts/help.md")
    (repo / "gate.yaml").write_text(CONFIG.replace("prompts/support.md", "prompts/help.md"))
    (repo / "prompts/help.md").write_text("Help. quality=1.0 quality[gold]=0.1")
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    assert [suite.name for suite in record.suites] == ["support"]
    assert (record.suites[0].baseline.path, record.suites[0].candidate.path) == (
        "prompts/support.md",
        "prompts/help.md",
    )


RECORDED = CONFIG.replace("fake:oracle", "replay:answers.jsonl")


def answers(prefix: str = "word") -> list[dict[str, object]]:
    return [
        {"input": f"slice={t} answer=word{i}", "output": f"{prefix}{i}"} for i in range(40) for t in ("gold", "free")
    ]


@pytest.fixture
def recorded(repo: Path) -> Path:
    """A base that answers from a file of the repository, and a branch of it."""
    (repo / "gate.yaml").write_text(RECORDED)
    write_jsonl(repo / "recorded/answers.jsonl", answers())
    (repo / "gate.yaml").write_text(RECORDED.replace("answers.jsonl", "recorded/answers.jsonl"))
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "recorded")
    git(repo, "switch", "--quiet", "--create", "change")
    break_gold(repo)
    return repo


def on_branch(repo: Path) -> Outcome:
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "change")
    return gate("diff", "--base", "main", "--head", "change", "--suite", "support", cwd=repo)


def test_a_change_may_not_replace_the_file_that_answers(recorded: Path) -> None:
    write_jsonl(recorded / "recorded/answers.jsonl", answers("perfect"))
    outcome = on_branch(recorded)
    assert outcome.code == 2
    assert "recorded/answers.jsonl: the change replaces this file" in outcome.err


def test_a_change_may_not_lead_to_another_file_that_answers(recorded: Path) -> None:
    shutil.move(recorded / "recorded", recorded / "forged")
    (recorded / "recorded").symlink_to("forged")
    outcome = on_branch(recorded)
    assert outcome.code == 2
    assert "recorded/answers.jsonl: the change replaces this file" in outcome.err


def test_a_file_that_answers_and_stays_is_fine(recorded: Path) -> None:
    assert on_branch(recorded).code == 0
