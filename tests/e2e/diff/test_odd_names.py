"""Names that are not UTF-8: where no suite needs the file, they stop no command."""

import os
from pathlib import Path

import pytest

from tests.support.command import gate, git
from tests.support.example import FILES, PROMPT, REWORDED
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import Kind, PullRequestWorld
from tests.support.repository import commit, make, write

ODD = os.fsdecode(b"caf\xe9")
TEXT = "You are the night shift of a support desk. Answer each customer in one short and friendly sentence.\n"
UNNEEDED = {
    f"docs/{ODD}.txt": "x",
    f"prompts/{ODD}.md": TEXT,
    f"{ODD}/prompts/system.md": TEXT,
    f"{ODD}/AGENTS.md": TEXT,
    f"src/{ODD}.py": f'PROMPT = """{TEXT}"""\n',
    f"evals/{ODD}.jsonl": "{}\n",
}


def add_odd_names(folder: Path, text: str = "") -> None:
    for name, content in UNNEEDED.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + text)
    for link in (f"link-{ODD}", "link"):
        (folder / link).unlink(missing_ok=True)
        (folder / link).symlink_to(f"{ODD}{text}.md")


def test_no_command_stops_at_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    repo = make(tmp_path / "repo", FILES)
    git(repo, "switch", "--quiet", "--create", "change")
    write(repo, {PROMPT: REWORDED})
    add_odd_names(repo)
    for command in ("diff --base main", "plan --base main", "check", "validate", "init --dry-run"):
        outcome = gate(*command.split(), cwd=repo)
        assert outcome.code == 0, (command, outcome.out, outcome.err)
    commit(repo, {})
    git(repo, "switch", "--quiet", "main")
    for command in ("diff --base main --head change", "backtest --commits 3"):
        outcome = gate(*command.split(), cwd=repo)
        assert outcome.code == 0, (command, outcome.out, outcome.err)


@pytest.mark.parametrize("kind", ["merge", "head", "none"])
def test_the_action_does_not_stop_there_either(tmp_path: Path, kind: Kind) -> None:
    with GitHubServer() as server:
        world = PullRequestWorld.make(tmp_path, server, FILES)
        world.check_out(world.main_sha)
        add_odd_names(world.work)
        world.set_ref("refs/heads/main", world.commit({}, "Odd names"))
        pr = world.open({PROMPT: REWORDED})
        add_odd_names(world.work, "more")
        pr.push({})
        checkout = pr.checkout(kind, depth=2)
        outcome = run_action(checkout, pr.environment(checkout))
        assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS"), outcome.out
        server.assert_clean()
