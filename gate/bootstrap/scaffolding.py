"""`gate init` on the disk: looks at the repository, holds what it would write against the gate's own reader, writes."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate.bootstrap.places import Place
from gate.bootstrap.validating import looked_through
from gate.errors import GateError, InputErrors, Problem
from gate.flows.scaffold import finding
from gate.flows.scaffold.drafting import Tree
from gate.flows.scaffold.finding import Left
from gate.flows.scaffold.overlay import Overlay
from gate.flows.scaffold.proposing import Proposal, Seen, Tools, Wishes, look, propose
from gate.flows.scaffold.writing import CASES_SCHEMA, CONFIG_SCHEMA, Layout
from gate.flows.validate import Looked
from gate.formats.bundles import is_bundle, read_bundle
from gate.inputs.paths import matches
from gate.store.new_files import write_all_new

TOOLS = Tools(is_bundle, read_bundle)
_TRIED = re.compile(r" \(case '[^']*' at [^()]*\)(?:; and [\d,]+ more like it)?$")
"""Where a message names a made-up case."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is to be done, or was done.

    Args:
        written: paths, in order.
        kept: files that are there already and stay as they are.
        looked: what the gate's own reader says of the result; None where a configuration was there before.
        unexamined: prompts that the configuration which is there does not name.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    looked: Looked | None
    unexamined: tuple[str, ...] = ()


def tree_of(place: Place) -> Tree:
    """The files of a place; those that git ignores are not among them."""
    return Tree(frozenset(place.tree.listing()), place.tree.read)


def seen_at(place: Place, wishes: Wishes, tools: Tools = TOOLS) -> Seen:
    """What there is; see `gate.flows.scaffold.proposing.look`."""
    return look(tree_of(place), wishes, tools)


def proposed(place: Place, seen: Seen, wishes: Wishes, layout: Layout) -> Proposal:
    """The files, the schemas for editors among them."""
    found = propose(seen, tree_of(place), wishes, layout)
    return replace(found, texts={**found.texts, **_schemas()})


def sound(place: Place, seen: Seen, wishes: Wishes, layout: Layout) -> Seen:
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
    left = [Left(path, _reason(path, problems[0])) for path, problems in told.items() if problems]
    return replace(seen, found=tuple(one for one in seen.found if not told[one.path]), left=(*seen.left, *left))


def _reason(path: str, problem: Problem) -> str:
    """What is wrong with a prompt; the cases that it was tried with are not written, and not named."""
    if problem.file != path:
        return str(problem)
    return _TRIED.sub("", finding.told(problem))


def _mistakes(place: Place, seen: Seen, wishes: Wishes, layout: Layout) -> tuple[Problem, ...]:
    if not seen.found or os.path.lexists(place.root / layout.config):
        return ()
    texts = propose(seen, tree_of(place), wishes, layout).texts
    new = {path: text for path, text in texts.items() if not os.path.lexists(place.root / path)}
    return looked_through(Overlay(place.tree, new), layout.config, place.root).problems


def settle(place: Place, proposal: Proposal, config: str, *, dry: bool = False) -> Outcome:
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
        looked, unexamined = looked_through(Overlay(place.tree, texts), config, place.root), ()
        if looked.problems:
            raise InputErrors(looked.problems)
    if not dry:
        _write(place.root, texts)
    return Outcome(tuple(texts), kept, looked, unexamined)


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
    from gate.config.gatefile import load
    from gate.inputs.text import decode

    try:
        data = place.tree.read(config)
        known = [suite.prompt for suite in load(decode(data or b"", config), config).suites]
    except GateError:
        return ()
    found = [one.path for draft in proposal.drafts for one in draft.found] + list(proposal.more)
    return tuple(path for path in found if not any(path == one or matches(path, one) for one in known))


def _schemas() -> dict[str, str]:
    from gate.config.gatefile import config_schema
    from gate.inputs.caseschema import cases_schema

    found = {CONFIG_SCHEMA: config_schema(), CASES_SCHEMA: cases_schema()}
    return {
        path: json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n" for path, schema in found.items()
    }
