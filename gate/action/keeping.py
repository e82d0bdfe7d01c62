"""A finished run goes into the store, or to a server, where the workflow asks for that; its verdict stands anyway."""

from collections.abc import Callable

from gate.action.evaluation import Evaluation, Stage
from gate.action.subject import Subject
from gate.action.telling import Outcome
from gate.bootstrap.contexts import context_of
from gate.domain.history import Context
from gate.domain.verdict import Verdict
from gate.errors import GateError
from gate.inputs.event import Event
from gate.report.escape import terminal
from gate.settings.storage import DATABASE, TOKEN, database_url, push_token

STORE = "store"
"""What `push-to` says for the database that the step's environment names, in place of a server's address."""


def keep(outcome: Outcome, evaluation: Evaluation, event: Event, stage: Stage) -> None:
    """Put the run of an event into the store, and send it to a server.

    A run that evaluated nothing is not kept, unless somebody set it aside.

    Args:
        outcome: what became of the event.
        evaluation: what was judged, and how.
        event: which.
        stage: log and clock.
    """
    run, inputs = outcome.run, evaluation.inputs
    nothing = run.verdict is Verdict.SKIPPED and run.override is None
    if not outcome.folder or nothing:
        return
    if inputs.push_to == STORE:
        if not _trusted(evaluation.subject):
            stage.say("The run is not put into the store: its workflow may be that of a stranger.")
        elif database_url() is None:
            evaluation.warn(
                f"push-to: store needs {DATABASE} under env in the gate's step: the run is not in the store"
            )
        else:
            _tried("the run is not in the store", evaluation, lambda: _store(outcome, evaluation, event, stage))
    elif inputs.push_to and _trusted(evaluation.subject) and not evaluation.subject.secretless:
        # A run without secrets is nobody's mistake.
        if not push_token():
            evaluation.warn(f"push-to needs {TOKEN} under env in the gate's step: the run was not sent")
        else:
            _tried("the run was not sent", evaluation, lambda: _send(outcome, evaluation, event, stage))


def _tried(told: str, evaluation: Evaluation, work: Callable[[], None]) -> None:
    try:
        work()
    except GateError as error:
        evaluation.warn(f"{told}: {error.message}")
    except Exception as error:  # everything was told already: the exit code is that of the verdict
        evaluation.warn(f"{told}: {type(error).__name__}")


def _store(outcome: Outcome, evaluation: Evaluation, event: Event, stage: Stage) -> None:
    from gate.bootstrap.pushing import keep_run  # few workflows have a store

    workspace = evaluation.runner.workspace
    kept = keep_run(workspace / outcome.folder, workspace, _context(evaluation, event))
    stage.say(terminal(f"The run is in the store {kept.store}{'' if kept.new else ' already'}, as number {kept.id}."))


def _send(outcome: Outcome, evaluation: Evaluation, event: Event, stage: Stage) -> None:
    from gate.bootstrap.sending import Manner, send_run

    folder = evaluation.runner.workspace / outcome.folder
    sent = send_run(folder, evaluation.inputs.push_to, _context(evaluation, event), Manner(stage.wait))
    stage.say(terminal(f"The run is {'' if sent.new else 'already '}at {sent.page}"))


def _context(evaluation: Evaluation, event: Event) -> Context:
    pull = evaluation.subject.pull
    return context_of(evaluation.runner, event, pull.number if pull is not None else None)


def _trusted(subject: Subject) -> bool:
    """Is the workflow one of the repository's own? Under `pull_request` it is that of the change."""
    return subject.privileged or not subject.stranger
