"""The ledger of the monthly cap lies where no pull request can have put it."""

import subprocess
from pathlib import Path

import pytest

from gate.bootstrap.ledger import spending_file
from gate.domain.spending import Outlay
from gate.errors import GateError


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


def test_it_is_made_beside_the_answers_and_kept_out_of_git(repo: Path) -> None:
    cache = repo / ".gate" / "cache"
    spending_file(cache).add("1.1", Outlay("2026-11", 1.0))
    assert spending_file(cache).read() == {"1.1": Outlay("2026-11", 1.0)}
    status = subprocess.run(["git", "-C", str(repo), "status", "--short"], check=True, capture_output=True, text=True)
    assert status.stdout == ""


def test_one_that_git_tracks_is_refused(repo: Path) -> None:
    cache = repo / ".gate" / "cache"
    spending_file(cache).add("1.1", Outlay("2026-11", 0.0))
    subprocess.run(["git", "-C", str(repo), "add", "--force", str(cache / "spending.json")], check=True)
    with pytest.raises(GateError, match="git tracks .*spending.json"):
        spending_file(cache)


def test_a_folder_behind_a_link_is_refused(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (repo / ".gate").mkdir()
    (repo / ".gate" / "cache").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(GateError, match="lies behind a symbolic link"):
        spending_file(repo / ".gate" / "cache")
