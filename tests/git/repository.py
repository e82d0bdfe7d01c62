"""A real repository in a temporary folder, apart from the user's own git settings."""

import os
import subprocess
from pathlib import Path

CALM = (
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@example.com",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "commit.gpgSign=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.file.allow=always",
)


def git(folder: Path, *arguments: str) -> str:
    # Inside a git hook, GIT_DIR and its like would point these commands at the developer's own repository.
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(["git", *CALM, *arguments], cwd=folder, env=env, capture_output=True, check=True)
    return done.stdout.decode().strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, "utf-8", newline="")


def commit(folder: Path, files: dict[str, str], message: str = "change") -> str:
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, *init: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", *init)
    return folder
