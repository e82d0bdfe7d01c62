"""Runs the action's image as GitHub's runner does: same mounts, translated paths, a workspace of another user."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.image.builder import Image
from tests.support.github_action import ActionOutcome, parse_outputs

RUNNER_UID = 1001
"""The owner of the workspace on GitHub's runners. The container runs as root."""
FOLDERS = {
    "GITHUB_WORKSPACE": "/github/workspace",
    "HOME": "/github/home",
    "RUNNER_TEMP": "/github/runner_temp",
}
FILES = {
    "GITHUB_EVENT_PATH": "/github/workflow",
    **{f"GITHUB_{name}": "/github/file_commands" for name in ("ENV", "OUTPUT", "PATH", "STATE", "STEP_SUMMARY")},
}
"""Variables that name a file, and where its folder is mounted."""
OF_THE_HOST = ("PATH", "LD_LIBRARY_PATH", "LANG")
BUILDAH_WORDS = ("subprocess exited with status ", "Error: exit status ")


def run_action(image: Image, env: Mapping[str, str], command: tuple[str, ...] = ()) -> ActionOutcome:
    """Run the image's entry point on a workspace.

    Args:
        image: what to run.
        env: the environment of the runner's process; see `PullRequest.environment`. The workspace belongs to the
            runner's user during the run, and to the caller afterwards.
        command: runs instead of the entry point, to see what that would see.
    """
    places = {name: (env[name], place) for name, place in FOLDERS.items()}
    places |= {name: (str(Path(env[name]).parent), place) for name, place in FILES.items()}
    translated = {name: env[name].replace(source, target, 1) for name, (source, target) in places.items()}
    variables = {name: value for name, value in env.items() if name not in OF_THE_HOST} | translated
    with _handed_over(Path(env["GITHUB_WORKSPACE"])):
        done = image.run(
            command or image.command,
            f"--workingdir={FOLDERS['GITHUB_WORKSPACE']}",
            *sorted({f"--volume={source}:{target}" for source, target in places.values()}),
            *(f"--env={name}={value}" for name, value in variables.items()),
        )
    err = "".join(line for line in done.err.splitlines(keepends=True) if not line.startswith(BUILDAH_WORDS))
    outputs = parse_outputs(Path(env["GITHUB_OUTPUT"]).read_text())
    return ActionOutcome(done.code, done.out, err, outputs, Path(env["GITHUB_STEP_SUMMARY"]).read_text())


@contextmanager
def _handed_over(workspace: Path) -> Iterator[None]:
    _chown(workspace, RUNNER_UID)
    try:
        yield
    finally:
        _chown(workspace, os.getuid())


def _chown(folder: Path, uid: int) -> None:
    subprocess.run(["chown", "--recursive", "--no-dereference", f"{uid}:{uid}", str(folder)], check=True)
