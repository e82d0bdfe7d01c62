"""A finished run goes into the store where the workflow asks for that; whatever becomes of it, the verdict stands."""

from collections.abc import Callable

from gate.action.evaluation import Evaluation
from gate.action.subject import Subject
from gate.action.telling import Outcome
from gate.bootstrap.contexts import context_of
from gate.domain.verdict import Verdict
from gate.errors import GateError
from gate.inputs.event import Event
from gate.report.escape import terminal
from gate.settings.storage import DATABASE, database_url


def keep(outcome: Outcome, evaluation: Evaluation, event: Event, say: Callable[[str], None]) -> None:
    """Put the run of an event into the store.

    A run that evaluated nothing is not kept, unless somebody set it aside.

    Args:
        outcome: what became of the event.
        evaluation: what was judged, and how.
        event: which.
        say: writes a line to the log.
    """
    run = outcome.run
    nothing = run.verdict is Verdict.SKIPPED and run.override is None
    if not evaluation.inputs.store or not outcome.folder or nothing:
        return
    if not _trusted(evaluation.subject):
        say("The run is not put into the store: its workflow may be that of a stranger.")
    elif database_url() is None:
        evaluation.warn(f"store: true needs {DATABASE} under env in the gate's step: the run is not in the store")
    else:
        _keep(outcome, evaluation, event, say)


def _keep(outcome: Outcome, evaluation: Evaluation, event: Event, say: Callable[[str], None]) -> None:
    from gate.bootstrap.pushing import keep_run  # few workflows have a store

    workspace, pull = evaluation.runner.workspace, evaluation.subject.pull
    try:
        context = context_of(evaluation.runner, event, pull.number if pull is not None else None)
        kept = keep_run(workspace / outcome.folder, workspace, context)
    except GateError as error:
        evaluation.warn(f"the run is not in the store: {error.message}")
    except Exception as error:  # everything was told already: the exit code is that of the verdict
        evaluation.warn(f"the run is not in the store: {type(error).__name__}")
    else:
        say(terminal(f"The run is in the store {kept.store}{'' if kept.new else ' already'}, as number {kept.id}."))


def _trusted(subject: Subject) -> bool:
    """Is the workflow one of the repository's own? Under `pull_request` it is that of the change."""
    return subject.privileged or not subject.stranger
