"""Opens what a check reads, and carries it out."""

import shlex
from dataclasses import replace
from pathlib import Path

from gate.bootstrap.building import building
from gate.bootstrap.places import tree_of
from gate.bootstrap.plan import Plan
from gate.bootstrap.resolving import DiskSource, beside, rehearsed
from gate.bootstrap.running import carry_out
from gate.bootstrap.shelves import shelf_of
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.flows.check import check
from gate.flows.files import FileRun
from gate.flows.resolved import Resolved
from gate.flows.solo import Chosen, resolve_one, resolve_one_file
from gate.git.repo import Repo
from gate.settings.services import Settings


def resolve_check(config: str, ref: str | None, chosen: Chosen, directory: Path = Path()) -> Resolved:
    """Read one version of the prompts.

    Args:
        config: path of `gate.yaml` from the root of the repository, or from `directory` where there is none.
        ref: a commit; None for the working tree.
        chosen: what of it.
        directory: somewhere inside the repository.

    Raises:
        InputErrors, GateError: mistakes in the files, or names that are not there.
    """
    tree = tree_of(directory)
    source = tree if ref is None else Repo.open(directory).at(ref)
    if ref is None:
        _check_place(tree.root, config, directory)
    with building() as builder:
        return rehearsed(resolve_one(source, config, chosen, builder, shelf_of(tree.root)))


def resolve_check_files(prompt: str, cases: str, run: FileRun, chosen: Chosen) -> Resolved:
    """Read a prompt and its cases by the paths that the user gave."""
    return rehearsed(resolve_one_file(DiskSource(), (prompt, cases), run, chosen, beside))


def _check_place(root: Path, config: str, directory: Path) -> None:
    """Raises GateError where the configuration lies here, and is looked for at the root."""
    here = (directory / config).resolve()
    if here.is_file() and not (root / config).is_file() and here.is_relative_to(root.resolve()):
        named = here.relative_to(root.resolve()).as_posix()
        hint = f"paths are from the root of the repository, {root}: --config {shlex.quote(named)}"
        raise GateError(f"there is no {config} at the root of the repository", hint)


def run_check(plan: Plan, settings: Settings) -> RunRecord:
    """Carry a check out; see `gate.bootstrap.running.carry_out` for arguments and errors."""
    # Every case is asked, whatever the others showed.
    resolved = replace(plan.resolved, policy=plan.resolved.policy.model_copy(update={"early_stop": False}))
    plan = replace(plan, resolved=resolved)
    return carry_out(plan, settings, lambda run: check(run.resolved, run.tools, run.seed, run.stop))
