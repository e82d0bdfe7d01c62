"""Whatever a pull request does to the files that it is judged by: moved, deleted, in LFS, in a submodule, merged."""

import os
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
GONE = "prompts/support.md, which origin/main tests with 20 cases, is gone, and gate.yaml names no successor"


def run(pr: PullRequest, kind: Kind = "merge", depth: int = 1, **options: Any) -> ActionOutcome:
    checkout = pr.checkout(kind, depth=depth)
    return run_action(checkout, pr.environment(checkout, **options))


def test_a_prompt_that_is_gone_is_red_until_its_successor_is_named_or_the_label_is_set(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    pr = world.open({PROMPT: None, "gate.yaml": FAQ_ONLY, "other/support.txt": GOOD})
    outcome = run(pr)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (3, "INCONCLUSIVE", "0")
    assert f"::error title=Prompt Gate::INCONCLUSIVE: {GONE}" in outcome.out
    body = server.comments(REPO, 7)[0].body
    assert GONE in body.replace("`", "")
    assert "set its new path in its suite, or under `moved` in gate.yaml" in body
    assert GONE in outcome.summary.replace("`", "")
    pr.add_label("skip-prompt-diff")
    assert run(pr).code == 0
    pr.remove_label("skip-prompt-diff")
    pr.push({"gate.yaml": f"{FAQ_ONLY}moved: {{{PROMPT}: other/support.txt}}\n"})
    outcome = run(pr)
    assert outcome.code == 0
    assert f"`{PROMPT}` was renamed to `other/support.txt`; the two are compared." in server.comments(REPO, 7)[0].body


@pytest.mark.threat("prompt-gone")
@pytest.mark.parametrize("kind", ["none", "merge"])
def test_nothing_stands_in_for_a_prompt_that_is_gone(tmp_path: Path, server: GitHubServer, kind: Kind) -> None:
    lines = "".join(f"line {number}\n" for number in range(9))
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, PROMPT: lines + GOOD})
    decoys = {f"a{number}/support.md": lines + GOOD for number in range(101)}
    pr = world.open({PROMPT: None, "zz/support.txt": lines + "quality[gold]=0.1\n", "gate.yaml": FAQ_ONLY, **decoys})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert GONE in " ".join(outcome.out.split())


@pytest.mark.threat("many-prompts")
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


@pytest.mark.threat("new-prompt")
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
    assert "merged the change into `origin/main` itself" in outcome.summary


NEW_TEXT = "You are the night shift of a support desk. Answer each customer in one short and friendly sentence.\n"


@pytest.mark.parametrize("kind", ["none", "merge"])
def test_the_log_and_the_summary_say_what_was_looked_at_and_what_no_suite_tests(
    world: PullRequestWorld, server: GitHubServer, kind: Kind
) -> None:
    texts = {
        "prompts/night.md": NEW_TEXT,
        "app/bot.py": f'NIGHT_PROMPT = """{NEW_TEXT}"""\n',
        "docs/prompt.md": NEW_TEXT,
    }
    pr = world.open({"README.md": "# Another\n", **texts})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["calls"]) == (0, "SKIPPED", "0")
    for said in (outcome.out, outcome.summary):
        assert "2 suites found in 5 files: 0 compared, 2 the same." in said
        assert "prompts/night.md" in said and "which look like prompts and changed" in said
        assert "NIGHT_PROMPT" in said and "docs/prompt.md" not in said
    pr.push({PROMPT: "You help customers. quality=1.0\n"})
    outcome = run(pr, kind)
    for said in (outcome.out, outcome.summary):
        assert "2 suites found in 5 files: 1 compared, 1 the same." in said


@pytest.mark.parametrize("kind", ["none", "merge"])
def test_a_pattern_without_a_file_is_red_though_another_suite_passes(
    tmp_path: Path, server: GitHubServer, kind: Kind
) -> None:
    config = CONFIG.replace("prompts/faq.md", "'prompt/*.md'")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({"README.md": "# Another\n"})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE")
    said = " ".join(outcome.out.split())
    assert "suite faq: no file matches 'prompt/*.md'" in said
    assert run(pr, kind, inputs={"working-directory": "evals"}).code == 2


@pytest.mark.parametrize("kind", ["none", "merge"])
def test_a_name_that_is_not_utf8_matters_only_where_a_suite_needs_the_file(
    tmp_path: Path, server: GitHubServer, kind: Kind
) -> None:
    config = CONFIG.replace(PROMPT, "'prompts/s*.md'").replace("name: support", "name: all")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    odd = os.fsdecode(b"\xff.md")
    pr = world.open({f"docs/{odd}": "x", f"prompts/{odd}": "x", PROMPT: "You help customers. quality=1.0\n"})
    outcome = run(pr, kind)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS"), outcome.out
    pr.push({f"prompts/s{odd}": "x"})
    outcome = run(pr, kind)
    assert outcome.code == 2
    assert "has a name that is not UTF-8" in " ".join(outcome.out.split())
