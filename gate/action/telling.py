"""Tells the outcome wherever somebody looks: comment, check run, job summary, outputs, annotations."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.action.checking import Check
from gate.action.commenter import Commenter
from gate.action.runner_files import write_outputs, write_summary
from gate.action.subject import Venue
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.errors import InputErrors
from gate.github.client import GitHub
from gate.report.differences.changed_lines import Annotation
from gate.report.markdown import comment
from gate.report.markdown import report as markdown
from gate.report.outputs.commands import Level, Place, annotation
from gate.report.slices import worst
from gate.report.verdict.headline import plain_first_line
from gate.settings.inputs import Inputs
from gate.settings.runner import Runner

SUMMARY_CHARS = 250_000
"""GitHub takes 1 MiB of UTF-8, and a character has at most four bytes."""

_OF_CHANGE = re.compile(r"(?!action inputs$)[^/:][^:]*")
"""Paths of the change's own files, which GitHub can show beside it; others have a ref in front, or are absolute."""

_TOLD = (Verdict.BLOCK, Verdict.INCONCLUSIVE, Verdict.HOLD)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an event.

    Args:
        run: the record; never green by accident.
        error: what it stands for, if it is one.
        folder: of the run's files, from the workspace; empty where there are none.
        marks: changed lines of the prompts that the verdict is about.
    """

    run: RunRecord
    error: Exception | None = None
    folder: str = ""
    marks: tuple[Annotation, ...] = ()


@dataclass(slots=True)
class Herald:
    """Tells.

    Args:
        say: writes a line to the log.
        runner: the files that the runner reads back.
        inputs: of the action.
        github: the repository.
        warnings: what did not work and does not decide, for the summary, too.
    """

    say: Callable[[str], None]
    runner: Runner
    inputs: Inputs
    github: GitHub
    warnings: list[str] = field(default_factory=list)
    _url: str = field(default="", init=False)
    _commenter: Commenter = field(init=False)
    _check: Check = field(init=False)

    def __post_init__(self) -> None:
        self._commenter = Commenter(self.runner, self.inputs, self.github, self.say, self.warn)
        self._check = Check(self.github, self.inputs.key, self.runner.run_url, self.warn)

    def warn(self, message: str) -> None:
        """Note something that did not work and does not decide."""
        self.warnings.append(message)
        self.say(annotation("warning", message))

    def begin(self, venue: Venue) -> None:
        """Say that an evaluation is under way."""
        self._commenter.about(venue)
        self._check.begin(venue)

    def post(self, outcome: Outcome) -> None:
        """Publish the comment, and conclude the check run.

        Args:
            outcome: what became of the event.
        """
        run = outcome.run
        try:
            self._url = self._commenter.post(run)
        finally:
            # A check that is never concluded would keep the pull request waiting for good.
            self._check.end(run, self._report(run, markdown.GITHUB_LIMIT), outcome.marks)

    def tell(self, outcome: Outcome) -> None:
        """Write annotations, outputs and job summary.

        Args:
            outcome: what became of the event.
        """
        self.annotate(outcome)
        self.outputs(outcome.run, outcome.folder, self._url)
        self.summary(outcome.run)

    def annotate(self, outcome: Outcome) -> None:
        """Say on the log what GitHub shows beside the change."""
        run, error = outcome.run, outcome.error
        if isinstance(error, InputErrors):
            level: Level = "warning" if run.waived else "error"
            for problem in error.shown:
                hint = f" ({problem.hint})" if problem.hint else ""
                if _OF_CHANGE.fullmatch(problem.file):
                    self.say(annotation(level, problem.message + hint, Place(problem.file, problem.line)))
                else:
                    self.say(annotation(level, f"{problem.where}: {problem.message}{hint}"))
            return
        if run.verdict in _TOLD:
            level = "error" if run.exit_code else "warning"
            self.say(annotation(level, plain_first_line(run)))
            if not self._check.shown:
                for mark in outcome.marks:
                    self.say(annotation(level, mark.message, Place(mark.path, mark.first)))

    def summary(self, run: RunRecord) -> None:
        """The whole report as the job summary."""
        notes = markdown.template("warnings.md.j2").render(warnings=self.warnings)
        text = f"{self._report(run, SUMMARY_CHARS).rstrip()}\n\n{notes}"
        self._append(self.runner.summary, lambda file: write_summary(file, text))

    def late(self, warnings: Sequence[str]) -> None:
        """Add to the job summary what did not work once it was written."""
        if warnings:
            text = markdown.template("warnings.md.j2").render(warnings=warnings)
            self._append(self.runner.summary, lambda file: write_summary(file, f"\n{text}"))

    def outputs(self, run: RunRecord, folder: str, comment_url: str) -> None:
        """The outputs of the step."""
        said = outputs(run, folder, comment_url)
        self._append(self.runner.output, lambda file: write_outputs(file, said))

    def _report(self, run: RunRecord, limit: int) -> str:
        context = self._commenter.context
        return markdown.render(run, limit=limit) if context is None else comment.render(run, context, limit=limit)

    def _append(self, file: Path | None, write: Callable[[Path], None]) -> None:
        if file is None:
            return
        try:
            write(file)
        except OSError as error:
            self.say(annotation("warning", f"cannot write {file}: {error.strerror}"))


def outputs(run: RunRecord, folder: str, comment_url: str) -> dict[str, str]:
    """What later steps may ask for; empty where there is nothing to say.

    Args:
        run: the record.
        folder: of the run's files, from the workspace; empty where they were not written.
        comment_url: of the comment.
    """
    found = worst(run)
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
