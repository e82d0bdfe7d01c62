"""A defect of ours: told everywhere, never green."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.action.entry import act
from gate.action.evaluation import Stage
from gate.domain.record import RunRecord
from gate.settings.services import Settings
from tests.support.example import BROKEN, FILES, PROMPT
from tests.support.fakes import Memory
from tests.support.github_action import parse_outputs
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


class Faulty(Memory):
    """A progress display that has a defect."""

    def start(self, total: int) -> None:
        raise ZeroDivisionError("::warning::of ours")


def test_a_defect_of_ours_is_inconclusive_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    shown: list[RunRecord] = []
    with GitHubServer() as server:
        pr = PullRequestWorld.make(tmp_path, server, FILES).open({PROMPT: BROKEN})
        env = pr.environment(pr.checkout("merge", depth=2))
        for name in [name for name in os.environ if name.startswith(("GITHUB_", "INPUT_"))]:
            monkeypatch.delenv(name)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(env["GITHUB_WORKSPACE"])  # and back: the action enters it
        stage = Stage(
            log.append, shown.append, Faulty, lambda: datetime(2026, 3, 1, tzinfo=UTC), lambda _: None, Settings()
        )
        assert act(stage) == 3
        body = server.comments("acme/support-bot", pr.number)[0].body
    assert "Prompt Gate itself failed (ZeroDivisionError)" in body
    assert shown[0].exit_code == 3
    assert parse_outputs(Path(env["GITHUB_OUTPUT"]).read_text())["verdict"] == "INCONCLUSIVE"
    assert any("ZeroDivisionError" in line for line in log)
    assert not any(line.startswith("::warning::") for line in "\n".join(log).splitlines())
