"""What the command line says about recorded answers is frozen, to the last digit.

`python -m tests.e2e.test_frozen_figures` writes the files anew; look at the difference before it is kept.
"""

import json
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
    "t": (*DIFF, "--config", "t.yaml"),
    "mcnemar": (*DIFF, "--config", "mcnemar.yaml"),
    "check": ("check", "--suite", "desk", "--suite", "faq:hours", "--suite", "faq:new", "--quiet"),
    "check-rate": ("check", "--config", "t.yaml", "--min-pass-rate", "0.7", "--quiet"),
}
WHO = {"NAME": "t", "EMAIL": "t@example.invalid"}
REPORTED = "suites"
"""The run whose report in Markdown is frozen, too."""
NO_FIGURES = {"created", "duration_s", "tool_version", "schema", "commit", "sha", "digest", "where"} | {
    "input", "expected", "prompt", "text", "transcript"
}  # fmt: skip
"""Keys whose values are times of day, versions, commits and places, or the texts that were given."""


def run(name: str, folder: Path) -> tuple[int, Any, str]:
    """Change a new repository, run the command, and take its exit code, its figures and its report."""
    repo = repository(folder / name)
    shutil.copytree(DATA / "change", repo, dirs_exist_ok=True)
    outcome = gate(*RUNS[name], "--out", "out", cwd=repo)
    assert outcome.code in (0, 1), outcome.err
    record = json.loads((repo / "out" / "run.json").read_text())
    return outcome.code, figures(record), timeless((repo / "out" / "report.md").read_text())


def repository(folder: Path) -> Path:
    """The base as a commit whose id, which the gate makes its seed of, is always the same."""
    shutil.copytree(DATA / "base", folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "--quiet", "--initial-branch", "main", "--object-format", "sha1")
    git(folder, "add", "--all")
    day = "2026-01-01T00:00:00Z"
    who = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in WHO.items()}
    env = environment(folder, who | {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day})
    command = ["git", "commit", "--quiet", "--no-gpg-sign", "--message", "base"]
    subprocess.run(command, cwd=folder, env=env, check=True)
    return folder


def figures(value: Any) -> Any:
    """A record without what is no figure."""
    if isinstance(value, dict):
        return {key: figures(part) for key, part in value.items() if key not in NO_FIGURES}
    return [figures(part) for part in value] if isinstance(value, list) else value


def timeless(report: str) -> str:
    """A report without the version, the time of day and the time that the run took."""
    report = re.sub(r"Prompt Gate \d\S*, \d{4}-\S+", "Prompt Gate", report)
    return re.sub(r"\b(in|and|took)\s\d[\d.,]*\s(s|min)\b", r"\1 SECONDS", report)


def differences(frozen: Any, now: Any, path: str = "") -> Iterator[str]:
    """Each value that is not the frozen one, by its path."""
    if isinstance(frozen, dict) and isinstance(now, dict):
        for key in [*frozen, *(key for key in now if key not in frozen)]:
            yield from differences(frozen.get(key, "(no key)"), now.get(key, "(no key)"), f"{path}.{key}".lstrip("."))
    elif isinstance(frozen, list) and isinstance(now, list):
        if len(frozen) != len(now):
            yield f"{path}: {len(frozen)} entries were frozen, now {len(now)}"
        for place, (one, other) in enumerate(zip(frozen, now, strict=False)):
            name = next((one[key] for key in ("slice", "id", "name") if isinstance(one, dict) and key in one), place)
            yield from differences(one, other, f"{path}[{name}]")
    elif type(frozen) is not type(now) or frozen != now:
        yield f"{path}: frozen {frozen!r}, now {now!r}"


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    code, found, report = run(name, tmp_path)
    frozen = json.loads((FIGURES / f"{name}.json").read_text())
    wrong = list(differences(frozen, found))
    assert not wrong, f"{len(wrong)} figures of {name} differ:\n" + "\n".join(wrong[:40])
    assert code == frozen["exit_code"]
    if name == REPORTED:
        assert report == (FIGURES / f"{name}.md").read_text()


def main() -> None:
    """Write the figures of every run, and the report of one."""
    FIGURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            _, found, report = run(name, Path(folder))
            # What holds nothing else stands on one line.
            text = json.dumps(found, ensure_ascii=False, indent=1)
            text = re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda one: re.sub(r"\n\s*", " ", one[0]), text)
            (FIGURES / f"{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")
            if name == REPORTED:
                (FIGURES / f"{name}.md").write_text(report, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
