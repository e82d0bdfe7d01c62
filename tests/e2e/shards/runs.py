"""Runs in shards and their merge, with the commands of users."""

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

from gate.cli.app import cli, error_message
from gate.errors import GateError
from tests.support.command import Outcome

REFS = ("--base", "HEAD^1", "--head", "HEAD")
_COSTS = re.compile(
    r"[Ll]atency|reused|cost and time|known already|\*\*(Spent|Calls|Made by)\*\*|^\| (.*: )?(baseline|candidate) \|"
)

_REUSED = re.compile(r"<br>Answers reused: [^<]*")


def here(*arguments: str, cwd: Path) -> Outcome:
    """Run `gate` in this process, because many shards would be many process starts."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(list(arguments), standalone_mode=False)
        except GateError as error:
            code = error.exit_code
            err.write(error_message(error))
    return Outcome(code or 0, out.getvalue(), err.getvalue())


def shard(repo: Path, number: int, of: int, *more: str) -> Outcome:
    """Run one shard into `shards/N`."""
    named = more if "--cases" in more else (*REFS, *more)
    return here("diff", *named, "--shard", f"{number}/{of}", "--out", f"shards/{number}", cwd=repo)


def shards(repo: Path, of: int, *more: str) -> None:
    """Run all shards."""
    for number in range(1, of + 1):
        outcome = shard(repo, number, of, *more)
        assert outcome.code == 0, outcome.err


def merge(repo: Path, *more: str) -> Outcome:
    """Merge `shards` into `merged`."""
    return here("merge", "shards", "--out", "merged", *more, cwd=repo)


def untimed(folder: Path) -> dict[str, Any]:
    """The record of a run without timing and cost.

    The cost depends on cached judgements: a process sends an equal request to a judge only once, if the first one has
    ended.
    """
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    for part in (run, *run["suites"], *run["new"]):
        for name in ("created", "duration_s", "cost", "latency", "spent_usd", "reuse"):
            part.pop(name, None)
        part["calls"]["made"] += part["calls"].pop("cached")
    return run


def assert_same_report(one: Path, other: Path) -> None:
    """Both reports are equal line by line, except for times, tokens and calls."""
    texts = [_REUSED.sub("", (folder / "report.md").read_text()) for folder in (one, other)]
    ours, theirs = (text.splitlines() for text in texts)
    kept = [line for line in ours if not _COSTS.search(line)]
    assert kept == [line for line in theirs if not _COSTS.search(line)]
    assert len(kept) > 0.8 * len(ours) > 20


def keys(folder: Path) -> list[tuple[str, str, str, int]]:
    """The keys of the samples in a folder, in order."""
    rows = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    return [(row["suite"], row["case"], row["arm"], row["index"]) for row in rows]


def edit(path: Path, **values: object) -> None:
    """Change a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))
