"""Runs that are divided and put together again, by the commands that users type."""

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

from gate.cli.app import cli, message
from gate.errors import GateError
from tests.support.command import Outcome

REFS = ("--base", "HEAD^1", "--head", "HEAD")
_TIMINGS = re.compile(r"latency|\*\*Spent\*\*|\*\*Made by\*\*|^\| (.*: )?(baseline|candidate) \|")


def here(*arguments: str, cwd: Path) -> Outcome:
    """Run `gate` within this process: many shards are many starts."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(list(arguments), standalone_mode=False)
        except GateError as error:
            code = error.exit_code
            err.write(message(error))
    return Outcome(code or 0, out.getvalue(), err.getvalue())


def shard(repo: Path, number: int, of: int, *more: str) -> Outcome:
    """Take one shard into `shards/N`."""
    named = more if "--baseline" in more else (*REFS, *more)
    return here("diff", *named, "--shard", f"{number}/{of}", "--out", f"shards/{number}", cwd=repo)


def shards(repo: Path, of: int, *more: str) -> None:
    """Take all shards."""
    for number in range(1, of + 1):
        outcome = shard(repo, number, of, *more)
        assert outcome.code == 0, outcome.err


def merge(repo: Path, *more: str) -> Outcome:
    """Merge what is in `shards` into `merged`."""
    return here("merge", "shards", "--out", "merged", *more, cwd=repo)


def untimed(folder: Path) -> dict[str, Any]:
    """The record of a run without timing and cost."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    for part in (run, *run["suites"], *run["new"]):
        for name in ("created", "duration_s", "cost", "latency", "spent_usd"):
            part.pop(name, None)
    return run


def assert_same_report(one: Path, other: Path) -> None:
    """Line by line the same, those about times and tokens aside."""
    ours, theirs = ((folder / "report.md").read_text().splitlines() for folder in (one, other))
    assert len(ours) == len(theirs) > 20
    for a, b in zip(ours, theirs, strict=True):
        assert a == b or (_TIMINGS.search(a) and _TIMINGS.search(b)), f"{a}\n{b}"


def keys(folder: Path) -> list[tuple[str, str, str, int]]:
    """Which samples a folder holds, in order."""
    rows = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    return [(row["suite"], row["case"], row["arm"], row["index"]) for row in rows]


def edit(path: Path, **values: object) -> None:
    """Change a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))
