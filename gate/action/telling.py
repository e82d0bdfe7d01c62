"""Tells the outcome wherever somebody looks: comment, job summary, outputs, annotations."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gate.action.runner_files import Level, Place, annotation, traced, write_outputs, write_summary
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.errors import CannotEvaluate, InputErrors
from gate.flows.publish import Publication, Sticky, marker, publish
from gate.flows.unevaluated import CLOSED
from gate.github.client import GitHub
from gate.github.comments import PullRequestComments
from gate.inputs.event import PullRequestEvent
from gate.report import comment, markdown
from gate.report.headline import plain_first_line
from gate.report.slices import worst
from gate.settings.action import Inputs, Runner

SUMMARY_CHARS = 250_000
"""GitHub takes 1 MiB of UTF-8, and a character has at most four bytes."""

_OF_CHANGE = re.compile(r"(?!action inputs$)[^/:][^:]*")
"""Paths of the change's own files, which GitHub can show beside it; others have a ref in front, or are absolute."""

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
        inputs: of the action.
        warnings: what did not work and does not decide, for the summary, too.
    """

    say: Callable[[str], None]
    runner: Runner
    inputs: Inputs
    warnings: list[str] = field(default_factory=list)
    _context: comment.Context | None = field(default=None, init=False)

    def warn(self, message: str) -> None:
        """Note something that did not work and does not decide."""
        self.warnings.append(message)
        self.say(annotation("warning", message))

    def post(self, run: RunRecord, event: PullRequestEvent, github: GitHub) -> str:
        """Publish the comment; whatever hinders that is a warning, because the verdict stands without it.

        Returns:
            The comment's address; empty where there is none.
        """
        inputs = self.inputs
        config = "" if inputs.config == Inputs().config else inputs.config
        base = f"origin/{event.base_ref}"
        self._context = comment.Context(event.head_sha, base, self.runner.run_url, inputs.skip_label, config)
        if inputs.comment_mode == "off" or run.reasons == [CLOSED]:
            return ""
        if not github.has_token:
            self.warn("there is no github-token, so there is no comment; the report is in the job summary")
            return ""
        try:
            done = publish(PullRequestComments(github, event.number), self._sticky(run, event, self._context))
        except CannotEvaluate as error:
            hint = f" ({error.hint})" if error.hint else ""
            done = Publication(note=f"{error.message}{hint}; the report is in the job summary")
        except Exception as error:  # a defect of ours: told with its trace, and the verdict stands without a comment
            for line in traced(error):
                self.say(line)
            done = Publication(note=f"the comment failed ({type(error).__name__}); the report is in the job summary")
        if done.note:
            self.warn(done.note)
        return done.url

    def _sticky(self, run: RunRecord, event: PullRequestEvent, context: comment.Context) -> Sticky:
        first = marker(self.inputs.comment_key or self.inputs.config)
        body = comment.render(run, context, limit=markdown.GITHUB_LIMIT - len(first) - 1)
        # Where nothing was touched a comment would be noise; one that is there must not go on saying what was.
        quiet = run.verdict is Verdict.SKIPPED and run.override is None and not run.notes
        return Sticky(first, body, event.head_sha, only_update=quiet)

    def tell(self, run: RunRecord, error: Exception | None, folder: str = "", comment_url: str = "") -> None:
        """Write annotations, outputs and job summary.

        Args:
            run: the record.
            error: why there was no evaluation, if so.
            folder: of the run's files, from the workspace; empty where there are none.
            comment_url: of the comment.
        """
        self.annotate(run, error)
        self.outputs(run, folder, comment_url)
        self.summary(run)

    def annotate(self, run: RunRecord, error: Exception | None) -> None:
        """Say on the log what GitHub shows beside the change."""
        if isinstance(error, InputErrors):
            for problem in error.problems:
                hint = f" ({problem.hint})" if problem.hint else ""
                if _OF_CHANGE.fullmatch(problem.file):
                    self.say(annotation("error", problem.message + hint, Place(problem.file, problem.line)))
                else:
                    self.say(annotation("error", f"{problem.where}: {problem.message}{hint}"))
            return
        if level := _LEVELS.get(run.verdict):
            self.say(annotation(level, plain_first_line(run)))

    def summary(self, run: RunRecord) -> None:
        """The whole report as the job summary."""
        notes = markdown.template("warnings.md.j2").render(warnings=self.warnings)
        if self._context is None:
            text = markdown.render(run, limit=SUMMARY_CHARS)
        else:
            text = comment.render(run, self._context, limit=SUMMARY_CHARS)
        text = f"{text.rstrip()}\n\n{notes}"
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
        "worst-slice-upper": "" if upper is None else f"{upper:.6f}",
        "report-path": f"{folder}/report.html" if folder else "",
        "result-json": f"{folder}/run.json" if folder else "",
        "comment-url": comment_url,
        "cost-usd": "" if run.spent_usd is None else f"{run.spent_usd:.6f}",
        "calls": str(run.calls.made),
    }
