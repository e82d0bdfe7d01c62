"""`gate action`: one GitHub event in, a comment, a summary, outputs and an exit code out."""

import os
import traceback
from pathlib import Path

from gate.action.telling import Herald
from gate.action.verdict import Examination, Stage
from gate.bootstrap.keeping import run_folder
from gate.domain.record import RunRecord
from gate.errors import CannotEvaluate, GateError
from gate.flows.unevaluated import failed
from gate.github.client import GitHub
from gate.inputs.event import PullRequestEvent, parse_event
from gate.inputs.text import decode
from gate.report.escape import terminal
from gate.settings.action import Inputs, Runner

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
    herald = Herald(stage.say, runner)
    try:
        inputs = Inputs.from_environ()
        event = _event(runner)
        out = _out(runner.workspace, inputs.out)
    except GateError as mistake:
        run = failed(mistake, runner.sha, stage.now())
        stage.show(run)
        _finish(herald, run, mistake)
        return run.exit_code
    if event.state == "closed":
        stage.say(f"Pull request {event.number} is closed: there is nothing to judge.")
        return 0
    github = GitHub(inputs.github_token, runner.api_url, runner.repository)
    examination = Examination(event, runner, inputs, github, out, herald.warn)
    run, error = _judged(examination, stage)
    kept = _keep(out, run, herald)
    _hand_over(out, runner.workspace)
    stage.show(run)
    url = herald.comment(run, event, inputs, github)
    _finish(herald, run, error, inputs.out if kept else "", url)
    return run.exit_code


def _judged(examination: Examination, stage: Stage) -> tuple[RunRecord, Exception | None]:
    """The record, and the error that it stands for, if any; a defect of ours ends the same way, never green."""
    commit = examination.event.head_sha
    try:
        run_folder(examination.out).clear()
        return examination.run(stage), None
    except GateError as error:
        advice = examination.advice(error)
        return failed(error, commit, stage.now(), advice=advice), error
    except Exception as error:  # the last resort: a defect of ours is told on the pull request, too
        for line in "".join(traceback.format_exception(error)).splitlines():
            stage.say(terminal(line, lines=True))
        defect = CannotEvaluate(
            f"Prompt Gate itself failed ({type(error).__name__})", "please report what the log says"
        )
        return failed(defect, commit, stage.now()), error


def _finish(herald: Herald, run: RunRecord, error: Exception | None, folder: str = "", url: str = "") -> None:
    herald.annotate(run, error)
    herald.summary(run)
    herald.outputs(run, folder, url)


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


def _out(workspace: Path, folder: str) -> Path:
    """The run's folder; a pull request may bring a link that leads out of the workspace."""
    out = workspace / folder
    if not out.resolve().is_relative_to(workspace.resolve()):
        raise GateError(f"{folder} leads out of the workspace", "remove the symbolic link, or name another folder")
    return out


def _keep(out: Path, run: RunRecord, herald: Herald) -> bool:
    """Write the record and its reports, unless the evaluation has done so; are they there?"""
    if run.suites:
        return True
    try:
        run_folder(out).run(run)
    except (GateError, OSError) as error:
        herald.warn(f"the run's files cannot be written: {error}")
        return False
    return True


def _hand_over(out: Path, workspace: Path) -> None:
    """Give the files to the workspace's owner: a container runs as root, and the runner must be able to clean up."""
    if os.geteuid() != 0 or not out.is_dir():
        return
    owner = workspace.stat()
    for path in (out.parent, out, *out.parent.glob(".gitignore"), *out.iterdir()):
        if path != workspace:
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
