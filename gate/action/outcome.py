"""Reports the outcome: comment, check run, job summary, outputs and annotations."""

import re
import secrets
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.action.comment import Publication, StickyComment, publish_comment
from gate.action.subject import EventPlace
from gate.environment.action import Inputs, Runner
from gate.errors import InputErrors
from gate.github.checks import CheckRuns, Conclusion, Level, Outcome, Remark
from gate.github.client import GitHub
from gate.github.pulls import PullRequestApi
from gate.record.comparison import Verdict
from gate.record.findings.skipped import PullRequestClosed
from gate.record.findings.unfinished import RunInterrupted
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.exports.sarif import CommandLevel, FilePlace, PromptAnnotation, annotation_command
from gate.report.markdown import report as markdown
from gate.report.markdown.report import CommentContext, render_comment
from gate.report.numbers import worst_slice
from gate.report.view.headline import plain_first_line


@dataclass(slots=True)
class VerdictCheck:
    """Starts and concludes the check run; errors in that are reported, and do not change the verdict.

    Args:
        shown: the annotations are on the check run.
    """

    github: GitHub
    key: str
    run_url: str
    warn: Callable[[str], None]
    shown: bool = field(default=False, init=False)
    _number: int | None = field(default=None, init=False)
    _venue: EventPlace | None = field(default=None, init=False)

    def begin(self, venue: EventPlace) -> None:
        """Show that an evaluation is under way."""
        if not self.github.has_token:
            return
        checks = self._checks(venue)
        self._venue = venue
        self._number = checks.start(venue.commit, self.run_url)
        # Where the job itself is the check, a token need not be able to; for a change from outside it is the only one.
        if checks.note and (venue.privileged or not checks.refused):
            self.warn(f"there is no check run: {checks.note}")

    def end(self, run: RunRecord, report: str, marks: Sequence[PromptAnnotation]) -> None:
        """Conclude it.

        Args:
            marks: changed lines of the prompts that the verdict is about.
        """
        if self._number is None or self._venue is None:
            return
        level: Level = "failure" if run.exit_code else "warning"
        remarks = [Remark(mark.path, mark.first, mark.last, level, mark.message) for mark in marks]
        checks = self._checks(self._venue)
        self.shown = checks.finish(self._number, Outcome(conclusion(run), plain_first_line(run), report, remarks))
        if checks.note:
            self.warn(checks.note)

    def _checks(self, venue: EventPlace) -> CheckRuns:
        about = f"#{venue.pull.number}" if venue.pull is not None else ""
        return CheckRuns(self.github, self.key, about=about, branch=venue.branch)


def conclusion(run: RunRecord) -> Conclusion:
    """The check's conclusion for a run: never a success that was not measured."""
    # A closed pull request can be opened again, and its checks remain.
    if any(isinstance(finding, (PullRequestClosed, RunInterrupted)) for finding in run.findings):
        return "cancelled"
    if run.exit_code:
        return "failure"
    if run.verdict is Verdict.SKIPPED:
        return "neutral" if run.override is not None else "skipped"
    return "neutral" if run.waived or run.verdict not in (Verdict.PASS, Verdict.SHIP) else "success"


def traced(error: Exception) -> Iterator[str]:
    """The lines of a traceback, safe for the log: a container's files are gone after the step."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        yield terminal_text(line, lines=True)


def write_outputs(file: Path, outputs: Mapping[str, str]) -> None:
    """Append outputs to GITHUB_OUTPUT.

    Args:
        outputs: name to any text; a random delimiter prevents one output from defining another.
    """
    with file.open("a", encoding="utf-8", errors="replace", newline="\n") as out:
        for name, value in outputs.items():
            delimiter = f"prompt-gate-{secrets.token_hex(16)}"
            out.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def write_summary(file: Path, markdown: str) -> None:
    """Append to GITHUB_STEP_SUMMARY."""
    with file.open("a", encoding="utf-8", errors="replace", newline="\n") as out:
        out.write(markdown)


@dataclass(slots=True)
class Commenter:
    """Writes the comment."""

    runner: Runner
    inputs: Inputs
    github: GitHub
    say: Callable[[str], None]
    warn: Callable[[str], None]
    context: CommentContext | None = field(default=None, init=False)
    _number: int | None = field(default=None, init=False)
    _reader: bool = field(default=False, init=False)

    def about(self, venue: EventPlace) -> None:
        """Set the subject; without a pull request there is no comment."""
        config = "" if self.inputs.config_path == Inputs().config else self.inputs.config_path
        label, url = self.inputs.skip_label, self.runner.run_url
        self._number = venue.pull.number if venue.pull is not None else None
        self._reader = venue.pull is not None and venue.pull.fork and not venue.privileged
        written = self._number is not None and self.github.has_token
        self.context = CommentContext(
            venue.commit, venue.base, url, label, config, pull=self._number is not None, comment=written
        )

    def post(self, run: RunRecord) -> str:
        """Publish the comment; returns its address, empty where there is none."""
        if self.context is None or self._number is None:
            return ""
        if not self.github.has_token:
            self.warn("no comment was written, because there is no github-token; the report is in the job summary")
            return ""
        context = self.context
        sticky = StickyComment(
            self.inputs.gate_key,
            context.head,
            lambda limit: render_comment(run, context, limit=limit),
            # Where the change touches nothing a comment would be noise, but an outdated one must be updated.
            only_update=run.verdict is Verdict.SKIPPED and run.override is None and len(run.findings) == 1,
        )
        try:
            done = publish_comment(PullRequestApi(self.github, self._number), sticky)
        except Exception as error:  # a bug of the gate: print its trace, and keep the verdict without a comment
            for line in traced(error):
                self.say(line)
            done = Publication(notes=(f"the comment failed ({type(error).__name__})",))
        if self._reader and done.refused:
            # Users cannot fix that: GitHub gives such a run a read-only token.
            self.say(
                annotation_command(
                    "notice",
                    "no comment, because a fork's run may not write one; the report is in the job summary",
                )
            )
            return done.url
        for note in done.notes:
            self.warn(note if done.url else f"{note}; the report is in the job summary")
        return done.url


SUMMARY_CHARS = 250_000
"""GitHub takes 1 MiB of UTF-8, and a character has at most four bytes."""

_OF_CHANGE = re.compile(r"(?!action inputs$)[^/:][^:]*")
"""Paths of the change's own files, which GitHub can annotate; others begin with a ref, or are absolute."""

_TOLD = (Verdict.BLOCK, Verdict.INCONCLUSIVE, Verdict.HOLD)


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """The result of an event.

    Args:
        run: the record; never green by accident.
        error: behind the record, if there is one.
        folder: of the run's files, relative to the workspace; empty where there are none.
        marks: changed lines of the prompts that the verdict is about.
    """

    run: RunRecord
    error: Exception | None = None
    folder: str = ""
    marks: tuple[PromptAnnotation, ...] = ()


@dataclass(slots=True)
class OutcomeReporter:
    """Reports the outcome of an event.

    Args:
        warnings: problems that do not decide, also for the summary.
    """

    say: Callable[[str], None]
    runner: Runner
    inputs: Inputs
    github: GitHub
    warnings: list[str] = field(default_factory=list)
    _url: str = field(default="", init=False)
    _commenter: Commenter = field(init=False)
    _check: VerdictCheck = field(init=False)

    def __post_init__(self) -> None:
        self._commenter = Commenter(self.runner, self.inputs, self.github, self.say, self.warn)
        self._check = VerdictCheck(self.github, self.inputs.gate_key, self.runner.run_url, self.warn)

    def warn(self, message: str) -> None:
        """Report a problem that does not decide."""
        self.warnings.append(message)
        self.say(annotation_command("warning", message))

    def begin(self, venue: EventPlace) -> None:
        """Show that an evaluation is under way."""
        self._commenter.about(venue)
        self._check.begin(venue)

    def post(self, outcome: ActionOutcome) -> None:
        """Publish the comment, and conclude the check run."""
        run = outcome.run
        try:
            self._url = self._commenter.post(run)
        finally:
            # A check that is never concluded would block the pull request for good.
            self._check.end(run, self._report(run, markdown.GITHUB_LIMIT), outcome.marks)

    def tell(self, outcome: ActionOutcome) -> None:
        """Write annotations, outputs and job summary."""
        self.annotate(outcome)
        self.outputs(outcome.run, outcome.folder, self._url)
        self.summary(outcome.run)

    def annotate(self, outcome: ActionOutcome) -> None:
        """Write the annotations to the log, which GitHub shows on the change."""
        run, error = outcome.run, outcome.error
        if isinstance(error, InputErrors):
            level: CommandLevel = "warning" if run.waived else "error"
            for problem in error.shown:
                hint = f" ({problem.hint})" if problem.hint else ""
                if _OF_CHANGE.fullmatch(problem.file):
                    self.say(annotation_command(level, problem.message + hint, FilePlace(problem.file, problem.line)))
                else:
                    self.say(annotation_command(level, f"{problem.where}: {problem.message}{hint}"))
            return
        if run.verdict in _TOLD:
            level = "error" if run.exit_code else "warning"
            self.say(annotation_command(level, plain_first_line(run)))
            if not self._check.shown:
                for mark in outcome.marks:
                    self.say(annotation_command(level, mark.message, FilePlace(mark.path, mark.first)))

    def summary(self, run: RunRecord) -> None:
        """The whole report as the job summary."""
        notes = markdown.report_template("warnings.md.j2").render(warnings=self.warnings)
        text = f"{self._report(run, SUMMARY_CHARS).rstrip()}\n\n{notes}"
        self._append(self.runner.summary, lambda file: write_summary(file, text))

    def late(self, warnings: Sequence[str]) -> None:
        """Add problems to the job summary that came up after it was written."""
        if warnings:
            text = markdown.report_template("warnings.md.j2").render(warnings=warnings)
            self._append(self.runner.summary, lambda file: write_summary(file, f"\n{text}"))

    def outputs(self, run: RunRecord, folder: str, comment_url: str) -> None:
        """The outputs of the step."""
        said = step_outputs(run, folder, comment_url)
        self._append(self.runner.output, lambda file: write_outputs(file, said))

    def _report(self, run: RunRecord, limit: int) -> str:
        context = self._commenter.context
        return (
            markdown.render_report(run, limit=limit) if context is None else render_comment(run, context, limit=limit)
        )

    def _append(self, file: Path | None, write: Callable[[Path], None]) -> None:
        if file is None:
            return
        try:
            write(file)
        except OSError as error:
            self.say(annotation_command("warning", f"cannot write {file}: {error.strerror}"))


def step_outputs(run: RunRecord, folder: str, comment_url: str) -> dict[str, str]:
    """The outputs for later steps; empty where there is no value.

    Args:
        folder: of the run's files, relative to the workspace; empty where they were not written.
    """
    found = worst_slice(run)
    upper = None if found is None else found.record.upper
    return {
        "verdict": run.verdict.value,
        "worst-slice": found.record.slice if found else "",
        "worst-slice-upper": "" if upper is None else f"{upper:.6f}",
        "report-path": f"{folder}/report.html" if folder else "",
        "result-json": f"{folder}/run.json" if folder else "",
        "comment-url": comment_url,
        "cost-usd": "" if run.spent_usd is None else f"{run.spent_usd:.6f}",
        "calls": str(run.calls.made),
        "override-by": (run.override.by or "") if run.override is not None and run.override.counted else "",
    }
