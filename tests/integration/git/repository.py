"""A real repository in a temporary folder, apart from the user's own git settings."""

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
    done = subprocess.run(["git", *CALM, *arguments], cwd=folder, capture_output=True, check=True)
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
