"""The figures that the command line computes from recorded answers are frozen.

`python -m tests.e2e.test_frozen_figures` writes the files again; read the difference before you commit it.
"""

import json
import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import environment, gate, git

DATA = Path(__file__).parents[1] / "data" / "frozen"
FIGURES = DATA / "figures"
DIFF = ("diff", "--base", "main", "--quiet")
RUNS: dict[str, tuple[str, ...]] = {
    "suites": DIFF,
    "maxt": (*DIFF, "--config", "maxt.yaml"),
    "breakage": (*DIFF, "--config", "breakage.yaml"),
    "percentile": (*DIFF, "--config", "percentile.yaml"),
    "check": ("check", "--suite", "desk", "--suite", "faq:hours", "--suite", "faq:new", "--quiet"),
    "check-rate": ("check", "--config", "percentile.yaml", "--min-pass-rate", "0.7", "--quiet"),
}
OVERLAYS = {"percentile": DATA / "percentile", "check-rate": DATA / "percentile"}
"""Files that some runs have in place of those of the base."""
WHO = {"NAME": "t", "EMAIL": "t@example.invalid"}
NO_FIGURES = {"created", "coverage", "duration_s", "tool_version", "schema", "commit", "sha", "digest", "where"} | {
    "input", "expected", "prompt", "text", "thinking", "transcript", "findings", "reasons", "cost_note", "untaken"
}  # fmt: skip
"""Keys with times, versions, commits, places, texts of the inputs, or sentences."""
CLOSE = 1e-9
"""Processors add in different orders, so the last digits of a sum differ between machines."""


def run(name: str, folder: Path) -> tuple[int, Any]:
    """Change a new repository and run the command; returns its exit code and its figures."""
    repo = repository(folder / name, OVERLAYS.get(name))
    shutil.copytree(DATA / "change", repo, dirs_exist_ok=True)
    outcome = gate(*RUNS[name], "--out", "out", cwd=repo)
    assert outcome.code in (0, 1), outcome.err
    record = json.loads((repo / "out" / "run.json").read_text())
    return outcome.code, figures(record)


def repository(folder: Path, overlay: Path | None) -> Path:
    """The base as a commit whose id, which the gate makes its seed of, is always the same."""
    shutil.copytree(DATA / "base", folder, ignore=shutil.ignore_patterns("__pycache__"))
    if overlay is not None:
        shutil.copytree(overlay, folder, dirs_exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch", "main", "--object-format", "sha1")
    git(folder, "add", "--all")
    day = "2026-01-01T00:00:00Z"
    who = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in WHO.items()}
    env = environment(folder, who | {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day})
    command = ["git", "commit", "--quiet", "--no-gpg-sign", "--message", "base"]
    subprocess.run(command, cwd=folder, env=env, check=True)
    return folder


def figures(value: Any) -> Any:
    """A record without the keys of `NO_FIGURES`."""
    if isinstance(value, dict):
        return {key: figures(part) for key, part in value.items() if key not in NO_FIGURES}
    return [figures(part) for part in value] if isinstance(value, list) else value


def differences(frozen: Any, now: Any, path: str = "") -> Iterator[str]:
    """Each value that differs from the frozen one, with its path."""
    if isinstance(frozen, dict) and isinstance(now, dict):
        for key in [*frozen, *(key for key in now if key not in frozen)]:
            yield from differences(frozen.get(key, "(no key)"), now.get(key, "(no key)"), f"{path}.{key}".lstrip("."))
    elif isinstance(frozen, list) and isinstance(now, list):
        if len(frozen) != len(now):
            yield f"{path}: {len(frozen)} entries were frozen, now {len(now)}"
        for place, (one, other) in enumerate(zip(frozen, now, strict=False)):
            name = next((one[key] for key in ("slice", "id", "name") if isinstance(one, dict) and key in one), place)
            yield from differences(one, other, f"{path}[{name}]")
    elif (
        isinstance(frozen, float) and isinstance(now, float) and math.isclose(frozen, now, rel_tol=CLOSE, abs_tol=CLOSE)
    ):
        return
    elif type(frozen) is not type(now) or frozen != now:
        yield f"{path}: frozen {frozen!r}, now {now!r}"


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    code, found = run(name, tmp_path)
    frozen = json.loads((FIGURES / f"{name}.json").read_text())
    wrong = list(differences(figures(frozen), found))
    assert not wrong, f"{len(wrong)} figures of {name} differ:\n" + "\n".join(wrong[:40])
    assert code == frozen["exit_code"]


def main() -> None:
    """Write the figures of every run."""
    FIGURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            _, found = run(name, Path(folder))
            # Innermost lists and mappings stand on one line.
            text = json.dumps(found, ensure_ascii=False, indent=1)
            text = re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda one: re.sub(r"\n\s*", " ", one[0]), text)
            (FIGURES / f"{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
