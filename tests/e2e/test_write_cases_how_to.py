"""The page about `gate cases`: every command works, and prints what the page shows."""

from pathlib import Path

from tests.support.command import git
from tests.support.how_to import carry_out, missing, steps

PAGE = (Path(__file__).parents[2] / "docs/how-to/write-cases.md").read_text(encoding="utf-8")


def test_every_command_prints_what_is_shown(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    found = list(steps(PAGE))
    assert len(found) == 5
    for step in found:
        printed = carry_out(step, tmp_path, {})
        assert missing(step.shown or "", printed) == [], printed
    left = (tmp_path / "evals/support/cases.yaml").read_text(encoding="utf-8")
    assert left.startswith("# Questions of real customers.\n") and "# the most frequent one" in left
