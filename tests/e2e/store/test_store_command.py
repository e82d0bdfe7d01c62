"""`gate store`: backup, content and retention."""

import json
from pathlib import Path

import pytest

from gate.cases.stored import Page
from gate.record.history import RunFilter
from gate.store.access import EventFilter
from gate.store.run_folder import dump_run
from gate.store.sql.access import Audit
from gate.store.sql.runs import Runs
from tests.golden.runs import runs as golden
from tests.support import stores
from tests.support.command import Outcome, gate

RUN = golden()["block"] if "block" in golden() else next(iter(golden().values()))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a store that holds one run."""
    (tmp_path / "run.json").write_text(dump_run(RUN))
    done = gate("push", "run.json", cwd=tmp_path)
    assert done.code == 0, done.err
    return tmp_path


def held(folder: Path) -> int:
    with stores.on_sqlite(folder) as database:
        return len(Runs(database).rows(RunFilter(), Page()))


def test_a_store_is_copied_and_the_copy_takes_its_place(here: Path) -> None:
    def store(*words: str) -> Outcome:
        return gate("store", *words, cwd=here)

    assert store("backup", "copy.db").code == 0
    again = store("backup", "copy.db")
    assert (again.code, "nothing was overwritten" in again.err) == (2, True)
    (here / ".gate/gate.db").unlink()
    away = store("backup", "other.db")
    assert (away.code, "there is no store" in away.err, (here / ".gate/gate.db").exists()) == (2, True, False)
    (here / "copy.db").rename(here / ".gate/gate.db")
    assert json.loads(store("info", "--json").out)["counts"]["runs"] == held(here) == 1


def test_it_deletes_by_the_settings_of_the_environment(here: Path) -> None:
    nothing = gate("store", "prune", cwd=here)
    assert (nothing.code, "GATE_KEEP_OUTPUTS_DAYS" in nothing.err) == (2, True)
    days = {"GATE_KEEP_OUTPUTS_DAYS": "1", "GATE_KEEP_RUNS_DAYS": "36000"}
    would = gate("store", "prune", "--dry-run", cwd=here, env=days)
    assert would.out == "To delete: 0 runs, and the answers of 1 run.\n"
    assert gate("store", "prune", cwd=here, env=days).out == "Deleted: 0 runs, and the answers of 1 run.\n"
    assert gate("store", "prune", cwd=here, env=days | {"GATE_KEEP_RUNS_DAYS": "1"}).out.startswith("Deleted: 1 run,")
    assert held(here) == 0
    with stores.on_sqlite(here) as database:
        told = [one.about for one in Audit(database).events(EventFilter(what="retention"), Page())]
    assert told == ["1 runs deleted, answers of 0 deleted", "0 runs deleted, answers of 1 deleted"]


@pytest.mark.threat("web-redact")
def test_redacted_texts_never_reach_the_store(tmp_path: Path) -> None:
    said = "Write to ann@example.org or +49 30 901820."
    changed = RUN.model_dump(mode="json", by_alias=True)
    outputs = [one for suite in changed["suites"] for case in suite["cases"] for one in case["candidate_outputs"]]
    outputs[0]["text"] = said
    (tmp_path / "run.json").write_text(json.dumps(changed))
    odd = gate("push", "run.json", cwd=tmp_path, env={"GATE_REDACT": "emial"})
    assert (odd.code, "GATE_REDACT" in odd.err) == (2, True)
    assert gate("push", "run.json", cwd=tmp_path, env={"GATE_REDACT": "email phone"}).code == 0
    with stores.on_sqlite(tmp_path) as database:
        (row,) = Runs(database).rows(RunFilter(), Page())
        assert "Write to [email] or [phone]." in dump_run(Runs(database).record(row.id) or RUN)
    again = gate("push", "run.json", cwd=tmp_path)
    assert "Already" in again.out
