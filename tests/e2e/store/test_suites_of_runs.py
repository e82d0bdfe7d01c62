"""`cases: store:NAME[@version]` in gate.yaml."""

from contextlib import closing
from pathlib import Path

import pytest

from gate.store.run_folder import load_run
from gate.store.sql import maintenance
from gate.store.sql.database import Database
from tests.e2e.store.conftest import CONFIG, Place
from tests.support import example, repository
from tests.support.command import gate, git

BROKEN = {example.PROMPT: example.BROKEN}


def named(cases: str) -> str:
    return CONFIG.replace("store:support", cases)


def test_a_comparison_names_its_version_and_is_reproducible(place: Place) -> None:
    version = place.put("support", 20)
    repository.write(place.repo, BROKEN)
    first = place.gate("diff", "--base", "main", "--json")
    assert first.code == 1, first.err
    exam = first.record.suites[0].exam
    assert (exam.store, exam.store_digest, exam.cases) == ("store:support@1", version.digest, 20)
    told = (place.repo / ".gate/last/report.md").read_text("utf-8")
    assert "20 cases of `store:support@1` at `main`" in told
    place.put("support", 4, first=20)
    newest = place.gate("diff", "--base", "main", "--json").record.suites[0].exam
    assert (newest.store, newest.cases) == ("store:support@2", 24)
    repository.commit(place.repo, {"gate.yaml": named("store:support@1"), example.PROMPT: example.GOOD})
    repository.write(place.repo, BROKEN)
    again = place.gate("diff", "--base", "main", "--json").record.suites[0].exam
    assert again.model_copy(update={"ref": exam.ref}) == exam
    assert again.digest == exam.digest != newest.digest


def test_a_new_store_version_is_not_a_change_of_a_pull_request(place: Place) -> None:
    place.put("support", 4)
    place.put("support", 5, first=4)
    done = place.gate("diff", "--base", "main")
    assert (done.code, done.out.split(":")[0]) == (0, "SKIPPED")


def test_a_change_of_the_suite_version_is_tested_with_the_old_version(place: Place) -> None:
    place.put("support", 10)
    place.archive("support", "c0", "c1")
    place.put("support", 1, first=10)
    repository.commit(place.repo, {"gate.yaml": named("store:support@1")})
    repository.write(place.repo, {"gate.yaml": named("store:support@3"), **BROKEN})
    run = place.gate("diff", "--base", "main", "--json").record
    exam = run.suites[0].exam
    assert (exam.store, exam.cases, exam.added, exam.removed) == ("store:support@1", 10, ["c10"], ["c0", "c1"])
    (change,) = run.exam_changes
    assert (change.added, change.removed) == (["c10"], ["c0", "c1"])


def test_check_plan_and_calibrate_read_the_store(place: Place) -> None:
    place.put("support", 12)
    checked = place.gate("check", "--suite", "support", "--json")
    assert checked.record.new[0].exam.store == "store:support@1"
    planned = place.gate("plan")
    assert planned.code == 0, planned.err
    assert "support" in planned.out
    calibrated = place.gate("calibrate", "--suite", "support", "--out", "noise")
    assert calibrated.code == 0, calibrated.err
    assert load_run(place.repo / "noise").suites[0].exam.store == "store:support@1"


MISSING = (
    ("diff --base main --all", "store:suport", "store:suport: the store has no such suite", "did you mean 'support'?"),
    (
        "diff --base main --all",
        "store:support@7",
        "store:support@7: the suite has no such version",
        "the newest is store:support@1",
    ),
    ("check", "store:empty", "store:empty@2: has no cases", "gate cases add store:empty"),
)


def test_missing_suites_of_the_store_are_reported(place: Place) -> None:
    place.put("support", 4)
    place.put("empty", 1)
    place.archive("empty", "c0")
    for command, cases, said, hint in MISSING:
        repository.commit(place.repo, {"gate.yaml": named(cases)})
        done = place.gate(*command.split())
        assert done.code == 2
        assert said in done.err
        assert hint in done.err


def test_an_unreachable_store_cannot_pass(tmp_path: Path) -> None:
    repo = repository.make(tmp_path / "repo", {**example.FILES, "gate.yaml": CONFIG})
    repository.write(repo, {example.PROMPT: example.REWORDED})
    nowhere = gate("diff", "--base", "main", cwd=repo)
    assert nowhere.code == 3
    assert "GATE_DATABASE_URL is not set, and .gate/gate.db does not exist" in nowhere.err
    assert not (repo / ".gate/gate.db").exists()
    url = "postgresql://gate:hidden@127.0.0.1:9/gate?connect_timeout=2"
    away = gate("diff", "--base", "main", cwd=repo, env={"GATE_DATABASE_URL": url})
    assert away.code == 3
    assert "does not answer" in away.err
    assert "hidden" not in away.err


@pytest.mark.threat("store-file")
@pytest.mark.parametrize(
    ("link", "env"),
    [(False, {"GATE_DATABASE_URL": "sqlite:///.gate/gate.db"}), (True, {})],
    ids=["a file by its address", "a link"],
)
def test_a_store_that_git_tracks_is_refused(tmp_path: Path, link: bool, env: dict[str, str]) -> None:
    """A pull request could bring an exam of its own with it."""
    repo = repository.make(tmp_path / "repo", {**example.FILES, "gate.yaml": CONFIG})
    (repo / ".gate").mkdir()
    forged = (tmp_path if link else repo / ".gate") / "gate.db"
    with closing(Database(f"sqlite:///{forged}")) as database:
        maintenance.upgrade(database)
        Place(repo, database, {}).put("support", 1)
    if link:
        (repo / ".gate/gate.db").symlink_to(forged)
    git(repo, "add", "--force", ".gate")
    repository.write(repo, {example.PROMPT: example.REWORDED})
    done = gate("diff", "--base", "main", cwd=repo, env=env)
    assert done.code == 2
    assert "git tracks" in done.err
    assert "gate.db" in done.err
    git(repo, "rm", "--quiet", "--cached", ".gate/gate.db")
    assert gate("diff", "--base", "main", cwd=repo, env=env).code != 2
