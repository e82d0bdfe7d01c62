"""Environment and results of an action inside the image."""

import json

import pytest

from tests.image.builder import Image
from tests.image.runner import run_action
from tests.support.command import git
from tests.support.pull_request import PullRequestWorld

pytestmark = pytest.mark.image

PYTHON = "/opt/gate/bin/python"


def test_git_reads_a_workspace_that_belongs_to_someone_else(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    env = request.environment(request.checkout("merge"))
    outcome = run_action(image, env, ("git", "rev-parse", "HEAD"))
    assert (outcome.code, outcome.out.strip()) == (0, request.merge_sha)


def test_git_trusts_no_other_folder_of_someone_else(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    checkout = request.checkout("merge")
    (checkout / "nested").mkdir()
    git(checkout / "nested", "init", "--quiet")
    outcome = run_action(image, request.environment(checkout), ("git", "-C", "nested", "status"))
    assert outcome.code == 128
    assert "dubious ownership" in outcome.err


def test_the_runners_environment_is_complete(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    script = "import json, os; print(json.dumps([os.getcwd(), os.getuid(), os.stat('.').st_uid, dict(os.environ)]))"
    inputs = {"fail-on": "hold", "max-cost-usd": "0.5", "odd": "a=b\n$HOME"}
    env = request.environment(request.checkout("merge"), inputs=inputs)
    folder, user, owner, seen = json.loads(run_action(image, env, (PYTHON, "-c", script)).out)
    assert (folder, user, owner) == ("/github/workspace", 0, 1001)
    wanted = {"INPUT_FAIL-ON": "hold", "INPUT_MAX-COST-USD": "0.5", "INPUT_ODD": "a=b\n$HOME", "HOME": "/github/home"}
    assert wanted.items() <= seen.items()
    assert seen["GITHUB_API_URL"] == world.server.url
    assert not [value for value in seen.values() if str(world.folder) in value]


def test_files_and_exit_code_are_returned(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    checkout = request.checkout("merge")
    script = """
import json, os, sys
event = json.load(open(os.environ["GITHUB_EVENT_PATH"]))
open(os.environ["GITHUB_OUTPUT"], "a").write("verdict<<0123456789abcdef\\nBLOCK\\n0123456789abcdef\\n")
open(os.environ["GITHUB_STEP_SUMMARY"], "a").write(event["action"])
open("left", "w")
print("out"); print("err", file=sys.stderr); sys.exit(3)
"""
    outcome = run_action(image, request.environment(checkout, action="opened"), (PYTHON, "-c", script))
    assert (outcome.code, outcome.out, outcome.err) == (3, "out\n", "err\n")
    assert outcome.outputs == {"verdict": "BLOCK"}
    assert outcome.summary == "opened"
    assert (checkout / "left").is_file()


def test_the_network_is_that_of_the_host(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    script = """
import os, urllib.request
asked = urllib.request.Request(os.environ["GITHUB_API_URL"] + "/repos/acme/support-bot", headers={"User-Agent": "test"})
print(urllib.request.urlopen(asked).status)
"""
    outcome = run_action(image, request.environment(request.checkout("none")), (PYTHON, "-c", script))
    assert outcome.out == "200\n", outcome.err
