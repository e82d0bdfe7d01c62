"""A folder in a commit that git would take for a repository of its own: nothing is asked of it, or read there."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gate.store.sql import maintenance
from gate.store.sql.database import Database
from tests.support.command import gate, git
from tests.support.example import BROKEN, CONFIG, FILES, PROMPT, REWORDED
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld
from tests.support.repository import commit, make, write

BARE = {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\tbare = true\n", "objects/x": "x", "refs/x": "x"}
WITH_A_TREE = BARE | {"config": "[core]\n\tbare = false\n\tworktree = .\n"}


STORED = CONFIG.replace("evals/faq.jsonl", "store:faq")


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running
        running.assert_clean()


def lay(folder: Path, files: dict[str, str]) -> None:
    write(folder, files)


def forged_answers(repo: Path) -> Path:
    """A cache with good answers to the prompt that the change brings."""
    write(repo, {PROMPT: BROKEN.replace("quality[gold]=0.1", "quality[gold]=1.0")})
    assert gate("diff", "--base", "main", cwd=repo).code == 0
    return repo / ".gate/cache"


def forged_store(repo: Path) -> Path:
    (repo / ".gate").mkdir(exist_ok=True)
    with closing(Database(f"sqlite:///{repo / '.gate/gate.db'}")) as database:
        maintenance.upgrade(database)
    return repo / ".gate"


@pytest.mark.threat("store-file")
@pytest.mark.parametrize("shape", [BARE, WITH_A_TREE, {}])
@pytest.mark.parametrize("forge", [forged_answers, forged_store])
def test_answers_and_stores_in_it_are_not_read(
    tmp_path: Path, shape: dict[str, str], forge: Callable[[Path], Path]
) -> None:
    repo = make(tmp_path / "repo", FILES)
    git(repo, "switch", "--quiet", "--create", "change")
    folder = forge(repo)
    for ignored in repo.glob(".gate/**/.gitignore"):
        ignored.unlink()
    lay(folder, shape)
    write(repo, {PROMPT: REWORDED})
    git(repo, "add", "--force", ".gate")
    commit(repo, {})
    if forge is forged_store:
        write(repo, {"gate.yaml": STORED})
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert (outcome.code, "git tracks" in outcome.err) == (2, True)


@pytest.mark.threat("own-repository")
@pytest.mark.parametrize("shape", [BARE, WITH_A_TREE])
def test_it_is_no_place_to_run_in(tmp_path: Path, shape: dict[str, str]) -> None:
    repo = make(tmp_path / "repo", {f"bot/{path}": text for path, text in FILES.items()})
    lay(repo / "bot", shape)
    commit(repo, {})
    sha = git(repo, "rev-parse", "HEAD")
    lay(repo / "bot", {"refs/remotes/origin/main": f"{sha}\n", "objects/info/alternates": f"{repo}/.git/objects\n"})
    for command in (["diff", "--base", "origin/main"], ["check"], ["validate"], ["plan"], ["init", "--dry-run"]):
        outcome = gate(*command, cwd=repo / "bot")
        said = " ".join((outcome.err + outcome.out).split())
        assert outcome.code == 2, (command, said)
        assert "for a bare repository" in said, (command, said)


REFS = {"the change": ("main", "change~"), "the base": ("change~", "change"), "the index": ("main", "change")}


@pytest.mark.threat("store-file")
@pytest.mark.parametrize("where", REFS)
@pytest.mark.parametrize("forge", [forged_answers, forged_store])
def test_what_any_side_of_the_comparison_tracks_is_not_read(
    tmp_path: Path, where: str, forge: Callable[[Path], Path]
) -> None:
    """Wherever the working tree is, and whatever was left on its disk."""
    repo = make(tmp_path / "repo", FILES)
    git(repo, "switch", "--quiet", "--create", "change")
    forge(repo)
    for ignored in repo.glob(".gate/**/.gitignore"):
        ignored.unlink()
    write(repo, {PROMPT: REWORDED} | ({} if forge is forged_answers else {"gate.yaml": STORED}))
    git(repo, "add", "--all", "--", ".", ":!.gate")
    if where != "the index":
        git(repo, "add", "--force", ".gate")
    commit_index(repo)
    git(repo, "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".gate")
    commit_index(repo)
    base, head = REFS[where]
    if where == "the index":
        git(repo, "add", "--force", ".gate")
    outcome = gate("diff", "--base", base, "--head", head, "--all", cwd=repo)
    assert (outcome.code, "git tracks" in outcome.err) == (2, True), outcome.err


def commit_index(repo: Path) -> None:
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "A step")


@pytest.mark.parametrize("side", ["base", "head"])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("folder", ["", "apps"])
def test_answers_that_github_has_at_a_side_are_not_read(
    tmp_path: Path, server: GitHubServer, side: str, depth: int, folder: str
) -> None:
    """A workflow may restore what an earlier commit has added."""
    place = f"{folder}/" if folder else ""
    files = {f"{place}{path}": text for path, text in FILES.items()}
    world = PullRequestWorld.make(tmp_path, server, files)
    pr = world.open({f"{place}{PROMPT}": REWORDED})
    checkout = pr.checkout("merge", depth=2)
    inputs = {"working-directory": folder}
    assert run_action(checkout, pr.environment(checkout, inputs=inputs)).code == 0
    forged = f"{place}.gate/cache/answers.sqlite"
    answers = (checkout / forged).read_bytes()
    if side == "base":
        world.commit_to_main({forged: answers})
    pr = world.open({f"{place}{PROMPT}": REWORDED, forged: None if side == "base" else answers})
    if side == "head":
        # Left by an earlier checkout, and no longer tracked there.
        space = world.workspace(world.main_sha, depth=depth)
    else:
        space = pr.checkout("merge", depth=depth)
    (space / forged).parent.mkdir(parents=True)
    (space / forged).write_bytes(answers)
    outcome = run_action(space, pr.environment(space, inputs=inputs))
    assert (outcome.code, outcome.outputs["calls"]) == (2, "0"), outcome.out
    assert "git tracks" in outcome.summary


def test_answers_that_no_side_has_are_read_at_any_depth(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, FILES)
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    assert run_action(checkout, pr.environment(checkout)).code == 0
    for depth in (2, 1):
        space = pr.checkout("merge", depth=depth)
        shutil.copytree(checkout / ".gate", space / ".gate")
        outcome = run_action(space, pr.environment(space))
        assert outcome.outputs["calls"] == "0", depth


@pytest.mark.threat("may-choose-submodule")
def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    """The gate in it compares its commits; answers that it tracks are nobody's, also for the outer repository."""
    inner = make(tmp_path / "inner", {"README.md": "x\n", "cache/answers.sqlite": "forged"})
    outer = make(tmp_path / "outer", FILES)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), ".gate")
    outcome = gate("diff", "--base", "HEAD", "--all", cwd=outer)
    assert (outcome.code, "git tracks .gate/cache" in outcome.err) == (2, True), outcome.err
    outcome = gate("diff", "--base", "HEAD", cwd=outer / ".gate")
    assert (outcome.code, "gate.yaml" in outcome.err) == (2, True), outcome.err
