"""Creates the demo's sample repository: one suite on `main`, and two branches that change its prompt."""

import os
import subprocess
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from gate.errors import GateError

PROMPT = "prompts/sentiment.txt"
CASES = "evals/sentiment/cases.jsonl"
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Change:
    """One pull request of the demo."""

    branch: str
    title: str
    prompt: str
    blocked: bool


CHANGES = (
    Change("simplify-prompt", "Simplify the prompt: the examples only cost tokens", "simplified", blocked=True),
    Change("reword-prompt", "Reword the instruction", "reworded", blocked=False),
)


def build(root: Path) -> None:
    """Make the repository with its branches; `main` is checked out at the end.

    Raises:
        GateError: the folder is not empty, or git is missing.
    """
    if root.exists() and any(root.iterdir()):
        raise GateError(f"{root} is not empty", "give a new folder with --dir")
    root.mkdir(parents=True, exist_ok=True)
    data = resources.files("gate.demo").joinpath("data")
    _git(root, "init", "--quiet", "--initial-branch", MAIN)
    _put(root, "gate.yaml", data / "gate.yaml")
    _put(root, CASES, data / "cases.jsonl")
    _put(root, PROMPT, data / "prompts" / "baseline.txt")
    _commit(root, "Classify reviews, with an eval set")
    for change in CHANGES:
        _git(root, "switch", "--quiet", "--create", change.branch, MAIN)
        _put(root, PROMPT, data / "prompts" / f"{change.prompt}.txt")
        _commit(root, change.title)
    _git(root, "switch", "--quiet", MAIN)


def _put(root: Path, path: str, source: Traversable) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())


def _commit(root: Path, subject: str) -> None:
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--message", subject)


def _git(root: Path, *arguments: str) -> None:
    # The user's own signing, hooks and templates are none of the demo's business.
    settings = {
        "user.name": "Prompt Gate demo",
        "user.email": "demo@example.invalid",
        "commit.gpgSign": "false",
        "core.hooksPath": os.devnull,
        "core.autocrlf": "false",
    }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    command = ["git", "-C", str(root), *options, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise GateError(f"git cannot be started: {error.strerror}", "install git") from None
    if done.returncode:
        raise GateError(f"git {arguments[0]} failed: {done.stderr.strip()}", "the demo needs git 2.28 or newer")
