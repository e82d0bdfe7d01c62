"""What a repository may have brought says nothing."""

import time
from pathlib import Path

import pytest

from gate.app.run_order import RunOrder, answer_secret, open_answers
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.git.places import refuse_tracked
from tests.support.command import git
from tests.support.fakes import Memory
from tests.support.run_records import resolved


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refreshed_since(out: Path) -> float:
    order = RunOrder(resolved([]), 1, None, out, Memory(), refresh=True, cache_folder=out / "cache")
    with open_answers(order, b"", lambda model: "") as (answers, _):
        return answers._options.not_before


def test_a_mark_that_is_no_time_of_late_does_not_count(repo: Path) -> None:
    for number, text in enumerate(["nan", "inf", "0", "1e300", "x", "", "9" * 1000, "4e9"]):
        out = repo / f".gate/last-{number}"
        out.mkdir(parents=True)
        (out / "refreshing").write_text(text)
        assert abs(refreshed_since(out) - time.time()) < 100, text


def test_a_refresh_that_was_killed_goes_on(repo: Path) -> None:
    out = repo / ".gate/last"
    first = refreshed_since(out)
    assert refreshed_since(out) == first


def test_a_mark_that_git_tracks_is_refused(repo: Path) -> None:
    out = repo / ".gate/last"
    out.mkdir(parents=True)
    (out / "refreshing").write_text(str(time.time()))
    git(repo, "add", "--force", ".gate/last/refreshing")
    with pytest.raises(GateError, match="git tracks"):
        refreshed_since(out)


def test_a_repository_that_git_does_not_trust_is_no_proof(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "answers.sqlite").write_text("")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GateError, match="does not trust"):
        refuse_tracked(repo / "answers.sqlite")


def test_the_secret_depends_on_every_key_and_is_empty_without_any() -> None:
    found = [
        answer_secret(settings)
        for settings in (
            Settings({"OPENAI_API_KEY": "a"}),
            Settings({"ANTHROPIC_API_KEY": "a"}),
            Settings(cache_secret="a"),
            Settings({"OPENAI_API_KEY": "b"}),
        )
    ]
    assert len(set(found)) == len(found)
    assert answer_secret(Settings()) == b""
