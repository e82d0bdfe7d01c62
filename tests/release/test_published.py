"""A release changes only the image in `action.yml`, and its jobs have minimal permissions."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from release.action import published
from release.check import TAG

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
IMAGE = f"ghcr.io/acme/prompt-gate@sha256:{'0123456789abcdef' * 4}"
YAML_1_2 = YAML(typ="safe")
WORKFLOW = YAML_1_2.load(ROOT / ".github/workflows/release.yml")
JOBS: dict[str, Any] = WORKFLOW["jobs"]


def test_only_the_image_changes() -> None:
    before, after = YAML_1_2.load(ACTION), YAML_1_2.load(published(ACTION, IMAGE))
    assert after["runs"] == {"using": "docker", "image": f"docker://{IMAGE}"}
    assert {**after, "runs": before["runs"]} == before
    changed = [line for line in published(ACTION, IMAGE).split("\n") if line not in ACTION.split("\n")]
    assert changed == [f"  image: docker://{IMAGE}"]


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/acme/prompt-gate:1.2.3",
        IMAGE.upper(),
        IMAGE.replace("ghcr.io", "evil.example"),
        f"{IMAGE}\n  pre-entrypoint: x",
        f" {IMAGE}",
        IMAGE[:-1],
        "",
    ],
)
def test_an_image_without_a_digest_is_refused(image: str) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        published(ACTION, image)


@given(st.text(max_size=200))
def test_an_accepted_image_is_one_word(image: str) -> None:
    try:
        text = published("runs:\n  using: docker\n  image: Dockerfile\n", image)
    except ValueError:
        return
    assert YAML_1_2.load(text)["runs"]["image"] == f"docker://{image}"


@pytest.mark.parametrize("text", ["", published(ACTION, IMAGE), ACTION + "\n  image: Dockerfile\n"])
def test_an_action_without_a_dockerfile_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="exactly once"):
        published(text, IMAGE)


def test_each_job_has_minimal_permissions_and_a_timeout() -> None:
    assert WORKFLOW["permissions"] == {}
    attests = {"id-token": "write", "attestations": "write"}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "check": {"contents": "read"},
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "image": {"contents": "read", "packages": "write", **attests},
        "publish": attests,
        "tag": {"contents": "write"},
        "documentation": {"contents": "read", "pages": "write", "id-token": "write"},
    }
    assert all(job["timeout-minutes"] <= 60 for job in JOBS.values() if "uses" not in job)
    assert JOBS["publish"]["environment"] == "pypi"


def test_nothing_is_published_before_it_is_tested() -> None:
    def before(name: str) -> set[str]:
        needs = JOBS[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*map(before, direct))

    assert before("image") == {"check", "test"}
    assert before("publish") == {"check", "test", "build", "image"}
    assert before("tag") == JOBS.keys() - {"tag", "documentation"}
    # A tag that a workflow pushes starts no other workflow, so the release calls it.
    for name in ("test", "documentation"):
        assert "workflow_call" in YAML_1_2.load(ROOT / JOBS[name]["uses"])["on"]
    assert before("documentation") == JOBS.keys() - {"documentation"}


def test_the_starting_tag_is_not_the_final_tag() -> None:
    (pattern,) = WORKFLOW["on"]["push"]["tags"]
    assert pattern == "source/v*"
    assert TAG.pattern.startswith("source/v")


def test_no_command_contains_a_value_of_the_event() -> None:
    commands = [step["run"] for job in JOBS.values() for step in job.get("steps", ()) if "run" in step]
    assert len(commands) >= 5
    assert not [command for command in commands if re.search(r"\$\{\{", command)]
