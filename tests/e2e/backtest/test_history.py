"""Which commits a backtest judges, and what it says of those that it cannot judge."""

from pathlib import Path

import pytest

from tests.e2e.backtest.conftest import PROMPT, backtest, cases, config, verdicts
from tests.e2e.prompt_functions import repository as functions
from tests.support.command import gate, git
from tests.support.repository import commit, make, write


def test_todays_cases_judge_and_the_working_trees_prompt_does_not(small: Path) -> None:
    write(small, {"cases.jsonl": cases(30), PROMPT: "Not committed.\n"})
    outcome, record = backtest(small)
    assert outcome.code == 0, outcome.err
    assert verdicts(record) == {"Three": "BLOCK", "Two": "PASS", "one": None}
    assert record["commits"][0]["slices"][0]["n"] == 30
    assert "adds prompts/support.md" in record["commits"][2]["reason"]


def test_an_old_prompt_that_todays_cases_do_not_fit_is_a_row(small: Path) -> None:
    old = config("fake:oracle").replace("prompts/support.md", "prompts/support.j2")
    commit(small, {"gate.yaml": old, PROMPT: None, "prompts/support.j2": "Hello {{ nickname }}. quality=1.0\n"}, "Bad")
    commit(small, {"prompts/support.j2": "Hello {{ input }}. quality=1.0\n"}, "Good")
    commit(small, {"prompts/support.j2": "Dear {{ input }}. quality=1.0\n"}, "Better")
    outcome, record = backtest(small, "-n", "3")
    assert outcome.code == 0, outcome.err
    assert verdicts(record) == {"Better": "PASS", "Good": None, "Bad": None}
    assert "nickname" in record["commits"][1]["reason"]
    shown = gate("backtest", "-n", "3", cwd=small).out
    assert shown.count("not evaluated") == 2
    assert "nickname" in shown


def test_a_renamed_prompt_is_followed(small: Path) -> None:
    long = "You help customers of a shop.\nBe brief, and name the order.\n"
    commit(small, {PROMPT: f"{long}quality=1.0\n"}, "Long")
    moved = config("fake:oracle").replace(PROMPT, "bots/support.md")
    commit(small, {"gate.yaml": moved, PROMPT: None, "bots/support.md": f"{long}quality=1.0\n"}, "Only move")
    again = config("fake:oracle").replace(PROMPT, "bots/help.md")
    worse = f"{long}quality=0.1\n"
    commit(small, {"gate.yaml": again, "bots/support.md": None, "bots/help.md": worse}, "Move and break")
    outcome, record = backtest(small, "-n", "4")
    assert outcome.code == 0, outcome.err
    assert list(verdicts(record)) == ["Move and break", "Long", "Three", "Two"]
    assert [row["verdict"] for row in record["commits"]][:1] == ["BLOCK"]
    assert [row["prompts"] for row in record["commits"]] == [["bots/help.md"], [PROMPT], [PROMPT], [PROMPT]]


def test_texts_inside_files_are_followed_and_what_stands_beside_them_is_not(small: Path) -> None:
    own = config("fake:oracle").replace("prompt: prompts/support.md", "system: app.py::SYSTEM\n    user: ask.py::ASK")
    code = 'TRIES = 3\nSYSTEM = """Be kind. quality={}"""\n'
    commit(small, {"gate.yaml": own, "app.py": code.format("1.0"), "ask.py": "ASK = '{input}'\n"}, "Code")
    commit(small, {"app.py": code.format("1.0").replace("3", "4")}, "Try more")
    commit(small, {"ask.py": "ASK = 'Asked: {input}'\n"}, "Ask")
    commit(small, {"app.py": code.format("0.1")}, "Break")
    renamed = {"gate.yaml": own.replace("::SYSTEM", "::RULES"), "app.py": code.replace("SYSTEM", "RULES").format("0.1")}
    commit(small, renamed, "Rename")
    outcome, record = backtest(small)
    assert outcome.code == 0, outcome.err
    assert verdicts(record) == {"Break": "BLOCK", "Ask": "PASS", "Code": None}


def test_a_merge_is_one_commit_and_what_a_prompt_pulls_in_counts(small: Path) -> None:
    templated = config("fake:oracle").replace("support.md", "support.j2")
    text = "{% include 'tone.md' %} {{ input }} quality=1.0\n"
    files = {"gate.yaml": templated, PROMPT: None, "prompts/support.j2": text, "prompts/tone.md": "Kind."}
    commit(small, files, "Parts")
    git(small, "switch", "--quiet", "--create", "side")
    commit(small, {"prompts/tone.md": "Kinder."}, "Side one")
    commit(small, {"prompts/tone.md": "Kindest."}, "Side two")
    git(small, "switch", "--quiet", "main")
    git(small, "merge", "--quiet", "--no-ff", "--message", "Merge side", "side")
    _, record = backtest(small, "-n", "1")
    assert list(verdicts(record)) == ["Merge side"]
    assert record["commits"][0]["parent"] == git(small, "rev-parse", "HEAD^1")


def test_since_leaves_out_what_a_ref_has(small: Path) -> None:
    git(small, "tag", "v1", "HEAD~1")
    _, record = backtest(small, "--since", "v1")
    assert list(verdicts(record)) == ["Three"]
    none = gate("backtest", "--since", "HEAD", cwd=small)
    assert (none.code, none.out.splitlines()[0]) == (0, "no commit changed a prompt of support")
    wrong = gate("backtest", "--since", "v2", cwd=small)
    assert wrong.code == 2
    assert "there is no commit 'v2'" in wrong.err


def test_a_shallow_clone_says_what_to_fetch(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = tmp_path_factory.mktemp("clone") / "shallow"
    git(small, "clone", "--quiet", "--depth", "2", f"file://{small}", str(clone))
    outcome = gate("backtest", cwd=clone)
    assert outcome.code == 2
    assert "this clone is shallow" in outcome.err
    assert "git fetch --unshallow, or use --commits 1" in outcome.err
    _, record = backtest(clone, "-n", "1")
    assert list(verdicts(record)) == ["Three"]


def test_a_repository_without_a_commit_or_a_configuration_is_a_mistake(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    assert "there is no gate.yaml" in gate("backtest", cwd=tmp_path).err
    write(tmp_path, {"gate.yaml": config("fake:oracle"), "cases.jsonl": cases(4), PROMPT: "x\n"})
    outcome = gate("backtest", cwd=tmp_path)
    assert outcome.code == 2
    assert "this repository has no commit yet" in outcome.err
    assert "Traceback" not in outcome.err


def test_two_suites_are_judged_where_their_prompts_changed(small: Path) -> None:
    faq = "  - {name: faq, prompt: prompts/faq.md, cases: cases.jsonl, model: 'fake:oracle', scorers: [contains]}\n"
    commit(small, {"gate.yaml": config("fake:oracle") + faq, "prompts/faq.md": "A. quality=1.0\n"}, "FAQ")
    commit(small, {PROMPT: "Four. quality=1.0\n", "prompts/faq.md": "B. quality=0.1\n"}, "Both")
    commit(small, {"prompts/faq.md": "C. quality=0.1\n"}, "Only FAQ")
    _, record = backtest(small, "-n", "3")
    assert list(verdicts(record)) == ["Only FAQ", "Both", "FAQ"]
    assert {one["slice"].partition("/")[0] for one in record["commits"][0]["slices"]} == {"faq"}
    assert {one["slice"].partition("/")[0] for one in record["commits"][1]["slices"]} == {"faq", "support"}
    assert record["commits"][1]["worst"].startswith("faq/")
    _, record = backtest(small, "-n", "1", "--suite", "support")
    assert list(verdicts(record)) == ["Both"]

    # One of its prompts is new, and the other is judged.
    commit(small, {"gate.yaml": config("fake:oracle") + faq.replace("faq.md", "new.md")}, "Point elsewhere")
    commit(small, {PROMPT: "Five. quality=1.0\n", "prompts/new.md": "D. quality=0.1\n"}, "New and five")
    _, record = backtest(small, "-n", "1")
    assert record["commits"][0]["verdict"] == "PASS"
    assert "adds prompts/new.md" in record["commits"][0]["reason"]


def test_a_prompt_that_is_a_function_is_built_at_each_commit(tmp_path: Path) -> None:
    make(tmp_path, {**functions.FILES, "gate.yaml": functions.CONFIG.replace("openai:gpt-4o-mini", "fake:oracle")})
    commit(tmp_path, {functions.MODULE: functions.SAME}, "Write it another way")
    commit(tmp_path, {functions.MODULE: functions.WORSE}, "Worse")
    outcome, record = backtest(tmp_path)
    assert outcome.code == 0, outcome.err
    assert verdicts(record) == {"Worse": "BLOCK", "one": None}
