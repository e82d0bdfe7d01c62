"""`gate init` on the disk: lists files, validates the result, and writes."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from gate.config.documents import decode
from gate.config.gatefile import load
from gate.config.models import Params, parse_model
from gate.environment.settings import Settings, is_unpriced, keyless_factory
from gate.errors import GateError, Problem
from gate.files import matches, write_all_new
from gate.git.places import Place
from gate.prompts.discovery import CODE_BYTES, PassedFile, problem_text
from gate.prompts.files import OverlaySource
from gate.scaffold.files import CASES_SCHEMA, CONFIG_SCHEMA, FileSettings
from gate.scaffold.proposal import InitChoices, Proposal, propose, with_drafts
from gate.scaffold.search import Candidate, RepositoryFiles
from gate.scaffold.suites import SuiteDraft
from gate.scaffold.validate import ConfigurationReport, validate_source

FIRST = 5
"""Prompts to take by default."""
_ROUNDS = 4
"""Attempts to find that many."""
_TRIED = re.compile(r" \(case '[^']*' at [^()]*\)(?:; and in [\d,]+ other cases?)?$")
"""The part of a message that names a case."""


@dataclass(frozen=True, slots=True)
class InitOutcome:
    """What will be or was written.

    Args:
        written: paths, in order.
        kept: existing files that stay as they are.
        looked: validation of the result; None if a configuration existed.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    looked: ConfigurationReport | None


def tree_of(place: Place) -> RepositoryFiles:
    """The files of a repository that git does not ignore."""
    return RepositoryFiles(frozenset(place.tree.listing()), place.tree.read, partial(_scan, place.root))


def _scan(root: Path, path: str) -> bytes | None:
    """Bytes of a plain file of usual size. The path comes from git's list, so no link is followed."""
    try:
        with (root / path).open("rb") as file:
            data = file.read(CODE_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= CODE_BYTES else None


def proposal_for(
    place: Place, candidates: Sequence[Candidate], tree: RepositoryFiles, wishes: InitChoices, layout: FileSettings
) -> Proposal:
    """The files with schemas for editors. A suite that fails validation is left out with its reason.

    Raises:
        GateError: the case file of `--cases` has errors.
    """
    factory = keyless_factory(Settings.from_environ())
    found = propose(
        candidates, tree, wishes, layout, lambda name: not is_unpriced(factory, parse_model(name), Params())
    )
    if not found.drafts or os.path.lexists(place.root / layout.config):
        return _with_schemas(found)
    if _mistakes(place, found, layout.config):
        told = [(one, _mistakes(place, with_drafts(found, [one], wishes), layout.config)) for one in found.drafts]
        left = [PassedFile(one.prompt, _reason(one, problems[0])) for one, problems in told if problems]
        found = with_drafts(found, [one for one, problems in told if not problems], wishes, left)
    return _with_schemas(found)


def working_proposal(
    place: Place, seen: Sequence[Candidate], tree: RepositoryFiles, wishes: InitChoices, layout: FileSettings
) -> Proposal:
    """As `proposal_for`, for the first few prompts that work."""
    taken, left, looked = list(seen[:FIRST]), list[PassedFile](), FIRST
    found = proposal_for(place, taken, tree, wishes, layout)
    for _ in range(_ROUNDS):
        lost = {one.path for one in found.left}
        kept = [one for one in taken if one.path not in lost]
        if len(kept) == len(taken) or looked >= len(seen):
            break
        left += found.left
        more = seen[looked : looked + FIRST - len(kept)]
        taken, looked = [*kept, *more], looked + len(more)
        found = proposal_for(place, taken, tree, wishes, layout)
    return replace(found, left=tuple(dict.fromkeys((*left, *found.left))))


def _reason(draft: SuiteDraft, problem: Problem) -> str:
    """What is wrong with a suite, without the names of its cases."""
    said = problem_text(problem) if problem.file == draft.prompt else f"{problem.where}: {problem.message}"
    return _TRIED.sub("", said)


def _mistakes(place: Place, proposal: Proposal, config: str) -> tuple[Problem, ...]:
    new = {path: text for path, text in proposal.texts.items() if not os.path.lexists(place.root / path)}
    return validate_source(OverlaySource(place.tree, new), config, place.root).problems


def write_proposal(place: Place, proposal: Proposal, config: str, *, dry: bool = False) -> InitOutcome:
    """Write all missing files or none; with `dry`, only list them.

    Raises:
        GateError: something cannot be written.
    """
    kept = tuple(path for path in proposal.texts if os.path.lexists(place.root / path))
    texts = {path: text for path, text in proposal.texts.items() if path not in kept}
    looked = None
    if not proposal.drafts:
        return InitOutcome((), kept, None)
    if config in kept:
        # Suites that nobody wrote down need no files of cases.
        texts = {path: text for path, text in texts.items() if path.startswith((".github/", "evals/schemas/"))}
    else:
        looked = validate_source(OverlaySource(place.tree, texts), config, place.root)
    if not dry:
        _write(place.root, texts)
    return InitOutcome(tuple(texts), kept, looked)


def unexamined(place: Place, found: Sequence[Candidate], config: str) -> tuple[str, ...]:
    """Prompts without a suite in the existing configuration; none if that cannot be read."""
    try:
        data = place.tree.read(config)
        known = [suite.prompt for suite in load(decode(data or b"", config), config).suites]
    except GateError:
        return ()
    return tuple(one.path for one in found if not any(one.path == name or matches(one.path, name) for name in known))


def _write(root: Path, texts: Mapping[str, str]) -> None:
    """Write all files and folders, or none."""
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
    """Refuse a symbolic link in the path."""
    for folder in (root / path).parents:
        if folder == root:
            return
        if folder.is_symlink():
            raise GateError(
                f"{path} would be written through the symbolic link {folder.relative_to(root)}", "remove the link"
            )


def _with_schemas(found: Proposal) -> Proposal:
    return replace(found, texts={**found.texts, **_schemas()}) if found.drafts else found


@cache
def _schemas() -> dict[str, str]:
    from gate.cases.forms import cases_schema
    from gate.config.gatefile import config_schema

    found = {CONFIG_SCHEMA: config_schema(), CASES_SCHEMA: cases_schema()}
    return {
        path: json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n" for path, schema in found.items()
    }
