"""`gate action`: one GitHub event in; a comment, a check run, a summary, outputs and an exit code out."""

import os
from collections.abc import Callable
from pathlib import Path

from gate.action.evaluation import Evaluation, EventServices, enter_model_folder
from gate.action.outcome import ActionOutcome, OutcomeReporter, traced
from gate.action.override import OverrideReader
from gate.action.subject import EventFiles, EventPlace, EventSubject, NothingToJudge, Subject, SubjectFinder, venue_of
from gate.app.run_order import SARIF, run_folder
from gate.config.documents import Problems, decode
from gate.engine.signals import signals_ignored, signals_later, signals_reported
from gate.engine.without_evaluation import failed_record, not_evaluated_record
from gate.environment.action import Inputs, Runner, unknown_inputs
from gate.environment.settings import DATABASE, TOKEN, database_url, push_token
from gate.errors import CannotEvaluate, GateError
from gate.files import CACHE_FOLDER, write_whole
from gate.github.client import PATIENCE_S, GitHub, Patience
from gate.github.events import Event, parse_event
from gate.record.comparison import Verdict
from gate.record.history import Context
from gate.record.parts import Rule
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.exports.sarif import PromptAnnotation
from gate.report.view.coverage import coverage_lines

STORE = "store"
"""Value of `push-to` for the database that the step's environment names, instead of a server's address."""


def keep_event_run(outcome: ActionOutcome, evaluation: Evaluation, event: Event, services: EventServices) -> None:
    """Put the run of an event into the store, or send it to a server.

    A run that evaluated nothing is not stored, unless the gate was overridden.
    """
    run, inputs = outcome.run, evaluation.inputs
    nothing = run.verdict is Verdict.SKIPPED and run.override is None
    if not outcome.folder or nothing:
        return
    if inputs.push_to == STORE:
        if not _trusted(evaluation.subject):
            services.say("The run is not stored: the workflow file may come from an untrusted contributor.")
        elif database_url() is None:
            evaluation.warn(f"the run was not stored: push-to: store needs {DATABASE} under env in the gate's step")
        else:
            _tried("the run was not stored", evaluation, lambda: _store(outcome, evaluation, event, services))
    elif inputs.push_to and _trusted(evaluation.subject) and not evaluation.subject.secretless:
        # Nobody can fix a run without secrets.
        if not push_token():
            evaluation.warn(f"the run was not sent: push-to needs {TOKEN} under env in the gate's step")
        else:
            _tried("the run was not sent", evaluation, lambda: _send(outcome, evaluation, event, services))


def _tried(told: str, evaluation: Evaluation, work: Callable[[], None]) -> None:
    try:
        work()
    except GateError as error:
        evaluation.warn(f"{told}: {error.message}")
    except Exception as error:  # everything was reported already: the exit code is that of the verdict
        evaluation.warn(f"{told}: {type(error).__name__}")


def _store(outcome: ActionOutcome, evaluation: Evaluation, event: Event, services: EventServices) -> None:
    from gate.store.push import store_run

    workspace = evaluation.runner.workspace
    kept = store_run(workspace / outcome.folder, workspace, _context(evaluation, event))
    services.say(
        terminal_text(f"{'Saved' if kept.new else 'Already saved'} as run {kept.id} in the store {kept.store}.")
    )


def _send(outcome: ActionOutcome, evaluation: Evaluation, event: Event, services: EventServices) -> None:
    from gate.store.push import SendOptions, send_run

    folder = evaluation.runner.workspace / outcome.folder
    sent = send_run(folder, evaluation.inputs.push_to, _context(evaluation, event), SendOptions(services.wait))
    services.say(terminal_text(f"The run is {'' if sent.new else 'already '}at {sent.page}"))


def _context(evaluation: Evaluation, event: Event) -> Context:
    from gate.store.push import context_of

    pull = evaluation.subject.pull
    return context_of(evaluation.runner, event, pull.number if pull is not None else None)


def _trusted(subject: Subject) -> bool:
    """Is the workflow the repository's own? Under `pull_request` it comes from the change."""
    return subject.privileged or not subject.stranger


def output_folder(workspace: Path, folder: str) -> Path:
    """The output folder, which need not exist.

    Raises:
        GateError: the path contains a link; the change may have added it, and it may lead anywhere.
    """
    way = workspace
    for part in Path(folder).parts:
        way /= part
        if way.is_symlink():
            raise GateError(f"the path {folder} contains a symbolic link", "remove the link, or name another folder")
    return way


def hand_over(workspace: Path, *folders: Path) -> None:
    """Give files to the workspace's owner: a container runs as root, and the runner must be able to clean up.

    Args:
        folders: below the workspace; those with a link in their path are skipped.
    """
    if os.geteuid() != 0:
        return
    owner = workspace.stat()
    for folder in folders:
        way = [workspace / part for part in folder.relative_to(workspace).parents if part != Path()]
        if folder.is_dir() and not any(path.is_symlink() for path in (folder, *way)):
            for path in (folder, *way, *folder.rglob("*"), *folder.parent.glob(".gitignore")):
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


OUT = ".gate/action"
"""Folder of the record and the reports, in the working directory."""

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
    reporter = OutcomeReporter(services.say, runner, inputs, github)
    for sentence in unknown_inputs():
        reporter.warn(sentence)
    event: Event | None = None
    venue: EventPlace | None = None
    try:
        with signals_reported():
            event = _event(runner)
            files = EventFiles(runner.workspace, github)
            asked: EventSubject = SubjectFinder(runner, inputs, files, github).find(event)
            if not isinstance(asked, NothingToJudge):
                with signals_later():
                    venue = asked.venue
                    reporter.begin(venue)
    except Exception as error:
        if venue is None and event is not None and (venue := venue_of(event)) is not None:
            # An error is also reported on the check or comment.
            with signals_ignored():
                reporter.begin(venue)
        commit = venue.commit if venue is not None else runner.sha
        return _told(reporter, services, ActionOutcome(_failed(error, commit, services), error))
    if isinstance(asked, NothingToJudge):
        return _told(reporter, services, ActionOutcome(not_evaluated_record(asked.why, asked.commit, services.now())))
    rule = Rule(inputs.skip_label, inputs.override_by, inputs.label_scope)
    overrides = OverrideReader(github, files, rule, reporter.warn)
    evaluation = Evaluation(asked, runner, inputs, files, overrides, reporter.warn)
    outcome = _judged(evaluation, mistakes, services)
    code = _told(reporter, services, outcome)
    told = len(reporter.warnings)
    keep_event_run(outcome, evaluation, event, services)
    reporter.late(reporter.warnings[told:])
    return code


def _told(reporter: OutcomeReporter, services: EventServices, outcome: ActionOutcome) -> int:
    with signals_ignored():
        services.show(outcome.run)
        for line in coverage_lines(outcome.run.coverage, outcome.run.findings):
            services.say(terminal_text(line))
        reporter.post(outcome)
        reporter.tell(outcome)
    return outcome.run.exit_code


def _judged(evaluation: Evaluation, mistakes: Problems, services: EventServices) -> ActionOutcome:
    """The evaluation, or the error that prevents it."""
    workspace, inputs = evaluation.runner.workspace, evaluation.inputs
    out: Path | None = None
    error: Exception | None = None
    try:
        mistakes.check()
        out = output_folder(workspace, f"{inputs.working_directory}/{OUT}".lstrip("/"))
        run_folder(out).clear()
        enter_model_folder(evaluation.folder)
        with signals_reported():
            measured = evaluation.run(services, out)
    except Exception as fault:
        error = fault
        measured = _failed(fault, evaluation.subject.commit, services, evaluation)
    run = evaluation.settled(measured)
    # The folder was written before label and advisory mode were applied.
    written = run.evaluated and run is measured
    if out is None or not (written or _kept(out, run, evaluation)):
        return ActionOutcome(run, error)
    found = _marks(evaluation, run)
    _scanned(out, run, found, evaluation)
    try:
        hand_over(workspace, out, evaluation.folder / CACHE_FOLDER)
    except OSError as trouble:
        evaluation.warn(f"cannot make the workspace's owner the owner of the run's files: {trouble.strerror}")
    return ActionOutcome(run, error, str(out.relative_to(workspace)), found)


def _marks(evaluation: Evaluation, run: RunRecord) -> tuple[PromptAnnotation, ...]:
    try:
        return evaluation.marks(run)
    except GateError as error:
        evaluation.warn(f"cannot annotate the changed lines: {error.message}")
        return ()


def _scanned(out: Path, run: RunRecord, found: tuple[PromptAnnotation, ...], evaluation: Evaluation) -> None:
    """Write the file for code scanning."""
    from gate.report.exports import sarif

    lines: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        lines.setdefault(one.prompt or one.path, []).append((one.first, one.last))
    folder = evaluation.inputs.working_directory
    try:
        write_whole(out / SARIF, sarif.render(run, lines, f"{folder}/" if folder else ""))
    except OSError as trouble:
        evaluation.warn(f"cannot write {SARIF}: {trouble.strerror}")


def _failed(error: Exception, commit: str, services: EventServices, evaluation: Evaluation | None = None) -> RunRecord:
    """The record of what could not be judged."""
    if isinstance(error, GateError):
        in_base = evaluation.in_base(error) if evaluation else None
        setup = evaluation is None or evaluation.standing is None
        return failed_record(error, commit, services.now(), in_base=in_base, setup=setup)
    # The last resort: bugs of the gate are also reported on the pull request.
    for line in traced(error):
        services.say(line)
    told = CannotEvaluate(
        f"Prompt Gate itself failed ({type(error).__name__})",
        "this is a bug in Prompt Gate: report it with the error in the job's log",
    )
    return failed_record(told, commit, services.now())


def _kept(out: Path, run: RunRecord, evaluation: Evaluation) -> bool:
    """Write the record and its reports; returns whether they exist."""
    try:
        run_folder(out).run(run)
    except (GateError, OSError) as error:
        evaluation.warn(f"cannot write the run's files: {error}")
        return False
    return True


def _event(runner: Runner) -> Event:
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
