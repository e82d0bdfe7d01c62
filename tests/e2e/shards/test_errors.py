"""Folders that are not the shards of one run are refused with all errors, and missing shards never pass."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.shards.conftest import make, write
from tests.e2e.shards.runs import REFS, edit, here, keys, merge, shard, shards
from tests.support.command import Outcome, git
from tests.support.example import CONFIG, FILES
from tests.support.findings import texts

SECOND = "shards/2/samples.jsonl"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, original: Path) -> Path:
    """Three complete shards of the small suite."""
    root = shutil.copytree(original, tmp_path_factory.mktemp("shards"), dirs_exist_ok=True)
    shards(root, 3, "--suite", "faq")
    return root


@pytest.fixture
def three(whole: Path, tmp_path: Path) -> Path:
    """A copy to edit."""
    return Path(shutil.copytree(whole, tmp_path / "repo", symlinks=True))


def refused(outcome: Outcome, *parts: str, code: int = 2) -> None:
    assert outcome.code == code, outcome.out
    for part in parts:
        assert part in outcome.err
    assert outcome.out == ""


def change(path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    path.write_text("".join(edit(path.read_text().splitlines(keepends=True))))


def test_a_missing_shard_makes_the_run_inconclusive(three: Path) -> None:
    for name in ("shard.json", "samples.jsonl"):
        (three / "shards/2" / name).unlink()
    outcome = merge(three, "--json")
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "Shard 2/3 is missing" in texts(outcome.record)[0]
    assert outcome.record.missing.samples > 0


def test_a_stopped_shard_makes_the_run_inconclusive(repo: Path) -> None:
    budget = CONFIG + "budget: {max_calls: 30}\n"
    write(repo, {"gate.yaml": budget})
    write(repo, {"prompts/faq.md": "Answer at once. quality=1.0\n"})
    first = shard(repo, 1, 2, "--suite", "faq")
    assert (first.code, shard(repo, 2, 2, "--suite", "faq").code) == (3, 3)
    assert "15 calls" in first.out
    assert "ended early" in first.out
    outcome = merge(repo, "--json")
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "Shard 1/2 ended early: the budget of 15 calls is used up" in texts(outcome.record)[0]
    assert outcome.record.calls.made == 30


def test_a_killed_shard_counts_with_its_written_samples(three: Path) -> None:
    edit(three / "shards/2/shard.json", samples=None, unfinished="it ended without a word")
    whole = len((three / SECOND).read_text().splitlines())
    change(three / SECOND, lambda lines: [*lines[:4], lines[4][:50]])
    outcome = merge(three, "--json")
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "Shard 2/3 ended early: it ended without a word" in texts(outcome.record)[0]
    assert outcome.record.missing.samples == whole - 4
    assert len(keys(three / "merged")) == 48 - (whole - 4)


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        (lambda lines: [*lines[:-1], lines[-1][:40]], f"{SECOND}:16: the last line is cut off"),
        (lambda lines: lines[:-1], "contains 15 of the 16 samples that were written"),
        (lambda lines: [*lines, lines[3]], f"{SECOND}:17: suite 'faq'"),
        (lambda lines: [lines[0].replace('"case":"c', '"case":"x'), *lines[1:]], "its case is not in the eval set"),
        (lambda lines: [lines[0].replace('"index":0', '"index":2'), *lines[1:]], "this is number 3"),
        (lambda lines: ["\x1b[31m\n", *lines[1:]], f"{SECOND}:1: is not JSON"),
    ],
    ids=["cut off", "too short", "doubled", "case", "index", "escape codes"],
)
def test_an_edited_file_is_refused(three: Path, edited: Callable[[list[str]], list[str]], said: str) -> None:
    change(three / SECOND, edited)
    outcome = merge(three)
    refused(outcome, said)
    assert "\x1b" not in outcome.err
    assert not (three / "merged").exists()


def test_a_sample_of_another_shard_is_refused(three: Path) -> None:
    strange = (three / "shards/1/samples.jsonl").read_text().splitlines(keepends=True)[0]
    change(three / SECOND, lambda lines: [strange, *lines[1:]])
    refused(merge(three), f"{SECOND}:1: ", "belongs to shard 1, and this is shard 2")


def test_an_incomplete_shard_that_claims_to_be_complete_is_refused(three: Path) -> None:
    change(three / SECOND, lambda lines: lines[:-2])
    edit(three / "shards/2/shard.json", samples=14)
    refused(merge(three), "contains 14 samples, but shard 2/3 has 16")


def test_all_errors_are_reported_at_once(three: Path) -> None:
    text = (three / "shards/1/shard.json").read_text()
    (three / "shards/3/shard.json").write_text(text)
    git(three, "commit", "--quiet", "--allow-empty", "--message", "more")
    shard(three, 2, 3, "--suite", "faq", "--all")
    outcome = merge(three)
    refused(outcome, "shards/3: is shard 1/3, and so is shards/1")
    refused(outcome, "shards/2: is a shard of another run than shards/1: another commit, or other options")
    refused(outcome, "shard 3/3 is missing")


def test_shards_of_different_counts_are_refused(three: Path) -> None:
    shard(three, 2, 4, "--suite", "faq")
    refused(merge(three), "shards/2", "it is one of 4")


def test_shards_with_different_options_are_refused(three: Path) -> None:
    shard(three, 2, 3, "--suite", "faq", "--samples", "4")
    refused(merge(three), "shards/2", "another number of samples")


def edited_version(path: Path) -> None:
    """A shard as another version would write it."""
    from gate.record.shard import Evaluation

    data = json.loads(path.read_text())
    data["evaluation"]["tool_version"] = "9.9"
    data["identity"] = Evaluation.model_validate(data["evaluation"]).identity
    path.write_text(json.dumps(data))


def test_a_shard_of_another_version_is_refused(three: Path) -> None:
    edited_version(three / "shards/2/shard.json")
    refused(merge(three), "shards/2", "another version of the program, '9.9'")
    for number in (1, 3):
        edited_version(three / f"shards/{number}/shard.json")
    refused(merge(three), "was made by version '9.9', and this is")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"schema": "prompt-gate/shard/2"}, "and this version reads"),
        ({"identity": "0" * 64}, "it was edited"),
        ({"extra": 1}, "extra"),
    ],
    ids=str,
)
def test_a_record_without_a_shard_is_refused(three: Path, values: dict[str, object], said: str) -> None:
    edit(three / "shards/2/shard.json", **values)
    refused(merge(three), said)


def test_a_clone_without_the_commits_is_an_error(three: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = make(tmp_path_factory.mktemp("other"), FILES)
    outcome = here("merge", str(three / "shards"), cwd=other)
    refused(outcome, "this clone has no such commit", "git fetch origin")
    assert not (other / ".gate").exists()


def test_a_changed_working_tree_is_an_error(repo: Path) -> None:
    (repo / "prompts/faq.md").write_text("Answer in the tree. quality=1.0\n")
    named = ("diff", "--base", "HEAD^1", "--suite", "faq")
    for number in (1, 2):
        assert here(*named, "--shard", f"{number}/2", "--out", f"shards/{number}", cwd=repo).code == 0
    assert merge(repo).code == 0
    (repo / "prompts/faq.md").write_text("Answer otherwise. quality=1.0\n")
    refused(merge(repo), "suite 'faq' has another candidate here")


def test_folders_without_a_shard_are_refused(three: Path) -> None:
    refused(here("merge", "prompts", cwd=three), "there is no shard in prompts", code=3)
    refused(here("merge", "nowhere", cwd=three), "nowhere is not a folder")


def test_the_merge_does_not_write_to_the_folder_of_a_shard(three: Path) -> None:
    outcome = here("merge", "shards", "--out", "shards/1", cwd=three)
    refused(outcome, "shards/1 is one of the shards")
    assert merge(three).code == 0


def test_a_shard_has_no_report(repo: Path) -> None:
    refused(here("diff", *REFS, "--shard", "1/2", "--out", "x.md", cwd=repo), "a shard has no report")


def test_a_shard_without_a_folder_gets_its_own_folder(repo: Path) -> None:
    assert here("diff", *REFS, "--suite", "faq", "--shard", "1/2", cwd=repo).code == 0
    assert sorted(path.name for path in (repo / ".gate/shard-1-of-2").iterdir()) == ["samples.jsonl", "shard.json"]
    assert (repo / ".gate/.gitignore").read_text() == "*\n"


def test_a_folder_behind_a_link_of_the_repository_is_refused(
    three: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "run.json").write_text("precious")
    (three / ".gate").mkdir()
    for name in ("last", "shard-1-of-3"):
        (three / ".gate" / name).symlink_to(elsewhere)
    refused(here("diff", *REFS, "--suite", "faq", "--shard", "1/3", cwd=three), "contains a symbolic link")
    refused(here("merge", "shards", cwd=three), "contains a symbolic link")
    assert [path.name for path in elsewhere.iterdir()] == ["run.json"]


def test_shards_that_git_tracks_are_not_read(three: Path) -> None:
    git(three, "add", "--force", "shards")
    outcome = merge(three)
    assert outcome.code == 2
    assert "git tracks" in outcome.err
