"""`gate push` adds finished runs to the store."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from gate.cases.stored import Page
from gate.errors import CannotEvaluate
from gate.record.comparison import Verdict
from gate.record.history import Context, RunFilter
from gate.store.push import store_run
from gate.store.run_folder import load_run
from gate.store.sql import maintenance
from gate.store.sql.runs import Runs
from tests.e2e.action.example import SMALL
from tests.e2e.store.conftest import BOTH, CONFIG, Place
from tests.support import example, repository, stores
from tests.support.command import gate, git
from tests.support.postgres import falling_silent

BROKEN = {example.PROMPT: example.BROKEN}
AWAY = {"GATE_DATABASE_URL": "postgresql://gate:hidden@127.0.0.1:9/gate?connect_timeout=2"}


@BOTH
def test_a_comparison_is_stored_with_samples_and_origin(place: Place) -> None:
    place.put("support", 20)
    git(place.repo, "remote", "add", "origin", "git@git.example.org:acme/support-bot.git")
    git(place.repo, "config", "user.name", "Ann")
    git(place.repo, "switch", "--quiet", "--create", "kinder")
    repository.write(place.repo, BROKEN)
    done = place.gate("diff", "--base", "main", "--out", "report")
    assert done.code == 1, done.err
    kept = place.gate("push", "report")
    (row,) = place.runs.rows(RunFilter(), Page())
    assert f"as run {row.id}" in kept.out
    assert (row.verdict, row.suites) == (Verdict.BLOCK, ("support",))
    context = row.context
    assert (context.repository, context.branch, context.event) == ("acme/support-bot", "kinder", "local")
    assert (context.pull_request, context.pushed_by) == (None, "Ann")
    assert place.runs.record(row.id) == load_run(place.repo / "report")
    lines = (place.repo / "report/samples.jsonl").read_text("utf-8").splitlines()
    assert row.samples == len(lines) >= 40
    of_case = place.runs.samples(row.id, "support", "c1")
    assert {sample.reply.text for sample in of_case if sample.arm.value == "baseline"} == {"word1"}
    pushed = place.gate("push", "report/run.json")
    assert (pushed.code, f"Already saved as run {row.id}" in pushed.out) == (0, True)
    assert len(place.runs.rows(RunFilter(), Page())) == 1


def test_a_run_of_a_deleted_prompt_is_stored_and_an_empty_run_is_not(place: Place) -> None:
    place.put("support", 4)
    assert place.gate("diff", "--base", "main").out.startswith("SKIPPED")
    assert place.gate("push", ".gate/last").code == 2
    support = CONFIG[CONFIG.index("  - name: support") : CONFIG.index("  - name: faq")]
    repository.write(place.repo, {"gate.yaml": CONFIG.replace(support, ""), example.PROMPT: None})
    done = place.gate("diff", "--base", "main")
    assert done.out.lstrip().startswith("INCONCLUSIVE"), done.out + done.err
    assert place.gate("push", ".gate/last").code == 0
    (row,) = place.runs.rows(RunFilter(), Page())
    assert row.verdict is Verdict.INCONCLUSIVE


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository.make(tmp_path / "repo", SMALL)


def test_a_run_can_be_pushed_after_the_store_was_unreachable(repo: Path) -> None:
    repository.write(repo, BROKEN)
    assert gate("diff", "--base", "main", cwd=repo).code == 1
    away = gate("push", ".gate/last", cwd=repo, env=AWAY)
    assert (away.code, "hidden" in away.err) == (3, False)
    later = gate("push", ".gate/last", cwd=repo)
    assert (later.code, later.out) == (0, f"Saved as run 1 in the store {repo}/.gate/gate.db.\n")


@pytest.mark.threat("store-file")
def test_nothing_is_stored_in_a_file_that_git_tracks(repo: Path) -> None:
    repository.write(repo, {".gate/gate.db": b""})
    git(repo, "add", "--force", ".gate/gate.db")
    repository.write(repo, {example.PROMPT: example.REWORDED})
    assert gate("diff", "--base", "main", cwd=repo).code == 0
    done = gate("push", ".gate/last", cwd=repo)
    assert (done.code, "git tracks" in done.err) == (2, True)
    assert (repo / ".gate/gate.db").read_bytes() == b""


def test_a_silent_store_does_not_block_and_stores_nothing(
    repo: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(repo, BROKEN)
    assert gate("diff", "--base", "main", cwd=repo).code == 1
    with stores.on_postgres(postgres) as database:
        maintenance.upgrade(database)
        socket = Path(str(make_url(postgres).query["host"]))
        with falling_silent(socket, lambda data: b"INSERT INTO samples" in data) as port:
            url = f"postgresql://postgres:hidden@127.0.0.1:{port}/{database.engine.url.database}"
            monkeypatch.setenv("GATE_DATABASE_URL", url)
            with pytest.raises(CannotEvaluate, match="the store took longer than 0.02 minutes") as told:
                store_run(repo / ".gate/last", repo, Context(), 0.02)
        assert "hidden" not in told.value.message
        assert Runs(database).rows(RunFilter(), Page()) == ()


NEW = "  - {name: new, prompt: prompts/new.md, cases: evals/faq.jsonl, scorers: [contains]}\n"


def test_a_run_that_is_unfinished_and_has_a_new_prompt_is_stored(repo: Path) -> None:
    repository.commit(repo, {"gate.yaml": SMALL["gate.yaml"] + "budget: {max_calls: 30}\n"})
    repository.write(repo, {"gate.yaml": SMALL["gate.yaml"] + NEW, "prompts/new.md": "Hi. quality=1.0\n", **BROKEN})
    gate("diff", "--base", "main", cwd=repo)
    done = gate("push", ".gate/last", cwd=repo)
    assert "as run 1" in done.out, done.err
