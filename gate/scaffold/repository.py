"""`gate init` on the disk: looks at the repository, tries what it would write with the gate's own reader, writes."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.app.repository import Place
from gate.cases.bundles import is_bundle, read_bundle
from gate.errors import GateError, InputErrors, Problem
from gate.paths import matches
from gate.prompts.files import FileSource, content_fingerprint
from gate.scaffold import discovery
from gate.scaffold.discovery import PassedFile
from gate.scaffold.files import CASES_SCHEMA, CONFIG_SCHEMA, Layout
from gate.scaffold.proposal import BundleTools, InitChoices, Proposal, RepositoryFindings, propose, search_repository
from gate.scaffold.suites import RepositoryFiles
from gate.scaffold.validate import ConfigurationReport, validate_source
from gate.store.files import write_all_new


@dataclass(frozen=True, slots=True)
class OverlaySource:
    """A source with more files than it has (`gate.prompts.files.FileSource`).

    Args:
        below: the files that are there.
        texts: the others, by path.
    """

    below: FileSource
    texts: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.below.label

    @property
    def sha(self) -> str | None:
        return self.below.sha

    def read(self, path: str) -> bytes | None:
        """See `FileSource`."""
        return self.texts[path].encode() if path in self.texts else self.below.read(path)

    def fingerprint(self, path: str) -> str | None:
        """See `FileSource`."""
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        """See `FileSource`."""
        return sorted({*self.below.glob(pattern), *(path for path in self.texts if matches(path, pattern))})

    def listing(self, folder: str = "") -> dict[str, str]:
        """See `FileSource`."""
        start = f"{folder}/" if folder else ""
        return {**self.below.listing(folder), **{path: "" for path in self.texts if path.startswith(start)}}

    def links(self, pattern: str) -> dict[str, str]:
        """See `FileSource`."""
        return self.below.links(pattern)

    def leads_to(self, link: str) -> str | None:
        """See `FileSource`."""
        return self.below.leads_to(link)

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        """See `FileSource`."""
        own = {path: len(self.texts[path].encode()) for path in paths if path in self.texts}
        return {**self.below.sizes([path for path in paths if path not in own]), **own}


TOOLS = BundleTools(is_bundle, read_bundle)
_TRIED = re.compile(r" \(case '[^']*' at [^()]*\)(?:; and [\d,]+ more like it)?$")
"""Where a message names a made-up case."""


@dataclass(frozen=True, slots=True)
class InitOutcome:
    """What is to be done, or was done.

    Args:
        written: paths, in order.
        kept: files that are there already and stay as they are.
        looked: what the gate's own reader says of the result; None where a configuration was there before.
        unexamined: prompts that the configuration which is there does not name.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    looked: ConfigurationReport | None
    unexamined: tuple[str, ...] = ()


def tree_of(place: Place) -> RepositoryFiles:
    """The files of a place; those that git ignores are not among them."""
    return RepositoryFiles(frozenset(place.tree.listing()), place.tree.read)


def found_at(place: Place, wishes: InitChoices, tools: BundleTools = TOOLS) -> RepositoryFindings:
    """What there is; see `gate.scaffold.proposal.search_repository`."""
    return search_repository(tree_of(place), wishes, tools)


def proposal_for(place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: Layout) -> Proposal:
    """The files, the schemas for editors among them."""
    found = propose(seen, tree_of(place), wishes, layout)
    return replace(found, texts={**found.texts, **_schemas()})


def without_unusable(place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: Layout) -> RepositoryFindings:
    """The same without prompts that no made-up case fits, or that have another mistake: they are left out, and told.

    Those that the user names stay, and their mistakes are told as such.

    Args:
        place: where.
        seen: what was found.
        wishes: of the user.
        layout: how files are written.
    """
    if wishes.prompts or wishes.cases or not _mistakes(place, seen, wishes, layout):
        return seen
    told = {one.path: _mistakes(place, replace(seen, found=(one,), bundles={}), wishes, layout) for one in seen.found}
    left = [PassedFile(path, _reason(path, problems[0])) for path, problems in told.items() if problems]
    return replace(seen, found=tuple(one for one in seen.found if not told[one.path]), left=(*seen.left, *left))


def _reason(path: str, problem: Problem) -> str:
    """What is wrong with a prompt; the cases that it was tried with are not written, and not named."""
    if problem.file != path:
        return str(problem)
    return _TRIED.sub("", discovery.problem_text(problem))


def _mistakes(place: Place, seen: RepositoryFindings, wishes: InitChoices, layout: Layout) -> tuple[Problem, ...]:
    if not seen.found or os.path.lexists(place.root / layout.config):
        return ()
    texts = propose(seen, tree_of(place), wishes, layout).texts
    new = {path: text for path, text in texts.items() if not os.path.lexists(place.root / path)}
    return validate_source(OverlaySource(place.tree, new), layout.config, place.root).problems


def write_proposal(place: Place, proposal: Proposal, config: str, *, dry: bool = False) -> InitOutcome:
    """Write what is not there yet: all of it, or nothing.

    Args:
        place: where.
        proposal: what.
        config: path of the configuration.
        dry: only say what would be done.

    Raises:
        InputErrors: what would be written has mistakes.
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
    """All of it or nothing, new folders among it."""
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
    """A repository may have brought a link that leads out of it."""
    for folder in (root / path).parents:
        if folder == root:
            return
        if folder.is_symlink():
            raise GateError(f"{path} would lie behind the symbolic link {folder.relative_to(root)}", "remove the link")


def _unexamined(place: Place, proposal: Proposal, config: str) -> tuple[str, ...]:
    """Prompts that no suite of the configuration which is there names; none where it cannot be read."""
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
    from gate.cases.labels import cases_schema
    from gate.config.gatefile import config_schema

    found = {CONFIG_SCHEMA: config_schema(), CASES_SCHEMA: cases_schema()}
    return {
        path: json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n" for path, schema in found.items()
    }
