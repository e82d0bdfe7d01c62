"""Evaluates earlier commits with today's cases, scorers and policy, newest first, under one budget."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from gate.app.resolving import against_itself, prompt_builder, rehearsed
from gate.app.run_order import REFRESHING, RunOrder, refreshed_since
from gate.app.run_tools import spending_forecast
from gate.app.runs import run_plan
from gate.backtest.budget_use import BudgetUse
from gate.backtest.commits import ExaminedPrompt, PromptChange, PromptCommit, prompt_commits
from gate.calls.interface import Progress
from gate.config.policy import Budget
from gate.engine.spending import Spending
from gate.environment.settings import Settings
from gate.errors import GateError, InputErrors, Interrupted
from gate.files import make_gate_folder, write_whole
from gate.git.places import refuse_tracked
from gate.git.repository import Repo
from gate.prompts.version import PromptVersion
from gate.record.backtest import FILE, BacktestCommit, BacktestRecord, BacktestSlice, LastingFall
from gate.record.comparison import State, Verdict
from gate.record.findings.notes import SuiteNotEvaluated
from gate.record.run import RunRecord
from gate.record.transcript import Dollars
from gate.report.sheets.plan import spending_words
from gate.report.slices import NamedSlice, run_slices, worst_slice
from gate.resolve.reading import suite_configs
from gate.resolve.resolved import Resolved
from gate.store.run_folder import LARGEST_RECORD, content_of, load_run, read_record
from gate.suite import Suite
from gate.values import JsonValue, counted, digest

PAGE = "backtest.html"


@dataclass(frozen=True, slots=True)
class BacktestOrder:
    """Options of a backtest.

    Args:
        suites: empty for all.
        commits: number of commits that changed a prompt.
        since: leave out the commits of this ref.
        samples: samples per case instead of each suite's setting.
        limits: `max_calls`, `max_usd` and `max_minutes` for all commits together; None keeps that of `gate.yaml`.
        out: folder of the record and of each commit's run.
        refresh: ignore cached answers.
    """

    config: str
    suites: tuple[str, ...]
    commits: int
    since: str | None
    samples: int | None
    limits: tuple[int | None, float | None, float | None]
    out: Path
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One commit to evaluate.

    Args:
        resolved: None if the commit cannot be evaluated.
        reason: why the commit or one of its prompts cannot be evaluated; else empty.
        done: its run, if an earlier backtest finished it.
    """

    commit: PromptCommit
    resolved: Resolved | None
    reason: str
    done: RunRecord | None = None

    @property
    def open(self) -> bool:
        """Is it still to be evaluated?"""
        return self.resolved is not None and self.done is None

    @property
    def key(self) -> str:
        """Equal for equal evaluations."""
        if self.resolved is None:
            return ""
        told: list[JsonValue] = [version("prompt-gate"), self.resolved.policy.model_dump(mode="json")]
        return digest([*told, *map(_told, self.resolved.suites)])


def _told(suite: Suite) -> JsonValue:
    arms: list[JsonValue] = [
        [arm.version.prompt.digest, str(arm.model), arm.params.model_dump(mode="json"), repr(arm.target), arm.code]
        for arm in suite.arms.values()
    ]
    return [suite.name, suite.samples, suite.exam.digest, repr(suite.exam.conversing), *arms]


@dataclass(frozen=True, slots=True)
class Backtest:
    """A backtest that is ready to run."""

    order: BacktestOrder
    suites: tuple[str, ...]
    trials: tuple[Trial, ...]
    budget: Budget

    @property
    def left(self) -> tuple[Trial, ...]:
        """The commits that are still to be evaluated."""
        return tuple(one for one in self.trials if one.open)


def prepare(order: BacktestOrder) -> Backtest:
    """Find the commits, and what to evaluate for each.

    Raises:
        GateError, InputErrors: errors in today's files, an unknown suite or ref, no commit, or a clone that is too
            shallow.
    """
    repo = Repo.open(Path())
    today = against_itself(order.config, order.suites).with_samples(order.samples)
    configs = suite_configs(repo.tree(), order.config)
    prompts = [ExaminedPrompt(configs[suite.name], suite.exam.cases) for suite in today.suites]
    with prompt_builder() as builder:
        found = prompt_commits(repo, prompts, order.commits, order.since, builder)
    trials = [_trial(commit, today) for commit in found]
    known = _known(order)
    calls, usd, minutes = order.limits
    budget = today.budget.by_options(calls, usd)
    budget = budget if minutes is None else budget.lowered("max_minutes", minutes, "--max-minutes")
    kept = tuple(replace(one, done=_done(one, order, known)) for one in trials)
    return Backtest(order, tuple(suite.name for suite in today.suites), kept, budget)


def _trial(commit: PromptCommit, today: Resolved) -> Trial:
    """A commit with today's eval set; both arms differ from today only in their prompt."""
    suites, reasons = [], []
    for change in commit.changes:
        suite = next(one for one in today.suites if one.name == change.suite)
        old, new = change.before, change.after
        if isinstance(old, PromptVersion) and isinstance(new, PromptVersion) and suite.baseline is not None:
            arms = replace(suite.baseline, version=old), replace(suite.candidate, version=new)
            # Changed rules are shown in the review of a change, not here.
            suites.append(replace(suite, baseline=arms[0], candidate=arms[1], promises=None))
        else:
            reasons += [said for said in (new, old) if isinstance(said, str)][:1]
    fitting = []
    for suite in suites:
        try:
            rehearsed(replace(today, suites=(suite,), edits=()))
            fitting.append(suite)
        except InputErrors as errors:
            reasons.append(f"{errors.problems[0].where}: {errors.problems[0].message}")
    if not fitting:
        return Trial(commit, None, reasons[0])
    notes = tuple(SuiteNotEvaluated(reason=reason) for reason in reasons)
    changes = {suite.name: today.changes[suite.name] for suite in fitting}
    found = replace(today, suites=tuple(fitting), changes=changes, notes=notes, commit=commit.sha, edits=())
    return Trial(commit, found, reasons[0] if reasons else "")


def _known(order: BacktestOrder) -> Mapping[str, str]:
    """The keys of commits that an earlier backtest in this folder finished."""
    file = order.out / FILE
    refuse_tracked(file)
    if not file.is_file():
        return {}
    with suppress(GateError):
        content = content_of(file, "backtest", "", LARGEST_RECORD)
        return {one.commit: one.key for one in read_record(BacktestRecord, content, str(file), "backtest", "").commits}
    return {}


def _done(trial: Trial, order: BacktestOrder, known: Mapping[str, str]) -> RunRecord | None:
    """The run of a commit that an earlier backtest finished."""
    if trial.resolved is None or known.get(trial.commit.sha) != trial.key:
        return None
    file = order.out / trial.commit.short / "run.json"
    with suppress(GateError, OSError):
        begun = refreshed_since(order.out) if order.refresh else 0.0
        run = load_run(file)
        return run if run.unfinished is None and file.stat().st_mtime >= begun else None
    return None


def forecast(backtest: Backtest, settings: Settings) -> Spending | None:
    """Estimated cost without cached answers; None if nothing is left to evaluate.

    The prompt after one commit is the prompt before the next one, and is called once.
    """
    seen: set[tuple[str, str]] = set()
    suites = []
    for trial in backtest.left:
        for suite in trial.resolved.suites if trial.resolved is not None else ():
            fresh = [arm for arm in suite.arms.values() if _new(suite, arm.version, seen)]
            if any(spec.comparative for spec in suite.exam.all_scorers()) or len(fresh) == len(suite.arms):
                suites.append(suite)
            elif fresh:
                suites.append(replace(suite, baseline=None, candidate=fresh[0]))
    if not suites:
        return None
    any_trial = next(one.resolved for one in backtest.left if one.resolved is not None)
    return spending_forecast(replace(any_trial, suites=tuple(suites)), settings, settings.concurrency)


def _new(suite: Suite, prompt: PromptVersion, seen: set[tuple[str, str]]) -> bool:
    place = suite.name, prompt.prompt.digest
    new = place not in seen
    seen.add(place)
    return new


@dataclass(frozen=True, slots=True)
class Screen:
    """Output for the user."""

    say: Callable[[str], None]
    progress: Callable[[], Progress]


@dataclass(slots=True)
class _RunningBacktest:
    """A running backtest."""

    backtest: Backtest
    settings: Settings
    screen: Screen
    used: BudgetUse = field(default_factory=BudgetUse)
    unfinished: str | None = None
    interrupted: bool = False
    _told: set[str] = field(default_factory=set)

    def evaluated(self, trial: Trial) -> BacktestCommit:
        """The commit with its verdict, or the reason why it has none."""
        if trial.resolved is None:
            return _row(trial, reason=trial.reason)
        if trial.done is not None:
            return _with_run(trial, trial.done, self._several)
        if self.unfinished is None and (limit := self.used.exhausted_limit(self.backtest.budget)):
            self.unfinished = f"{limit} is used up"
        if self.unfinished is not None:
            return _row(trial, reason=f"not reached: {self.unfinished}")
        run = self._run(trial, trial.resolved)
        self.used.add(run)
        if run.unfinished is not None:
            self.unfinished = run.unfinished.clause
            self.interrupted = run.exit_code == Interrupted.exit_code
        return _with_run(trial, run, self._several)

    @property
    def _several(self) -> bool:
        return len(self.backtest.suites) > 1

    def _run(self, trial: Trial, resolved: Resolved) -> RunRecord:
        order = self.backtest.order
        plan = RunOrder(
            replace(resolved, budget=self.used.remaining(self.backtest.budget)),
            self.settings.concurrency,
            None,
            order.out / trial.commit.short,
            self.screen.progress(),
            refresh=order.refresh,
            refreshed_in=order.out,
            # The prompt before this commit may be answered from an earlier run, so latency is not compared.
            beside=False,
            say=self._once,
        )
        try:
            return run_plan(plan, self.settings)
        finally:
            # A run freezes the garbage collector; more runs follow.
            gc.unfreeze()

    def _once(self, note: str) -> None:
        if note not in self._told:
            self._told.add(note)
            self.screen.say(note)


def carry_out(backtest: Backtest, settings: Settings, screen: Screen) -> tuple[BacktestRecord, bool]:
    """Evaluate the commits; the record is written after each.

    Returns:
        The record, and whether the user interrupted it.

    Raises:
        MissingKey, Misconfigured, GateError: as `gate.app.runs.carry_out`.
    """
    running = _RunningBacktest(backtest, settings, screen)
    for line in _foreseen(backtest, settings):
        screen.say(line)
    rows = [_row(trial, reason="not reached") for trial in backtest.trials]
    for place, trial in enumerate(backtest.trials):
        if trial.open and running.unfinished is None:
            where = f"{place + 1} of {len(backtest.trials)}"
            screen.say(f"{trial.commit.short} {trial.commit.subject} ({where})")
        rows[place] = running.evaluated(trial)
        keep(_record(running, rows), backtest.order.out)
    if running.unfinished is None:
        (backtest.order.out / REFRESHING).unlink(missing_ok=True)
    return _record(running, rows), running.interrupted


def _foreseen(backtest: Backtest, settings: Settings) -> Iterator[str]:
    """Estimated cost, before anything is spent."""
    spending = forecast(backtest, settings)
    done = sum(one.done is not None for one in backtest.trials)
    if spending is None:
        return
    known = f" ({done:,} more are already evaluated)" if done else ""
    most = "" if spending.at_least else "at most "
    yield f"{counted(len(backtest.left), 'commit')} to evaluate{known}: {most}{spending_words(spending)}."
    limit, cost = backtest.budget, spending.cost
    if limit.max_calls is not None and spending.calls > limit.max_calls:
        yield f"{limit.setting('max_calls')} is {limit.max_calls:,}, so the backtest may stop early."
    elif limit.max_usd is not None and isinstance(cost, Dollars) and cost.amount > limit.max_usd:
        yield f"{limit.usd_said}, so the backtest may stop early."


def keep(record: BacktestRecord, folder: Path) -> None:
    """Write `backtest.json`."""
    make_gate_folder(folder)
    write_whole(folder / FILE, record.model_dump_json(by_alias=True, indent=2) + "\n")


def keep_page(record: BacktestRecord, folder: Path) -> None:
    """Write the page next to it."""
    from gate.backtest.report import render_backtest

    make_gate_folder(folder)
    write_whole(folder / PAGE, render_backtest(record))


def _record(running: _RunningBacktest, rows: Sequence[BacktestCommit]) -> BacktestRecord:
    known = [row.spent_usd for row in rows if row.spent_usd is not None]
    return BacktestRecord(
        tool_version=version("prompt-gate"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        config=running.backtest.order.config,
        suites=list(running.backtest.suites),
        commits=list(rows),
        falls=list(lasting_falls(rows)),
        unfinished=running.unfinished,
        calls=running.used.calls,
        spent_usd=running.used.usd if known else None,
    )


def _row(trial: Trial, reason: str) -> BacktestCommit:
    commit = trial.commit
    return BacktestCommit(
        commit=commit.sha,
        parent=commit.parent,
        date=commit.date,
        subject=commit.subject,
        prompts=list(dict.fromkeys(_path(change) for change in commit.changes)),
        reason=reason,
    )


def _path(change: PromptChange) -> str:
    """The prompt's path; the suite's name if neither version can be read."""
    known = (one.path for one in (change.after, change.before) if isinstance(one, PromptVersion))
    return next(known, change.suite)


def _with_run(trial: Trial, run: RunRecord, several: bool) -> BacktestCommit:
    worst = worst_slice(run)
    undecided = run.deciding[0].text if run.verdict is Verdict.INCONCLUSIVE else ""
    return _row(trial, undecided or trial.reason).model_copy(
        update={
            "verdict": run.verdict,
            "worst": "" if worst is None else _name(worst, run, several),
            "slices": [_slice(named, _name(named, run, several), run.method.alpha) for named in run_slices(run)],
            "asked": run.calls.made,
            "known": run.calls.cached,
            "spent_usd": run.spent_usd,
            "folder": trial.commit.short,
            "key": trial.key if run.unfinished is None else "",
        }
    )


def _name(named: NamedSlice, run: RunRecord, several: bool) -> str:
    """With the suite's name if the backtest has several suites."""
    suite = named.suite or (run.suites[0].name if several else "")
    return f"{suite}/{named.local}" if suite else named.local


def _slice(named: NamedSlice, name: str, alpha: float) -> BacktestSlice:
    one = named.record
    return BacktestSlice(
        slice=name,
        n=one.n,
        before=one.baseline,
        after=one.candidate,
        mean=one.mean,
        lower=one.lower,
        upper=one.upper,
        state=one.state,
        undetected=one.undetected(alpha),
    )


def lasting_falls(rows: Sequence[BacktestCommit]) -> Iterator[LastingFall]:
    """Regressions that later commits did not recover, newest first.

    Args:
        rows: the newest commit first.
    """
    for place, row in enumerate(rows):
        for one in row.slices:
            if one.state is not State.REGRESSION or one.before is None or one.after is None:
                continue
            later = [found.after for newer in rows[:place] if (found := newer.slice_named(one.slice))]
            known = [after for after in later if after is not None]
            now = known[0] if known else one.after
            if max(known, default=one.after) < (one.before + one.after) / 2:
                yield LastingFall(
                    slice=one.slice, commit=row.commit, subject=row.subject, before=one.before, after=one.after, now=now
                )
