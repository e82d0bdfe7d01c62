"""`gate action`: one GitHub event in, a comment, a summary, outputs and an exit code out."""

from collections.abc import Callable
from pathlib import Path

from gate.action.evaluation import PullRequestEvaluation, Stage
from gate.action.output_folder import hand_over, output_folder
from gate.action.runner_files import traced
from gate.action.telling import Herald
from gate.bootstrap.keeping import run_folder
from gate.bootstrap.signals import told_of_signals
from gate.domain.record import RunRecord
from gate.errors import CannotEvaluate, GateError
from gate.flows.unevaluated import failed
from gate.github.client import GitHub
from gate.inputs.event import PullRequestEvent, parse_event
from gate.inputs.problems import Problems
from gate.inputs.text import decode
from gate.settings.action import Inputs, Runner
from gate.store.own_folder import CACHE

EVENT = "pull_request"
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
    herald = Herald(stage.say, runner, inputs)
    try:
        event = _event(runner)
    except GateError as mistake:
        run = failed(mistake, runner.sha, stage.now())
        stage.show(run)
        herald.tell(run, mistake)
        return run.exit_code
    github = GitHub(inputs.github_token, runner.api_url, runner.repository)
    evaluation = PullRequestEvaluation(event, runner, inputs, github, herald.warn)
    run, error, kept = _judged(evaluation, mistakes, stage)
    stage.show(run)
    url = herald.post(run, event, github)
    herald.tell(run, error, inputs.out if kept else "", url)
    return run.exit_code


def _judged(
    evaluation: PullRequestEvaluation, mistakes: Problems, stage: Stage
) -> tuple[RunRecord, Exception | None, bool]:
    """The record, the error that it stands for, if any, and whether the folder has it; never green by accident."""
    commit, workspace = evaluation.event.head_sha, evaluation.runner.workspace
    out: Path | None = None
    error: Exception | None = None
    try:
        mistakes.check()
        out = output_folder(workspace, evaluation.inputs.out)
        run_folder(out).clear()
        with told_of_signals():
            run = evaluation.run(stage, out)
    except GateError as mistake:
        error, run = mistake, failed(mistake, commit, stage.now(), advice=evaluation.advice(mistake))
    except Exception as fault:  # the last resort: a defect of ours is told on the pull request, too
        for line in traced(fault):
            stage.say(line)
        told = CannotEvaluate(f"Prompt Gate itself failed ({type(fault).__name__})", "please report what the log says")
        error, run = fault, failed(told, commit, stage.now())
    if out is None or not _keep(out, run, evaluation.warn):
        return run, error, False
    try:
        hand_over(workspace, out, workspace / CACHE)
    except OSError as trouble:
        evaluation.warn(f"the run's files could not be handed to the workspace's owner: {trouble.strerror}")
    return run, error, True


def _keep(out: Path, run: RunRecord, warn: Callable[[str], None]) -> bool:
    """Write the record and its reports, unless the evaluation has done so; are they there?"""
    if run.evaluated:
        return True
    try:
        run_folder(out).run(run)
    except (GateError, OSError) as error:
        warn(f"the run's files cannot be written: {error}")
        return False
    return True


def _event(runner: Runner) -> PullRequestEvent:
    if runner.event_name != EVENT:
        hint = "use it in a workflow with 'on: pull_request'"
        raise GateError(f"gate action does not handle the event {runner.event_name!r}", hint)
    path = runner.event_path
    try:
        if path.stat().st_size > LARGEST_EVENT:
            raise GateError(f"the event {path} is larger than {LARGEST_EVENT // 2**20} MiB")
        return parse_event(decode(path.read_bytes(), str(path)), str(path))
    except OSError as error:
        raise GateError(f"cannot read the event {path}: {error.strerror}", "GITHUB_EVENT_PATH must name it") from None
