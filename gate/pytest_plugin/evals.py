"""The evals of one pytest run: starts cases ahead of their tests, lets tests wait for them, and ends."""

import os
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gate.app.resolving import resolve_check
from gate.app.run_order import RunOrder, run_folder
from gate.calls.interface import SilentProgress
from gate.config.policy import Budget
from gate.engine.check import ReportedCases
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError
from gate.files import GATE_FOLDER
from gate.git.places import root_of
from gate.pytest_plugin import selection
from gate.pytest_plugin.background import BackgroundCheck, CaseAnswer
from gate.pytest_plugin.items import CaseItem, ConfigFile, score_notes
from gate.record.findings.unfinished import RunInterrupted
from gate.resolve.one_version import Chosen, with_cases
from gate.resolve.resolved import Resolved

if TYPE_CHECKING:
    from concurrent.futures import Future


class Evals:
    """The evals of one run of pytest, or of one worker of xdist."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self.config, self.path = config, path
        self.notes: list[str] = []
        self._resolved: Resolved | None = None
        self._root: Path = path.parent
        self._items: list[CaseItem] = []
        self._places: dict[CaseItem, int] = {}
        self._asked: dict[CaseItem, Future[CaseAnswer]] = {}
        self._background: BackgroundCheck | None = None
        self._failed: GateError | None = None
        self._reported: set[CaseItem] = set()
        self._skipped: set[CaseItem] = set()
        self._over = False

    def collector(self, parent: pytest.Collector) -> ConfigFile:
        """The node of the configuration."""
        node = ConfigFile.from_parent(parent, path=self.path)
        node.evals = self
        return node

    def resolve(self) -> Resolved:
        """The resolved configuration; read once.

        Raises:
            GateError: errors in it, or in its files.
        """
        if self._resolved is None:
            folder = self.path.parent.resolve()
            self._root = root_of(folder).resolve()
            name = (folder / self.path.name).relative_to(self._root).as_posix()
            self._resolved = resolve_check(name, None, Chosen(), self._root)
        return self._resolved

    def chosen(self, items: list[pytest.Item]) -> None:
        """The tests that will run, in their order."""
        self._items = [item for item in items if isinstance(item, CaseItem)]
        self._places = {item: place for place, item in enumerate(self._items)}

    def ahead(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """Start the case of an item, and those of the next items; a worker of xdist knows only one of them."""
        if self._over or not isinstance(item, CaseItem) or item not in self._places:
            return
        wanted: list[pytest.Item | None] = [item, following]
        if self._worker is None:
            first = self._places[item]
            wanted = [*self._items[first : first + self._window(item)]]
        for one in wanted:
            if isinstance(one, CaseItem) and one not in self._asked and self._failed is None and not _may_skip(one):
                self._ask(one)

    def wait(self, item: CaseItem) -> CaseAnswer:
        """The answer to a case.

        Raises:
            GateError: there is none.
        """
        if item not in self._asked and self._failed is None:
            self._ask(item)
        if item not in self._asked:
            raise self._failed or CannotEvaluate("the evaluation is over")
        try:
            return self._asked[item].result()
        except CancelledError:
            raise CannotEvaluate("the evaluation was ended") from None
        except GateError as error:
            # A wrong key, an unknown model: every other case would find the same.
            self._failed = self._failed or error
            raise

    def reported(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Note the report of a case; with xdist it comes from another process."""
        if not isinstance(item, CaseItem):
            return
        if report.when == "call" or (report.when == "setup" and report.failed):
            self._reported.add(item)
        elif report.skipped and item.gate_payload is None:
            self._skipped.add(item)

    def finish(self) -> None:
        """Cancel what is running, and end the thread."""
        if self._over:
            return
        self._over = True
        if self._background is not None:
            shown = self._shown()
            self._background.finish(shown, keep=self._worker is None)
            if self._worker is not None:
                _removed(self._out)
            self.notes += self._background.notes
            if self._worker is None:
                self.notes += [shown.ended.text] if shown.ended else []
            self.notes.append(self._record(self._background.record, shown))

    def _record(self, kept: Path | None, shown: ReportedCases) -> str:
        if kept is not None:
            return _place(kept, self.config)
        why_not = "nothing was answered" if shown.cases else "no case was reported"
        return (
            f"no record of this run: {why_not if self._worker is None else 'workers of pytest-xdist do not write one'}"
        )

    def _shown(self) -> ReportedCases:
        """The cases that pytest reported, those that it skipped, and whether there should have been more."""
        # A worker of xdist does not know which cases are the others'.
        there = len({*(self._items if self._worker is None else self._asked)} - self._skipped)
        left = there - len(self._reported)
        ended = RunInterrupted(signal="", unreported=left, cases=there) if left > 0 else None
        return ReportedCases(_keys(self._reported), _keys(self._skipped), ended)

    @property
    def _worker(self) -> str | None:
        """This process's xdist worker; None if it is not one."""
        worker = getattr(self.config, "workerinput", None)
        return None if worker is None else str(worker["workerid"])

    @property
    def _out(self) -> Path:
        return self._root / GATE_FOLDER / ("pytest" if self._worker is None else f"pytest-{self._worker}")

    def _window(self, item: CaseItem) -> int:
        calls = max(1, int(self.config.getoption(selection.dest("--gate-concurrency"), 32)))
        return max(2, ceil(2 * calls / item.suite.samples))

    def _ask(self, item: CaseItem) -> None:
        try:
            if self._background is None:
                self._background = BackgroundCheck(self._plan(), Settings.from_environ())
                self._background.start()
            self._asked[item] = self._background.ask(item.suite.name, item.case.id)
        except GateError as error:
            self._failed = error

    def _plan(self) -> RunOrder:
        def option(name: str) -> bool:
            return bool(self.config.getoption(selection.dest(name), False))

        if option("--gate-no-cache") and option("--gate-refresh"):
            raise GateError("--gate-no-cache and --gate-refresh cannot be used together")
        wanted: dict[str, set[str]] = {}
        for item in self._items:
            wanted.setdefault(item.suite.name, set()).add(item.case.id)
        resolved = with_cases(self.resolve(), wanted)
        self.notes += score_notes(resolved.suites)
        folder = self._root / GATE_FOLDER
        return RunOrder(
            resolved=replace(resolved, budget=self._share(resolved.budget)),
            concurrency=max(1, int(self.config.getoption(selection.dest("--gate-concurrency"), 32))),
            seed=None,
            out=self._out,
            progress=SilentProgress(),
            cache=not option("--gate-no-cache"),
            cache_folder=folder / "cache",
            refresh=option("--gate-refresh"),
            say=self.notes.append,
        )

    def _share(self, budget: Budget) -> Budget:
        """One worker's share of the budget, so that all workers together keep it."""
        workers = int(getattr(self.config, "workerinput", {}).get("workercount", 1))
        if workers == 1:
            return budget
        if budget.max_calls is not None:
            words = f"a worker's share of {budget.setting('max_calls')}"
            budget = budget.lowered("max_calls", max(1, floor(budget.max_calls / workers)), words)
        if budget.max_usd is not None:
            words = f"a worker's share of {budget.setting('max_usd')}"
            budget = budget.lowered("max_usd", budget.max_usd / workers, words)
        return budget


def _keys(items: set[CaseItem]) -> frozenset[tuple[str, str]]:
    return frozenset((item.suite.name, item.case.id) for item in items)


def _removed(folder: Path) -> None:
    """Remove a worker's samples, which are of no use without a record."""
    with suppress(GateError, OSError):
        run_folder(folder).clear()
        folder.rmdir()


def _may_skip(item: CaseItem) -> bool:
    """May the test be skipped? Then its case is not started ahead, to save its cost."""
    xfail = item.get_closest_marker("xfail")
    unrun = xfail is not None and xfail.kwargs.get("run", True) is False
    return unrun or any(item.get_closest_marker(name) is not None for name in ("skip", "skipif"))


def _place(record: Path, config: pytest.Config) -> str:
    found = os.path.relpath(record, config.invocation_params.dir)
    return f"record: {record if found.startswith('..') else found} (see gate report)"
