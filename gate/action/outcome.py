"""Reports the outcome of an event: check run, comment, annotations, outputs and job summary."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.action.comment import Publication, StickyComment, publish_comment
from gate.action.job import ActionJob
from gate.action.subject import Subject
from gate.environment.action import Inputs
from gate.errors import InputErrors
from gate.github.checks import CheckRuns, Conclusion, Level, Outcome, Remark
from gate.github.client import ApiError
from gate.github.pulls import PullRequestApi
from gate.record.comparison import Verdict
from gate.record.findings.skipped import PullRequestClosed
from gate.record.findings.unfinished import RunInterrupted
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.exports.sarif import CommandLevel, FilePlace, PromptAnnotation, annotation_command
from gate.report.markdown import report as markdown
from gate.report.markdown.report import CommentContext, render_comment
from gate.report.slices import worst_slice
from gate.report.view.coverage import coverage_lines
from gate.report.view.headline import plain_first_line

SUMMARY_CHARS = 250_000
"""GitHub takes 1 MiB of UTF-8, and a character has at most four bytes."""

_TOLD = (Verdict.BLOCK, Verdict.INCONCLUSIVE, Verdict.HOLD)


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """The result of an event.

    Args:
        run: the record; never green by accident.
        error: behind the record, if there is one.
        folder: of the run's files, relative to the workspace; empty where there are none.
        annotations: on changed lines of the prompts that the verdict is about.
    """

    run: RunRecord
    error: Exception | None = None
    folder: str = ""
    annotations: tuple[PromptAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class StartedCheck:
    """A check run in progress."""

    checks: CheckRuns
    number: int


def start_check(subject: Subject, job: ActionJob) -> StartedCheck | None:
    """Show that an evaluation is under way; None where there is no check run."""
    if not job.github.has_token:
        return None
    about = f"#{subject.pull.number}" if subject.pull is not None else ""
    checks = CheckRuns(job.github, job.inputs.gate_key, about=about, branch=subject.branch)
    try:
        return StartedCheck(checks, checks.start(subject.commit, job.runner.run_url))
    except ApiError as error:
        # Where the job itself is the check, a token need not be able to; for a change from outside it is the only one.
        if subject.privileged or not error.forbidden:
            job.warn(f"there is no check run: {error.in_full}")
        return None


def report_outcome(outcome: ActionOutcome, subject: Subject | None, check: StartedCheck | None, job: ActionJob) -> None:
    """Print the outcome; publish the comment, and conclude the check run; write annotations, outputs and job summary.

    Args:
        subject: None where nothing waits for the outcome.
    """
    run, say = outcome.run, job.services.say
    job.services.show(run)
    for line in coverage_lines(run.coverage, run.findings):
        say(terminal_text(line))
    comment_url, annotated = "", False
    try:
        comment_url = post_comment(run, subject, job) if subject is not None else ""
    finally:
        # A check that is never concluded would block the pull request for good.
        if check is not None:
            annotated = conclude_check(check, outcome, whole_report(run, subject, markdown.GITHUB_LIMIT, job), job)
    for line in annotations(outcome, on_check=annotated):
        say(line)
    outputs = step_outputs(run, outcome.folder, comment_url)
    append(job.runner.output, lambda file: write_outputs(file, outputs), job)
    text = whole_report(run, subject, SUMMARY_CHARS, job).rstrip()
    append(job.runner.summary, lambda file: write_summary(file, f"{text}\n\n{warning_list(job.warnings)}"), job)


def report_late(warnings: Sequence[str], job: ActionJob) -> None:
    """Add problems to the job summary that came up after it was written."""
    if warnings:
        append(job.runner.summary, lambda file: write_summary(file, f"\n{warning_list(warnings)}"), job)


def post_comment(run: RunRecord, subject: Subject, job: ActionJob) -> str:
    """Publish the comment; returns its address, empty where there is none."""
    if subject.pull is None:
        return ""
    if not job.github.has_token:
        job.warn("no comment was written, because there is no github-token; the report is in the job summary")
        return ""
    context = comment_context(subject, job)
    sticky = StickyComment(
        job.inputs.gate_key,
        subject.commit,
        lambda limit: render_comment(run, context, limit=limit),
        # Where the change touches nothing a comment would be noise, but an outdated one must be updated.
        only_update=run.quiet,
    )
    try:
        done = publish_comment(PullRequestApi(job.github, subject.pull.number), sticky)
    except Exception as error:  # a bug of the gate: print its trace, and keep the verdict without a comment
        job.say_trace(error)
        done = Publication(notes=(f"the comment failed ({type(error).__name__})",))
    if done.refused and subject.pull.fork and not subject.privileged:
        # Users cannot fix that: GitHub gives such a run a read-only token.
        why = "no comment, because a fork's run may not write one; the report is in the job summary"
        job.services.say(annotation_command("notice", why))
        return done.url
    for note in done.notes:
        job.warn(note if done.url else f"{note}; the report is in the job summary")
    return done.url


def comment_context(subject: Subject, job: ActionJob) -> CommentContext:
    """What the comment says besides the run."""
    config = "" if job.inputs.config_path == Inputs().config else job.inputs.config_path
    of_pull = subject.pull is not None
    return CommentContext(
        subject.commit,
        subject.base,
        job.runner.run_url,
        job.inputs.skip_label,
        config,
        pull=of_pull,
        comment=of_pull and job.github.has_token,
        docs_url=job.runner.docs_url,
    )


def whole_report(run: RunRecord, subject: Subject | None, limit: int, job: ActionJob) -> str:
    """The report as Markdown, in at most so many characters."""
    if subject is None:
        return markdown.render_report(run, limit=limit)
    return render_comment(run, comment_context(subject, job), limit=limit)


def conclude_check(check: StartedCheck, outcome: ActionOutcome, report: str, job: ActionJob) -> bool:
    """Conclude the check run; returns whether it shows the annotations. Errors do not change the verdict."""
    run = outcome.run
    level: Level = "failure" if run.exit_code else "warning"
    remarks = [Remark(one.path, one.first, one.last, level, one.message) for one in outcome.annotations]
    done = check.checks.finish(check.number, Outcome(conclusion(run), plain_first_line(run), report, remarks))
    if done.note:
        job.warn(done.note)
    return done.concluded


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


def annotations(outcome: ActionOutcome, *, on_check: bool = False) -> Iterator[str]:
    """The commands for the log, which GitHub shows on the change.

    Args:
        on_check: the check run shows those of changed lines.
    """
    run, error = outcome.run, outcome.error
    if isinstance(error, InputErrors):
        level: CommandLevel = "warning" if run.waived else "error"
        for problem in error.shown:
            hint = f" ({problem.hint})" if problem.hint else ""
            if problem.side == "change":
                yield annotation_command(level, problem.message + hint, FilePlace(problem.file, problem.line))
            else:
                yield annotation_command(level, f"{problem.where}: {problem.message}{hint}")
        return
    if run.verdict in _TOLD:
        level = "error" if run.exit_code else "warning"
        yield annotation_command(level, plain_first_line(run))
        for one in () if on_check else outcome.annotations:
            yield annotation_command(level, one.message, FilePlace(one.path, one.first))


def warning_list(warnings: Sequence[str]) -> str:
    """Warnings as Markdown."""
    return markdown.report_template("warnings.md.j2").render(warnings=warnings)


def append(file: Path | None, write: Callable[[Path], None], job: ActionJob) -> None:
    """Write to a file of the runner, if there is one; an error is a warning on the log."""
    if file is None:
        return
    try:
        write(file)
    except OSError as error:
        job.services.say(annotation_command("warning", f"cannot write {file}: {error.strerror}"))


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


def step_outputs(run: RunRecord, folder: str, comment_url: str) -> dict[str, str]:
    """The outputs for later steps; empty where there is no value.

    Args:
        folder: of the run's files, relative to the workspace; empty where they were not written.
    """
    found = worst_slice(run)
    upper = None if found is None else found.record.upper
    return {
        "verdict": run.verdict.value,
        "findings": json.dumps(list(dict.fromkeys(finding.code for finding in run.findings))),
        "worst-slice": found.record.slice if found else "",
        "worst-slice-upper": "" if upper is None else f"{upper:.6f}",
        "report-path": f"{folder}/report.html" if folder else "",
        "result-json": f"{folder}/run.json" if folder else "",
        "comment-url": comment_url,
        "cost-usd": "" if run.spent_usd is None else f"{run.spent_usd:.6f}",
        "calls": str(run.calls.made),
        "override-by": (run.override.by or "") if run.override is not None and run.override.counted else "",
    }
