"""Whatever a pull request does to the files that it is judged by: moved, deleted, in LFS, in a submodule, merged."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.action.example import CONFIG, GOOD, PROMPT, SMALL
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

REPO = "acme/support-bot"
FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 5\n"
DELETED = "prompts/support.md, which origin/main examines with 20 cases, is deleted."


def run(pr: PullRequest, kind: Kind = "merge", depth: int = 1, **options: Any) -> ActionOutcome:
    checkout = pr.checkout(kind, depth=depth)
    return run_action(checkout, pr.environment(checkout, **options))


def test_a_deleted_prompt_holds(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: None, "gate.yaml": FAQ_ONLY})
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (0, "HOLD", "0")
    assert "::warning title=Prompt Gate::HOLD: prompts/support.md is deleted" in outcome.out
    body = server.comments(REPO, 7)[0].body
    assert "HOLD: `prompts/support.md` is deleted" in body
    assert DELETED in body
    assert DELETED in outcome.summary
    assert run(pr, inputs={"fail-on": "hold"}).code == 1


@pytest.mark.parametrize(("kind", "decoys"), [("none", 20), ("merge", 101)])
def test_a_prompt_does_not_slip_away_by_another_ending_or_among_decoys(
    tmp_path: Path, server: GitHubServer, kind: Kind, decoys: int
) -> None:
    lines = "".join(f"line {number}\n" for number in range(9))
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, PROMPT: lines + GOOD})
    others = {f"a{number}/support.md": lines.replace("line", "lies") + GOOD for number in range(decoys)}
    pr = world.open({PROMPT: None, "zz/support.txt": lines + "quality[gold]=0.1\n", "gate.yaml": FAQ_ONLY, **others})
    outcome = run(pr, kind)
    if decoys > 100:
        assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
        assert "cannot find out whether 'prompts/support.md' was deleted or has moved" in outcome.out.replace("\n", " ")
    else:
        assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
        assert "prompts/support.md was renamed to zz/support.txt" in server.comments(REPO, 7)[0].body


def test_a_copy_of_the_old_text_does_not_stand_in_for_the_prompt_that_moves(
    tmp_path: Path, server: GitHubServer
) -> None:
    lines = "".join(f"line {number}\n" for number in range(9))
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, PROMPT: lines + GOOD})
    broken = {"prompts/support.txt": lines + GOOD + "quality[gold]=0.1\n", "archive/old.txt": lines + GOOD}
    pr = world.open({PROMPT: None, "gate.yaml": FAQ_ONLY, **broken})
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert "support at prompts/support.txt/tier=gold" in outcome.outputs["worst-slice"]
    body = server.comments(REPO, 7)[0].body
    assert "prompts/support.md was renamed to archive/old.txt; the two are compared." in body
    assert "prompts/support.md may have become prompts/support.txt, which keeps half of it and has no suite" in body
    assert body.count("is dropped") == 1
    pr.push({f"archive/{number}.txt": f"{lines}{GOOD}more {number}\n" for number in range(3)})
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert "cannot find out which file 'prompts/support.md' is now" in " ".join(outcome.out.split())
    pr.push({"gate.yaml": CONFIG.replace(PROMPT, "archive/old.txt")})
    assert run(pr).code == 0


def test_too_many_new_prompts_are_refused_before_any_is_read(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": CONFIG.replace(PROMPT, "'prompts/s*.md'")})
    outcome = run(world.open({f"prompts/s{number}.md": f"quality=1.0 {number}\n" for number in range(101)}))
    assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE")
    assert "the change adds more than 100 new suites" in outcome.out.replace("\n", " ")


def test_a_pointer_of_lfs_is_named_on_either_side(world: PullRequestWorld) -> None:
    outcome = run(world.open({PROMPT: POINTER}), "none")
    assert outcome.code == 2
    assert f"::error file={PROMPT},line=1,title=Prompt Gate::is a Git LFS pointer" in outcome.out
    world.commit_to_main({PROMPT: POINTER})
    outcome = run(world.open({PROMPT: GOOD}))
    assert outcome.code == 2
    assert f"origin/main:{PROMPT}:1: is a Git LFS pointer" in outcome.out.replace("\n", " ")


def test_a_prompt_in_a_submodule_is_named(world: PullRequestWorld) -> None:
    world.git(world.work, "checkout", "--quiet", "--detach", world.main_sha)
    world.git(world.work, "update-index", "--add", "--cacheinfo", f"160000,{world.main_sha},vendor/prompts")
    (world.work / "vendor/prompts").mkdir(parents=True)
    world.git(world.work, "update-ref", "refs/heads/main", world.commit({}, "Submodule"))
    outcome = run(world.open({"gate.yaml": CONFIG.replace(PROMPT, "vendor/prompts/x.md")}), "none")
    assert outcome.code == 2
    assert "vendor/prompts/x.md: is in the submodule 'vendor/prompts'" in outcome.out.replace("\n", " ")


@pytest.mark.parametrize(("kind", "what"), [("merge", "symbolic link"), ("none", "submodule")])
def test_a_new_prompt_does_not_slip_past_its_pattern_as_a_link_or_a_submodule(
    tmp_path: Path, server: GitHubServer, kind: Kind, what: str
) -> None:
    config = CONFIG.replace(PROMPT, "'prompts/s*.md'")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({"README.md": "# One\n"})
    if what == "submodule":
        world.git(world.work, "update-index", "--add", "--cacheinfo", f"160000,{world.main_sha},prompts/snew.md")
        (world.work / "prompts/snew.md").mkdir()
    else:
        (world.work / "prompts/snew.md").symlink_to("../README.md")
    pr.push({})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE")
    said = f"is a {what} that the change adds where 'prompts/s*.md' looks for prompts"
    assert f"::error file=prompts/snew.md,title=Prompt Gate::{said}" in outcome.out.replace("\n", " ")


LONG = "Help the customer.\n" + "Be kind.\n" * 6 + "quality=1.0 quality[gold]=0.1\n"
MENDED = LONG.replace(" quality[gold]=0.1", "")


def test_what_the_base_changed_is_not_the_changes_doing(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, PROMPT: LONG})
    pr = world.open({PROMPT: LONG.replace("Help the customer", "Help them")})
    world.commit_to_main({PROMPT: MENDED})
    world.repo.private = True
    outcome = run(pr, "head", depth=0, token="")
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS")
    assert "merged the head into origin/main in the checkout" in outcome.summary
