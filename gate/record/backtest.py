"""`backtest.json`, schema `prompt-gate/backtest/1`: the verdicts that earlier commits would have had."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from gate.record.comparison import State, Verdict
from gate.values import Amount, Count, Delta, RecordPart, Share

FILE = "backtest.json"


class BacktestSlice(RecordPart):
    """Quality of one slice at one commit.

    Args:
        slice: `suite/dimension=value`; without the suite in a backtest of one suite.
        n: cases with at least one scored pair.
        before, after: mean scores of the prompt before and after the commit; null when n is 0.
        mean: after minus before; null when n is 0.
        lower, upper: its interval; null is infinite.
        state: what the slice shows.
        undetected: where no case changed, the largest share of all cases that may change; else null.
    """

    slice: str
    n: Count
    before: Share | None
    after: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None
    state: State
    undetected: Share | None = None


class BacktestCommit(RecordPart):
    """One commit that changed a prompt.

    Args:
        commit, parent: ids of the commit and of the first parent that it was compared with.
        date: when it was committed.
        subject: the first line of its message.
        prompts: paths of the prompts that it changed.
        verdict: null where the commit was not evaluated.
        reason: why it, or one of its prompts, was not evaluated, or why there is no verdict; mostly empty.
        worst: name of the worst slice; empty where nothing was compared.
        slices: all of its comparisons, each suite's `overall` first.
        asked, known: calls that were made, and answers cached from an earlier commit or run.
        spent_usd: null where the price is unknown.
        folder: of its run, next to this file; empty where there is none.
        key: the same for the same comparison.
    """

    commit: str
    parent: str
    date: str
    subject: str
    prompts: list[str]
    verdict: Verdict | None = None
    reason: str = ""
    worst: str = ""
    slices: list[BacktestSlice] = []
    asked: Count = 0
    known: Count = 0
    spent_usd: Amount | None = None
    folder: str = ""
    key: str = ""

    def slice_named(self, name: str) -> BacktestSlice | None:
        """One of its comparisons; None where it has none of that name."""
        return next((one for one in self.slices if one.slice == name), None)


class LastingFall(RecordPart):
    """A slice that dropped with a commit and has not recovered since.

    It has recovered where a later mean is at least half way up again.

    Args:
        before, after: its mean with the prompt before and after the commit.
        now: its mean at the newest commit that was evaluated.
    """

    slice: str
    commit: str
    subject: str
    before: Share
    after: Share
    now: Share


class BacktestRecord(RecordPart):
    """A whole backtest; `commits` are the newest first.

    `unfinished` is why it ended early; null where all commits were evaluated. `calls` and `spent_usd` are those of this
    backtest only, without what was cached.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/backtest/1"] = Field(default="prompt-gate/backtest/1", alias="schema")
    tool_version: str
    created: str
    config: str
    suites: list[str]
    commits: list[BacktestCommit]
    falls: list[LastingFall] = []
    unfinished: str | None = None
    calls: Count = 0
    spent_usd: Amount | None = None


def backtest_schema() -> Mapping[str, object]:
    """The JSON Schema of `backtest.json`."""
    return BacktestRecord.model_json_schema(by_alias=True, mode="serialization")
