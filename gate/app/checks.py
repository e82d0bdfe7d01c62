"""Checks of one version of the prompts."""

import shlex
from dataclasses import replace
from pathlib import Path

from gate.app.environment.settings import Settings
from gate.app.repository import prompt_builder, tree_of
from gate.app.run_order import RunOrder
from gate.app.runs import carry_out
from gate.app.sources import DiskSource, folder_of, rehearsed, store_case_reader
from gate.engine.check import check
from gate.errors import GateError
from gate.git.repository import Repo
from gate.record.run import RunRecord
from gate.resolve.one_version import Chosen, resolve_one, resolve_one_file
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import FileRun


def resolve_check(config: str, ref: str | None, chosen: Chosen, directory: Path = Path()) -> Resolved:
    """Read one version of the prompts.

    Args:
        config: path of `gate.yaml` from the root of the repository, or from `directory` where there is none.
        ref: a commit; None for the working tree.

    Raises:
        InputErrors, GateError: mistakes in the files, or unknown names.
    """
    tree = tree_of(directory)
    source = tree if ref is None else Repo.open(directory).at(ref)
    if ref is None:
        _check_place(tree.root, config, directory)
    with prompt_builder() as builder:
        return rehearsed(resolve_one(source, config, chosen, builder, store_case_reader(tree.root)))


def resolve_check_files(prompt: str, cases: str, run: FileRun, chosen: Chosen) -> Resolved:
    """Read a prompt and its cases by the paths that the user gave."""
    return rehearsed(resolve_one_file(DiskSource(), (prompt, cases), run, chosen, folder_of))


def _check_place(root: Path, config: str, directory: Path) -> None:
    """Raises GateError where the configuration lies here but is looked for at the root."""
    here = (directory / config).resolve()
    if here.is_file() and not (root / config).is_file() and here.is_relative_to(root.resolve()):
        named = here.relative_to(root.resolve()).as_posix()
        hint = f"paths are from the root of the repository, {root}: --config {shlex.quote(named)}"
        raise GateError(f"there is no {config} at the root of the repository", hint)


def run_check(plan: RunOrder, settings: Settings) -> RunRecord:
    """Carry a check out; see `gate.app.runs.carry_out`."""
    # Every case is asked, whatever the others showed.
    plan = replace(plan, resolved=plan.resolved.stopping_early(False))
    return carry_out(plan, settings, lambda run: check(run.resolved, run.tools, run.seed, run.stop))
