"""A defect of ours: told everywhere, never green."""

from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, PROMPT, SMALL
from tests.support.action_in_process import act_here
from tests.support.fakes import Memory
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


class Faulty(Memory):
    """A progress display that has a defect."""

    def start(self, total: int) -> None:
        raise ZeroDivisionError("::warning::of ours")


def test_a_defect_of_ours_is_inconclusive_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with GitHubServer() as server:
        pr = PullRequestWorld.make(tmp_path, server, SMALL).open({PROMPT: BROKEN})
        acted = act_here(pr.environment(pr.checkout("merge", depth=2)), monkeypatch, Faulty)
        body = server.comments("acme/support-bot", pr.number)[0].body
    assert (acted.code, acted.shown[0].exit_code) == (3, 3)
    assert "Prompt Gate itself failed (ZeroDivisionError)" in body
    assert acted.outputs["verdict"] == "INCONCLUSIVE"
    assert any("ZeroDivisionError" in line for line in acted.log)
    assert not any(line.startswith("::warning::") for line in "\n".join(acted.log).splitlines())
