"""`gate diff --watch`: compare again at every save, until Ctrl-C."""

import sys
from dataclasses import dataclass, field, replace
from datetime import datetime

import click
from rich.console import Console

from gate.app.run_order import RunOrder
from gate.app.runs import run_until_saved, wait_for_save
from gate.app.session import Session
from gate.cli import output
from gate.cli.app import error_message
from gate.cli.diff import DiffOptions, check_options, resolved_by
from gate.cli.output import output_paths, print_note, run_progress, skipped_text, stdout_console
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError, Interrupted, MissingKey
from gate.git.repository import ReadFiles
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.terminal.watch import render_watch, spending_line, watch_view
from gate.report.view.cases import explain_command
from gate.report.view.headline import first_line
from gate.resolve.resolved import Resolved
from gate.values import counted


@dataclass(slots=True)
class Watch:
    """One session; each run is compared with the one before."""

    options: DiffOptions
    out: Console
    settings: Settings
    session: Session = field(default_factory=Session)
    _last: RunRecord | None = None
    _seen: ReadFiles = field(default_factory=ReadFiles)

    def run(self) -> int:
        """Compare and wait, again and again.

        Returns:
            130 after Ctrl-C, 3 after SIGTERM.

        Raises:
            CannotEvaluate: the budget is used up.
            GateError: a usage error, which saving a file cannot fix.
        """
        try:
            while True:
                code = self._once()
                if code is not None:
                    return code
        except KeyboardInterrupt:
            self._say(f"\nEnded after {self.session}. All answers are cached.")
            return Interrupted.exit_code

    def _once(self) -> int | None:
        """Compare once and wait for the next save; returns an exit code to end."""
        seen = ReadFiles()
        try:
            resolved = resolved_by(self.options, seen)
        except GateError as error:
            if not seen.files:
                raise
            # The error ended the reading early, so keep watching the files of the last run, too.
            for path in self._seen.files:
                seen.see(path)
            self._seen = seen
            self._error(error)
            wait_for_save(self._seen)
            return None
        self._seen = seen
        return self._compare(resolved)

    def _compare(self, resolved: Resolved) -> int | None:
        if not resolved.suites and not resolved.edits:
            self._clear()
            self._say(terminal_text(f"{_now()}  {_nothing(resolved)}"))
            self._wait()
            return None
        if limit := self.session.used_up(resolved.budget):
            message = f"this session has used up {limit} ({self.session})"
            raise CannotEvaluate(message, "all answers are cached; start again, or raise the limit on the base branch")
        left = self.session.rest(resolved.budget)
        try:
            ran = run_until_saved(self._plan(replace(resolved, budget=left)), self.settings, self._seen)
        except (Interrupted, MissingKey):
            raise  # saving a file adds no key
        except GateError as error:
            self._error(error)
            wait_for_save(self._seen)
            return None
        self.session.add(ran.record)
        if ran.ended:
            self.session.runs += 1
            self._say(first_line(ran.record))
            self._say(f"Ended after {self.session}. All answers are cached.")
            return ran.record.exit_code
        if ran.saved and ran.record.unfinished is not None:
            self._say(f"{_now()}  A file was saved: starting again after {spending_line(ran.record)}.")
            wait_for_save(self._seen)
            return None
        self.session.runs += 1
        self._tell(ran.record)
        self._wait()
        return None

    def _plan(self, resolved: Resolved) -> RunOrder:
        options = self.options
        # Comparing the rules of both prompts would cost calls at every save.
        suites = tuple(replace(suite, promises=None) for suite in resolved.suites)
        folder, concurrency = output_paths(options.out)[0], self.settings.concurrency
        asked, progress = replace(resolved, suites=suites), run_progress(quiet=options.quiet)
        return RunOrder(asked, concurrency, None, folder, progress, beside=False, say=print_note)

    def _tell(self, run: RunRecord) -> None:
        """One screen: verdict, change since the last run, worst case, cost."""
        folder, file = output_paths(self.options.out)
        if file is not None:
            output.write_run(run, file)
        self._clear()
        if self.options.quiet:
            self._say(f"{_now()}  {first_line(run)}")
        else:
            render_watch(watch_view(run, self._last), _now(), self.out)
            if more := explain_command(run, str(folder)):
                self._say(terminal_text(f"Worst case in full: {more}"))
        self._last = run
        self._say(f"{spending_line(run)}; session: {self.session}. Full report: {file or folder / 'report.md'}")

    def _error(self, error: GateError) -> None:
        self._clear()
        self._say(f"{_now()}  {error_message(error)}")
        self._say("Fix it and save to compare again. Press Ctrl-C to stop.")

    def _wait(self) -> None:
        if not self.options.quiet:
            self._say(
                f"Watching {counted(len(self._seen.files), 'file')}. Save to compare again; press Ctrl-C to stop."
            )
        wait_for_save(self._seen)

    def _clear(self) -> None:
        # A log is never cleared.
        if self.out.is_terminal and not self.options.quiet:
            self.out.clear()

    def _say(self, text: str) -> None:
        click.echo(text)
        # Programs that read the output need each line at once.
        sys.stdout.flush()


def watch(options: DiffOptions) -> int:
    """Watch until Ctrl-C; returns the exit code."""
    check_options(options)
    return Watch(options, stdout_console(), Settings.from_environ()).run()


def _now() -> str:
    return datetime.now().astimezone().strftime("%H:%M:%S")


def _nothing(resolved: Resolved) -> str:
    if resolved.deleted:
        return f"INCONCLUSIVE: {' '.join(map(str, resolved.deleted))}"
    return skipped_text(resolved)
