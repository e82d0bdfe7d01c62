"""`gate action`: one GitHub event in, a comment, a check, a summary, outputs and an exit code out."""

from pathlib import Path

from gate.action.evaluation import Evaluation, Stage, enter
from gate.action.keeping import keep
from gate.action.output_folder import hand_over, output_folder
from gate.action.overrides import Overrides
from gate.action.runner_files import traced
from gate.action.subject import Asked, Finder, Nothing, Venue, venue_of
from gate.action.telling import Herald, Outcome
from gate.bootstrap.keeping import SARIF, run_folder
from gate.bootstrap.sides import EventFiles
from gate.bootstrap.signals import deaf_to_signals, signals_later, told_of_signals
from gate.domain.override import Rule
from gate.domain.record import RunRecord
from gate.errors import CannotEvaluate, GateError
from gate.flows.unevaluated import failed, nothing
from gate.github.client import GitHub
from gate.inputs.event import Event, parse_event
from gate.inputs.problems import Problems
from gate.inputs.text import decode
from gate.report.differences.changed_lines import Annotation
from gate.settings.inputs import Inputs, unknown_inputs
from gate.settings.runner import Runner
from gate.store.own_folder import CACHE
from gate.store.run_folder import write_whole

OUT = ".gate/action"
"""Folder of the record and the reports, in the working directory."""

LARGEST_EVENT = 64 * 2**20
"""Bytes; GitHub's own limit for a payload is 25 MB."""


def act(stage: Stage) -> int:
    """Handle the event that the environment describes.

    Args:
        stage: log, clock and services.

    Returns:
        The exit code of the verdict.

    Raises:
        GateError: this is no workflow, so there is nowhere to tell anything but the log.
    """
    runner = Runner.from_environ()
    inputs, mistakes = Inputs.from_environ()
    github = GitHub(inputs.github_token, runner.api_url, runner.repository)
    herald = Herald(stage.say, runner, inputs, github)
    for sentence in unknown_inputs():
        herald.warn(sentence)
    event: Event | None = None
    venue: Venue | None = None
    try:
        with told_of_signals():
            event = _event(runner)
            files = EventFiles(runner.workspace, github)
            asked: Asked = Finder(runner, inputs, files, github, stage.wait).find(event)
            if not isinstance(asked, Nothing):
                with signals_later():
                    venue = asked.venue
                    herald.begin(venue)
    except Exception as error:
        if venue is None and event is not None and (venue := venue_of(event)) is not None:
            # Whoever waits for a check or a comment is told there, too.
            with deaf_to_signals():
                herald.begin(venue)
        commit = venue.commit if venue is not None else runner.sha
        return _told(herald, stage, Outcome(_failed(error, commit, stage), error))
    if isinstance(asked, Nothing):
        return _told(herald, stage, Outcome(nothing(asked.why, asked.commit, stage.now())))
    rule = Rule(inputs.skip_label, inputs.override_by, inputs.label_scope)
    overrides = Overrides(github, files, rule, herald.warn)
    evaluation = Evaluation(asked, runner, inputs, files, overrides, herald.warn)
    outcome = _judged(evaluation, mistakes, stage)
    code = _told(herald, stage, outcome)
    told = len(herald.warnings)
    keep(outcome, evaluation, event, stage)
    herald.late(herald.warnings[told:])
    return code


def _told(herald: Herald, stage: Stage, outcome: Outcome) -> int:
    with deaf_to_signals():
        stage.show(outcome.run)
        herald.post(outcome)
        herald.tell(outcome)
    return outcome.run.exit_code


def _judged(evaluation: Evaluation, mistakes: Problems, stage: Stage) -> Outcome:
    """The evaluation, or what kept it from being one."""
    workspace, inputs = evaluation.runner.workspace, evaluation.inputs
    out: Path | None = None
    error: Exception | None = None
    try:
        mistakes.check()
        out = output_folder(workspace, f"{inputs.working_directory}/{OUT}".lstrip("/"))
        run_folder(out).clear()
        enter(evaluation.folder)
        with told_of_signals():
            measured = evaluation.run(stage, out)
    except Exception as fault:
        error = fault
        measured = _failed(fault, evaluation.subject.commit, stage, evaluation)
    run = evaluation.settled(measured)
    # The folder was written before it was known what becomes of the verdict.
    written = run.evaluated and run is measured
    if out is None or not (written or _kept(out, run, evaluation)):
        return Outcome(run, error)
    found = _marks(evaluation, run)
    _scanned(out, run, found, evaluation)
    try:
        hand_over(workspace, out, evaluation.folder / CACHE)
    except OSError as trouble:
        evaluation.warn(f"the run's files could not be handed to the workspace's owner: {trouble.strerror}")
    return Outcome(run, error, str(out.relative_to(workspace)), found)


def _marks(evaluation: Evaluation, run: RunRecord) -> tuple[Annotation, ...]:
    try:
        return evaluation.marks(run)
    except GateError as error:
        evaluation.warn(f"the changed lines cannot be marked: {error.message}")
        return ()


def _scanned(out: Path, run: RunRecord, found: tuple[Annotation, ...], evaluation: Evaluation) -> None:
    """Write what code scanning reads."""
    from gate.report.outputs import sarif  # nothing before the end needs it

    lines: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        lines.setdefault(one.path, []).append((one.first, one.last))
    folder = evaluation.inputs.working_directory
    try:
        write_whole(out / SARIF, sarif.render(run, lines, f"{folder}/" if folder else ""))
    except OSError as trouble:
        evaluation.warn(f"{SARIF} cannot be written: {trouble.strerror}")


def _failed(error: Exception, commit: str, stage: Stage, evaluation: Evaluation | None = None) -> RunRecord:
    """The record of what could not be judged."""
    if isinstance(error, GateError):
        advice = evaluation.advice(error) if evaluation else ""
        setup = evaluation is None or evaluation.standing is None
        return failed(error, commit, stage.now(), advice=advice, setup=setup)
    # The last resort: a defect of ours is told on the pull request, too.
    for line in traced(error):
        stage.say(line)
    told = CannotEvaluate(f"Prompt Gate itself failed ({type(error).__name__})", "please report what the log says")
    return failed(told, commit, stage.now())


def _kept(out: Path, run: RunRecord, evaluation: Evaluation) -> bool:
    """Write the record and its reports; are they there?"""
    try:
        run_folder(out).run(run)
    except (GateError, OSError) as error:
        evaluation.warn(f"the run's files cannot be written: {error}")
        return False
    return True


def _event(runner: Runner) -> Event:
    path = runner.event_path
    try:
        if path.stat().st_size > LARGEST_EVENT:
            raise GateError(f"the event {path} is larger than {LARGEST_EVENT // 2**20} MiB")
        return parse_event(runner.event_name, decode(path.read_bytes(), str(path)), str(path))
    except OSError as error:
        raise GateError(f"cannot read the event {path}: {error.strerror}", "GITHUB_EVENT_PATH must name it") from None
