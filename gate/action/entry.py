"""`gate action`: one GitHub event in; a comment, a check run, a summary, outputs and an exit code out."""

from collections.abc import Callable
from pathlib import Path

from gate.action.evaluation import error_record, evaluate
from gate.action.job import ActionJob, EventServices
from gate.action.outcome import ActionOutcome, StartedCheck, report_late, report_outcome, start_check
from gate.action.subject import EventFiles, NothingToJudge, Subject, SubjectFinder, waiting_subject
from gate.config.documents import decode
from gate.engine.signals import signals_ignored, signals_later, signals_reported
from gate.engine.without_evaluation import not_evaluated_record
from gate.environment.action import Inputs, Runner, unknown_inputs
from gate.environment.settings import DATABASE, TOKEN, database_url, push_token
from gate.errors import GateError
from gate.github.client import PATIENCE_S, GitHub, Patience
from gate.github.events import Event, parse_event
from gate.record.comparison import Verdict
from gate.record.history import Context
from gate.report.escape import terminal_text

LARGEST_EVENT = 64 * 2**20
"""Bytes; GitHub's own limit for a payload is 25 MB."""


def act(services: EventServices) -> int:
    """Handle the event of the environment; returns the exit code of the verdict.

    Raises:
        GateError: this is not a workflow, so errors can only be shown on the log.
    """
    runner = Runner.from_environ()
    inputs, mistakes = Inputs.from_environ()

    def wait(seconds: float) -> None:
        services.say(f"GitHub cannot answer now; waiting {seconds:.0f} s.")
        services.wait(seconds)

    patience = Patience(PATIENCE_S if inputs.max_minutes is None else inputs.max_minutes * 60, wait)
    github = GitHub(inputs.github_token, runner.api_url, runner.repository, patience)
    job = ActionJob(runner, inputs, github, services)
    for sentence in unknown_inputs():
        job.warn(sentence)

    event: Event | None = None
    subject: Subject | None = None
    check: StartedCheck | None = None
    try:
        with signals_reported():
            event = read_event(runner)
            files = EventFiles(runner.workspace, github)
            found = SubjectFinder(runner, inputs, files, github).find(event)
            if isinstance(found, Subject):
                with signals_later():
                    subject = found
                    check = start_check(subject, job)
    except Exception as error:
        if subject is None and event is not None and (subject := waiting_subject(event)) is not None:
            # An error is also reported on the check or comment.
            with signals_ignored():
                check = start_check(subject, job)
        commit = subject.commit if subject is not None else runner.sha
        outcome = ActionOutcome(error_record(error, commit, job), error)
    else:
        if isinstance(found, NothingToJudge):
            outcome = ActionOutcome(not_evaluated_record(found.why, found.commit, services.now()))
        else:
            outcome = evaluate(found, files, mistakes, job)

    with signals_ignored():
        report_outcome(outcome, subject, check, job)
    if subject is not None and event is not None and outcome.folder:
        known = len(job.warnings)
        store_event_run(outcome, subject, event, job)
        report_late(job.warnings[known:], job)
    return outcome.run.exit_code


def read_event(runner: Runner) -> Event:
    """The event that the runner wrote.

    Raises:
        GateError: it cannot be read, or it is none that the gate handles.
    """
    path = runner.event_path
    try:
        if path.stat().st_size > LARGEST_EVENT:
            raise GateError(f"the event file {path} is larger than {LARGEST_EVENT // 2**20} MiB")
        return parse_event(runner.event_name, decode(path.read_bytes(), str(path)), str(path))
    except OSError as error:
        raise GateError(
            f"cannot read the event file {path}: {error.strerror}",
            "GITHUB_EVENT_PATH must be the path of the event file that GitHub wrote",
        ) from None


def store_event_run(outcome: ActionOutcome, subject: Subject, event: Event, job: ActionJob) -> None:
    """Put the run of an event into the store, or send it to a server.

    A run that evaluated nothing is not stored, unless the gate was overridden.
    """
    run, push_to = outcome.run, job.inputs.push_to
    folder = job.runner.workspace / outcome.folder
    # Is the workflow the repository's own? Under `pull_request` it comes from the change.
    trusted = subject.privileged or not subject.stranger
    if run.verdict is Verdict.SKIPPED and run.override is None:
        return
    if push_to == STORE:
        if not trusted:
            job.services.say("The run is not stored: the workflow file may come from an untrusted contributor.")
        elif database_url() is None:
            job.warn(f"the run was not stored: push-to: store needs {DATABASE} under env in the gate's step")
        else:
            _or_warn("the run was not stored", job, lambda: _store(folder, _context(subject, event, job), job))
    elif push_to and trusted and not subject.secretless:
        # Nobody can fix a run without secrets.
        if not push_token():
            job.warn(f"the run was not sent: push-to needs {TOKEN} under env in the gate's step")
        else:
            _or_warn("the run was not sent", job, lambda: _send(folder, _context(subject, event, job), job))


STORE = "store"
"""Value of `push-to` for the database that the step's environment names, instead of a server's address."""


def _or_warn(failure: str, job: ActionJob, work: Callable[[], None]) -> None:
    try:
        work()
    except GateError as error:
        job.warn(f"{failure}: {error.message}")
    except Exception as error:  # everything was reported already: the exit code is that of the verdict
        job.warn(f"{failure}: {type(error).__name__}")


def _store(folder: Path, context: Context, job: ActionJob) -> None:
    from gate.store.push import store_run

    kept = store_run(folder, job.runner.workspace, context)
    job.services.say(
        terminal_text(f"{'Saved' if kept.new else 'Already saved'} as run {kept.id} in the store {kept.store}.")
    )


def _send(folder: Path, context: Context, job: ActionJob) -> None:
    from gate.store.push import SendOptions, send_run

    sent = send_run(folder, job.inputs.push_to, context, SendOptions(job.services.wait))
    job.services.say(terminal_text(f"The run is {'' if sent.new else 'already '}at {sent.page}"))


def _context(subject: Subject, event: Event, job: ActionJob) -> Context:
    from gate.store.push import context_of

    return context_of(job.runner, event, subject.pull.number if subject.pull is not None else None)
