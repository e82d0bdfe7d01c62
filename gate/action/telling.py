"""Tells the outcome wherever somebody looks: comment, job summary, outputs, annotations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gate.action.runner_files import Level, Place, annotation, write_outputs, write_summary
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.errors import CannotEvaluate, InputErrors
from gate.flows.publish import Publication, Sticky, marker, publish
from gate.github.client import GitHub
from gate.github.comments import PullRequestComments
from gate.inputs.event import PullRequestEvent
from gate.report import comment, markdown
from gate.report.headline import plain_first_line
from gate.report.slices import worst
from gate.settings.action import Inputs, Runner

SUMMARY_CHARS = 250_000
"""GitHub takes 1 MiB of UTF-8, and a character has at most four bytes."""

_LEVELS: dict[Verdict, Level] = {
    Verdict.BLOCK: "error",
    Verdict.INCONCLUSIVE: "error",
    Verdict.HOLD: "warning",
}


@dataclass(slots=True)
class Herald:
    """Tells.

    Args:
        say: writes a line to the log.
        runner: the files that the runner reads back.
        warnings: what did not work and does not decide, for the summary, too.
    """

    say: Callable[[str], None]
    runner: Runner
    warnings: list[str] = field(default_factory=list)

    def warn(self, message: str) -> None:
        """Note something that did not work and does not decide."""
        self.warnings.append(message)
        self.say(annotation("warning", message))

    def comment(self, run: RunRecord, event: PullRequestEvent, inputs: Inputs, github: GitHub) -> str:
        """Publish the comment; whatever hinders that is a warning, because the verdict stands without it.

        Returns:
            The comment's address; empty where there is none.
        """
        if inputs.comment_mode == "off":
            return ""
        if not github.has_token:
            self.warn("there is no github-token, so there is no comment; the report is in the job summary")
            return ""
        first = marker(inputs.comment_key or inputs.config)
        setting = comment.Setting(event.head_sha, f"origin/{event.base_ref}", self.runner.run_url, inputs.skip_label)
        body = comment.render(run, setting, limit=markdown.GITHUB_LIMIT - len(first) - 1)
        # Where nothing was touched a comment would be noise; one that is there must not go on saying what was.
        quiet = run.verdict is Verdict.SKIPPED and run.override is None
        sticky = Sticky(first, body, event.head_sha, only_update=quiet)
        try:
            done = publish(PullRequestComments(github, event.number), sticky)
        except CannotEvaluate as error:
            hint = f" ({error.hint})" if error.hint else ""
            done = Publication(note=f"{error.message}{hint}; the report is in the job summary")
        if done.note:
            self.warn(done.note)
        return done.url

    def annotate(self, run: RunRecord, error: Exception | None) -> None:
        """Say on the log what GitHub shows beside the change."""
        if isinstance(error, InputErrors):
            for problem in error.problems:
                hint = f" ({problem.hint})" if problem.hint else ""
                place = Place(problem.file, problem.line)
                self.say(annotation("error", problem.message + hint, place))
            return
        if level := _LEVELS.get(run.verdict):
            self.say(annotation(level, plain_first_line(run)))

    def summary(self, run: RunRecord) -> None:
        """The whole report as the job summary."""
        notes = markdown.template("warnings.md.j2").render(warnings=self.warnings)
        text = markdown.render(run, limit=SUMMARY_CHARS) + notes
        self._append(self.runner.summary, lambda file: write_summary(file, text))

    def outputs(self, run: RunRecord, folder: str, comment_url: str) -> None:
        """The outputs of the step."""
        said = outputs(run, folder, comment_url)
        self._append(self.runner.output, lambda file: write_outputs(file, said))

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
        "worst-slice": found.full if found else "",
        "worst-slice-upper": "" if upper is None else f"{upper:.6g}",
        "report-path": f"{folder}/report.html" if folder else "",
        "result-json": f"{folder}/run.json" if folder else "",
        "comment-url": comment_url,
        "cost-usd": "" if run.spent_usd is None else f"{run.spent_usd:.6f}",
        "calls": str(run.calls.made),
    }
