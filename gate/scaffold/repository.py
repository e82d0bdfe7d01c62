"""`gate init` on the disk: searches the repository, checks the result with the gate's own reader, writes."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate.errors import GateError, InputErrors, Problem
from gate.files import matches, write_all_new
from gate.git.places import Place
from gate.prompts.files import OverlaySource
from gate.scaffold import discovery
from gate.scaffold.discovery import PassedFile
from gate.scaffold.files import CASES_SCHEMA, CONFIG_SCHEMA, FileSettings
from gate.scaffold.proposal import InitChoices, Proposal, RepositoryFindings, propose, search_repository
from gate.scaffold.suites import RepositoryFiles
from gate.scaffold.validate import ConfigurationReport, validate_source

_TRIED = re.compile(r" \(case '[^']*' at [^()]*\)(?:; and [\d,]+ more like it)?$")
"""Where a message names a made-up case."""


@dataclass(frozen=True, slots=True)
class InitOutcome:
    """What is to be done, or was done.

    Args:
        written: paths, in order.
        kept: existing files that stay as they are.
        looked: report of the gate's own reader on the result; None where there was a configuration before.
        unexamined: prompts that the existing configuration does not name.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    looked: ConfigurationReport | None
    unexamined: tuple[str, ...] = ()


def tree_of(place: Place) -> RepositoryFiles:
    """The files of a place, without those that git ignores."""
    return RepositoryFiles(frozenset(place.tree.listing()), place.tree.read)


def found_at(place: Place, wishes: InitChoices) -> RepositoryFindings:
    """The findings; see `gate.scaffold.proposal.search_repository`."""
    return search_repository(tree_of(place), wishes)


def proposal_for(place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: FileSettings) -> Proposal:
    """The files, with the schemas for editors."""
    found = propose(seen, tree_of(place), wishes, layout)
    return replace(found, texts={**found.texts, **_schemas()})


def without_unusable(
    place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: FileSettings
) -> RepositoryFindings:
    """The findings without unusable prompts, which are reported instead.

    A prompt named by the user stays, and its mistakes are reported as such.
    """
    if wishes.prompts or wishes.cases or not _mistakes(place, seen, wishes, layout):
        return seen
    told = {one.path: _mistakes(place, replace(seen, found=(one,), bundles={}), wishes, layout) for one in seen.found}
    left = [PassedFile(path, _reason(path, problems[0])) for path, problems in told.items() if problems]
    return replace(seen, found=tuple(one for one in seen.found if not told[one.path]), left=(*seen.left, *left))


def _reason(path: str, problem: Problem) -> str:
    """What is wrong with a prompt, without the names of the trial cases."""
    if problem.file != path:
        return str(problem)
    return _TRIED.sub("", discovery.problem_text(problem))


def _mistakes(place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: FileSettings) -> tuple[Problem, ...]:
    if not seen.found or os.path.lexists(place.root / layout.config):
        return ()
    texts = propose(seen, tree_of(place), wishes, layout).texts
    new = {path: text for path, text in texts.items() if not os.path.lexists(place.root / path)}
    return validate_source(OverlaySource(place.tree, new), layout.config, place.root).problems


def write_proposal(place: Place, proposal: Proposal, config: str, *, dry: bool = False) -> InitOutcome:
    """Write the missing files: all of them, or none. With `dry`, only say so.

    Raises:
        InputErrors: the files would have mistakes.
        GateError: something cannot be written.
    """
    kept = tuple(path for path in proposal.texts if os.path.lexists(place.root / path))
    texts = {path: text for path, text in proposal.texts.items() if path not in kept}
    if config in kept:
        # Suites that nobody wrote down need no files of cases.
        texts = {path: text for path, text in texts.items() if path.startswith((".github/", "evals/schemas/"))}
        looked, unexamined = None, _unexamined(place, proposal, config)
    else:
        looked, unexamined = validate_source(OverlaySource(place.tree, texts), config, place.root), ()
        if looked.problems:
            raise InputErrors(looked.problems)
    if not dry:
        _write(place.root, texts)
    return InitOutcome(tuple(texts), kept, looked, unexamined)


def _write(root: Path, texts: Mapping[str, str]) -> None:
    """Write all files and new folders, or none."""
    made = [folder for path in texts for folder in (root / path).parents if not folder.exists()]
    for path in texts:
        _check_inside(root, path)
    try:
        write_all_new({root / path: text for path, text in texts.items()})
    except BaseException:
        for folder in sorted(set(made), key=lambda one: len(one.parts), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise


def _check_inside(root: Path, path: str) -> None:
    """Refuse a link that leads out of the repository."""
    for folder in (root / path).parents:
        if folder == root:
            return
        if folder.is_symlink():
            raise GateError(f"{path} would lie behind the symbolic link {folder.relative_to(root)}", "remove the link")


def _unexamined(place: Place, proposal: Proposal, config: str) -> tuple[str, ...]:
    """Prompts that no suite of the existing configuration names; none where it cannot be read."""
    from gate.config.documents import decode
    from gate.config.gatefile import load

    try:
        data = place.tree.read(config)
        known = [suite.prompt for suite in load(decode(data or b"", config), config).suites]
    except GateError:
        return ()
    found = [one.path for draft in proposal.drafts for one in draft.found] + list(proposal.more)
    return tuple(path for path in found if not any(path == one or matches(path, one) for one in known))


def _schemas() -> dict[str, str]:
    from gate.cases.forms import cases_schema
    from gate.config.gatefile import config_schema

    found = {CONFIG_SCHEMA: config_schema(), CASES_SCHEMA: cases_schema()}
    return {
        path: json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n" for path, schema in found.items()
    }
