"""The files that the action writes for a run: record, reports, and the file for code scanning."""

import os
from collections.abc import Sequence
from pathlib import Path

from gate.action.job import ActionJob
from gate.app.run_order import SARIF, run_folder
from gate.errors import GateError
from gate.files import CACHE_FOLDER, write_whole
from gate.record.run import RunRecord
from gate.report.exports.sarif import PromptAnnotation

OUT = ".gate/action"
"""Folder of the record and the reports, in the working directory."""


def output_folder(job: ActionJob) -> Path:
    """The output folder, which need not exist.

    Raises:
        GateError: the path contains a link; the change may have added it, and it may lead anywhere.
    """
    folder = f"{job.inputs.working_directory}/{OUT}".lstrip("/")
    way = job.runner.workspace
    for part in Path(folder).parts:
        way /= part
        if way.is_symlink():
            raise GateError(f"the path {folder} contains a symbolic link", "remove the link, or name another folder")
    return way


def write_record(out: Path, run: RunRecord, job: ActionJob) -> bool:
    """Write the record and its reports; returns whether they exist."""
    try:
        run_folder(out).run(run)
    except (GateError, OSError) as error:
        job.warn(f"cannot write the run's files: {error}")
        return False
    return True


def write_sarif(out: Path, run: RunRecord, annotations: Sequence[PromptAnnotation], job: ActionJob) -> None:
    """Write the file for code scanning."""
    from gate.report.exports import sarif

    lines: dict[str, list[tuple[int, int]]] = {}
    for annotation in annotations:
        lines.setdefault(annotation.prompt or annotation.path, []).append((annotation.first, annotation.last))
    folder = job.inputs.working_directory
    try:
        write_whole(out / SARIF, sarif.render(run, lines, f"{folder}/" if folder else ""))
    except OSError as trouble:
        job.warn(f"cannot write {SARIF}: {trouble.strerror}")


def hand_over(out: Path, job: ActionJob) -> None:
    """Give files to the workspace's owner: a container runs as root, and the runner must be able to clean up.

    Folders with a link in their path are skipped.
    """
    if os.geteuid() != 0:
        return
    workspace = job.runner.workspace
    try:
        owner = workspace.stat()
        for folder in (out, job.folder / CACHE_FOLDER):
            way = [workspace / part for part in folder.relative_to(workspace).parents if part != Path()]
            if folder.is_dir() and not any(path.is_symlink() for path in (folder, *way)):
                for path in (folder, *way, *folder.rglob("*"), *folder.parent.glob(".gitignore")):
                    os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    except OSError as trouble:
        job.warn(f"cannot make the workspace's owner the owner of the run's files: {trouble.strerror}")
