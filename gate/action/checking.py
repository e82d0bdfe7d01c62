"""The check run on the commit that is judged: under way from the start, concluded whatever happens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gate.action.subject import Venue
from gate.bootstrap.signals import ENDING
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.github.checks import CheckRuns, Conclusion, Level, Outcome, Remark
from gate.github.client import GitHub
from gate.report.differences.changed_lines import Annotation
from gate.report.verdict.headline import plain_first_line


@dataclass(slots=True)
class Check:
    """Starts and concludes the check run; whatever hinders that is told, and the verdict stands.

    Args:
        github: the repository.
        key: tells several gates apart.
        run_url: the workflow run.
        warn: tells about something that did not work and does not decide.
        shown: the annotations are on the check run.
    """

    github: GitHub
    key: str
    run_url: str
    warn: Callable[[str], None]
    shown: bool = field(default=False, init=False)
    _number: int | None = field(default=None, init=False)
    _venue: Venue | None = field(default=None, init=False)

    def begin(self, venue: Venue) -> None:
        """Show that an evaluation is under way."""
        if not self.github.has_token:
            return
        checks = self._checks(venue)
        self._venue = venue
        self._number = checks.start(venue.commit, self.run_url)
        if checks.note:
            # Where the job itself is the check nobody misses it; where it runs for a stranger it is the only one.
            if venue.privileged:
                self.warn(f"there is no check run: {checks.note}")

    def end(self, run: RunRecord, report: str, marks: Sequence[Annotation]) -> None:
        """Conclude it.

        Args:
            run: finished, or failed.
            report: Markdown.
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

    def _checks(self, venue: Venue) -> CheckRuns:
        about = f"#{venue.pull.number}" if venue.pull is not None else ""
        return CheckRuns(self.github, self.key, about=about, branch=venue.branch)


def conclusion(run: RunRecord) -> Conclusion:
    """What a run counts as: never a success that was not measured."""
    told = (run.unfinished or "", *run.reasons)
    # A pull request can be opened again, and its checks stand.
    if run.kind == "closed" or any(ending in reason for ending in ENDING.values() for reason in told):
        return "cancelled"
    if run.exit_code:
        return "failure"
    if run.verdict is Verdict.SKIPPED:
        return "neutral" if run.override is not None else "skipped"
    return "neutral" if run.waived or run.verdict not in (Verdict.PASS, Verdict.SHIP) else "success"
