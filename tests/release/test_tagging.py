"""The commands of a release's workflow run in real repositories, as on a runner."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from release.action import published
from tests.support.command import environment, git

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
IMAGE, ANOTHER = (f"ghcr.io/acme/prompt-gate@sha256:{digit * 64}" for digit in "ab")
JOBS: dict[str, Any] = YAML(typ="safe").load(ROOT / ".github/workflows/release.yml")["jobs"]
GH = """#!/bin/sh
case "$2" in
  view) cat "$WORLD/$3.state" ;;
  create) printf '%s\\n' "$@" > "$WORLD/created"; test ! -e "$WORLD/broken" && echo false > "$WORLD/$3.state" ;;
esac
"""
DOCKER = """#!/bin/sh
test "$1 $2" = "buildx build" || exit 0
echo "$@" >> "$WORLD/pushed"
case "$*" in *"--target action "*) digit=a ;; *) digit=b ;; esac
echo "{\\"containerimage.digest\\": \\"sha256:$(printf "%64s" | tr " " $digit)\\"}" > pushed.json
"""


@dataclass
class World:
    """A repository with its remote, fakes of `gh` and `docker`, and one clone for each run of a job.

    Args:
        folder: folder of all files.
        clones: number of clones.
    """

    folder: Path
    clones: int = field(default=0)

    @property
    def remote(self) -> Path:
        return self.folder / "remote"

    def commit(self, version: str) -> str:
        """Commit to main, and tag the commit to start a release."""
        clone = self.folder / "main"
        for name in ("release/__init__.py", "release/action.py", "release/changelog.py", "release/check.py"):
            (clone / name).parent.mkdir(exist_ok=True, parents=True)
            (clone / name).write_bytes((ROOT / name).read_bytes())
        (clone / "action.yml").write_text(ACTION)
        (clone / "CHANGELOG.md").write_text(f"# Changelog\n\n## {version} (2027-01-02)\n\n- New: `x`.\n")
        (clone / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
        (clone / "Dockerfile").write_text(f"FROM x\nARG VERSION={version}\n")
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", f"As {version}")
        git(clone, "tag", "-am", version, f"source/v{version}")
        git(clone, "push", "-q", "--tags", str(self.remote), "HEAD:main")
        return git(clone, "rev-parse", "HEAD")

    def run(self, job: str, step: str, version: str, image: str = IMAGE) -> subprocess.CompletedProcess[str]:
        """Run a step of a job in a new clone, which has what `actions/checkout` fetches."""
        self.clones += 1
        clone = self.folder / f"clone-{self.clones}"
        deep = next(one["with"] for one in JOBS[job]["steps"] if "checkout" in one.get("uses", "")).get(
            "fetch-depth", 1
        )
        depth = ("--depth", "1") if deep else ()
        git(self.folder, "clone", "-q", *depth, "--branch", f"source/v{version}", f"file://{self.remote}", str(clone))
        (run,) = (one for one in JOBS[job]["steps"] if one.get("id") == step)
        path = f"{self.folder / 'tools'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        env = {
            **environment(self.folder, {"PATH": path, "WORLD": str(self.folder), "RUNNER_TEMP": str(self.folder)}),
            **dict.fromkeys(run.get("env", {}), ""),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_REF_NAME": f"source/v{version}",
            "REMOTE": f"file://{self.remote}",
            "PUBLISHED": image,
            "VERSION": version,
            "IMAGE": "ghcr.io/Acme/prompt-gate",
            "DIST": str(self.folder / "tools"),
        }
        del env["PYTHONPATH"]
        command = ["bash", "-e", "-c", run["run"]]
        return subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)

    def tag(self, version: str, image: str = IMAGE) -> subprocess.CompletedProcess[str]:
        """Run the last job of a release."""
        return self.run("tag", "tag", version, image)

    def check(self, version: str) -> subprocess.CompletedProcess[str]:
        """Run the first job of a release."""
        return self.run("check", "check", version)

    def at(self, ref: str) -> str:
        return git(self.remote, "rev-parse", f"{ref}^{{commit}}")

    def tags(self) -> set[str]:
        return set(git(self.remote, "tag", "--list", "v*").split())


@pytest.fixture
def world(tmp_path: Path) -> World:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote"))
    git(tmp_path, "init", "-q", "-b", "main", str(tmp_path / "main"))
    (tmp_path / "tools").mkdir()
    for name, script in {"gh": GH, "docker": DOCKER, "sudo": "#!/bin/sh\n"}.items():
        (tmp_path / "tools" / name).write_text(script)
        (tmp_path / "tools" / name).chmod(0o755)
    return World(tmp_path)


def test_both_images_are_pushed_for_two_platforms_and_the_action_gets_the_small_one(world: World) -> None:
    world.commit("1.2.3")
    done = world.run("image", "push", "1.2.3")
    assert done.returncode == 0, done.stderr
    small, full = (world.folder / "pushed").read_text().splitlines()
    for line, target, tag in ((small, "action", "1.2.3"), (full, "full", "1.2.3-full")):
        assert f"--target {target} " in line and line.endswith(f"--tag ghcr.io/acme/prompt-gate:{tag} .")
        for option in ("--platform linux/amd64,linux/arm64", "--provenance=mode=max", "--sbom=true", "--push"):
            assert f" {option} " in line
    output = dict(line.split("=") for line in (world.folder / "output").read_text().splitlines())
    assert f"{output['name']}@{output['action']}" == IMAGE
    assert f"{output['name']}@{output['full']}" == ANOTHER
    assert JOBS["image"]["outputs"]["digest"] == "${{ steps.push.outputs.action }}"
    attested = [step["with"]["subject-digest"] for step in JOBS["image"]["steps"] if "attest" in step.get("uses", "")]
    assert attested == ["${{ steps.push.outputs.action }}", "${{ steps.push.outputs.full }}"]


def test_a_release_sets_image_and_tags_leaves_main_unchanged_and_is_that_of_one_commit(world: World) -> None:
    begun = world.commit("1.2.3")
    done = world.tag("1.2.3")
    assert done.returncode == 0, done.stderr
    assert git(world.remote, "show", "v1.2.3:action.yml") == published(ACTION, IMAGE).strip()
    assert git(world.remote, "rev-parse", "v1.2.3^") == world.at("main") == begun
    assert git(world.remote, "diff", "--name-only", "main", "v1.2.3") == "action.yml"
    assert world.at("v1") == world.at("v1.2") == world.at("v1.2.3")
    assert world.tags() == {"v1", "v1.2", "v1.2.3"}
    assert (world.folder / "notes.md").read_text() == "- New: `x`.\n"
    assert (world.folder / "created").read_text().split("\n")[:3] == ["release", "create", "v1.2.3"]
    git(world.folder / "main", "commit", "-q", "--allow-empty", "-m", "More")
    git(world.folder / "main", "tag", "-fam", "moved", "source/v1.2.3")
    git(world.folder / "main", "push", "-qf", "--tags", str(world.remote), "HEAD:main")
    checked = world.check("1.2.3")
    assert checked.returncode == 1
    assert checked.stdout.strip() == f"::error::v1.2.3 was released from another commit, {begun}"
    assert not (world.folder / "output").exists()


def test_a_release_that_failed_after_its_tags_is_completed_with_the_same_tags(world: World) -> None:
    world.commit("1.2.3")
    (world.folder / "broken").touch()
    assert world.tag("1.2.3").returncode != 0
    first = world.at("v1.2.3")
    (world.folder / "broken").unlink()
    # Running all jobs again builds another image, but an existing tag keeps its image.
    again = world.tag("1.2.3", ANOTHER)
    assert again.returncode == 0, again.stderr
    assert world.at("v1.2.3") == world.at("v1") == first
    assert (world.folder / "v1.2.3.state").exists()
    (world.folder / "created").unlink()
    assert world.tag("1.2.3", ANOTHER).returncode == 0
    assert not (world.folder / "created").exists()


def test_running_an_older_release_again_moves_no_tag_back(world: World) -> None:
    for version in ("1.3.0", "1.10.0"):
        world.commit(version)
        assert world.tag(version).returncode == 0
    assert world.tag("1.3.0").returncode == 0
    assert world.at("v1") == world.at("v1.10.0")
    assert world.at("v1.3") == world.at("v1.3.0")


def test_a_commit_that_is_not_on_main_is_not_released(world: World) -> None:
    world.commit("1.2.3")
    git(world.remote, "update-ref", "refs/heads/main", git(world.remote, "commit-tree", "-m", "x", "main^{tree}"))
    done = world.check("1.2.3")
    assert (done.returncode, done.stdout.strip()) == (1, "::error::the tag is not on main")


def test_a_tag_with_another_version_starts_no_release(world: World) -> None:
    world.commit("1.2.3")
    git(world.remote, "tag", "source/v1.3.0", "main")
    done = world.check("1.3.0")
    assert done.returncode == 1
    assert "the tag has version 1.3.0, pyproject.toml has 1.2.3" in done.stderr
    assert not (world.folder / "output").exists()
