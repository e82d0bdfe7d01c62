"""Which lines of its prompts a finished run is about, as far as the repository can still say."""

from pathlib import Path

from gate.domain.record import RunRecord
from gate.domain.record_parts import ArmRecord
from gate.errors import GateError
from gate.git.command import Git
from gate.git.repo import Repo
from gate.git.sources import TreeSource
from gate.inputs.source import FileSource
from gate.report.differences.changed_lines import annotations
from gate.report.outputs.findings import Lines


def changed_lines(run: RunRecord, directory: Path = Path()) -> Lines:
    """The changed lines of each prompt of the candidate, by path.

    A record may come from anywhere: paths that leave the repository are not followed, and what cannot be read any more
    (a commit that is not in this clone, a file that is gone) has no lines.

    Args:
        run: finished.
        directory: somewhere inside the repository.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    arms: list[tuple[ArmRecord | None, ArmRecord]] = [(suite.baseline, suite.candidate) for suite in run.suites]
    arms += [(None, new.candidate) for new in run.new if run.kind != "check"]
    for before, after in arms:
        if after.path in found or (now := _text(after, directory)) is None:
            continue
        old = "" if before is None else _text(before, directory)
        if old is not None and old != now:
            found[after.path] = [(one.first, one.last) for one in annotations(after.path, old, now, "")]
    return found


def _text(arm: ArmRecord, directory: Path) -> str | None:
    try:
        data = _source(arm, directory).read(arm.path)
    except (GateError, OSError, ValueError):
        return None
    return None if data is None else data.decode("utf-8", "replace")


def _source(arm: ArmRecord, directory: Path) -> FileSource:
    if arm.ref == "file":
        return TreeSource(directory, Git(directory))
    repo = Repo.open(directory)
    return repo.tree() if arm.sha is None else repo.at(arm.sha)
