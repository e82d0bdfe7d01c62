"""`gate init`: from options to files and output."""

import json
import os
import posixpath
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click

from gate.config.documents import printable, quoted
from gate.config.values import Pointer, is_python, pointer_of
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.files import path_complaint
from gate.git.places import Place, place_here
from gate.prompts.discovery import PassedFile
from gate.scaffold.files import ACTION, FileSettings
from gate.scaffold.models import chosen_models
from gate.scaffold.proposal import InitChoices, Proposal
from gate.scaffold.report import (
    InitReport,
    candidate_lines,
    init_document,
    picked,
    report_lines,
)
from gate.scaffold.repository import FIRST, proposal_for, tree_of, unexamined, working_proposal, write_proposal
from gate.scaffold.search import Candidate, RepositoryFiles, RepositoryFindings, named_candidates, search_repository
from gate.values import JsonValue

_ACTION = re.compile(r"[\w.-]+/[\w./-]+@[\w./-]+")


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `gate init`, as typed."""

    prompts: tuple[str, ...]
    everything: bool
    model: str | None
    cases: str | None
    generate: bool
    config: str
    action: str | None
    no_workflow: bool
    yes: bool
    dry_run: bool
    as_json: bool
    quiet: bool

    @property
    def talks(self) -> bool:
        """Does a person read the output?"""
        return not self.quiet and not self.as_json

    @property
    def asks(self) -> bool:
        """Can the user be asked?"""
        return not self.yes and self.talks and sys.stdin.isatty() and sys.stdout.isatty()


def execute(options: InitOptions) -> None:
    """Search, ask, write, and print the next steps.

    Raises:
        GateError: there is no prompt (`--json` prints what was found first), or files cannot be written.
    """
    place = place_here()
    wishes, layout = _wishes(options, place), _layout(options, place)
    tree = tree_of(place)
    seen = _seen(options, place, tree)
    gated = _chosen(options, seen)
    if gated is None:
        proposal = working_proposal(place, seen.candidates, tree, wishes, layout)
    else:
        proposal = proposal_for(place, gated, tree, wishes, layout)
    undrafted = _drafted(options, place, proposal)
    if undrafted is not None:
        proposal = proposal_for(place, proposal.candidates, tree_of(place), wishes, layout)
    kept = os.path.lexists(place.root / options.config)
    outcome = write_proposal(place, proposal, options.config, dry=options.dry_run)
    unknown = unexamined(place, proposal.candidates, options.config) if kept else ()
    report = InitReport(
        place, seen, proposal, outcome, gated is not None, options.dry_run, unknown, tuple(undrafted or ())
    )
    _tell(options, report)
    if not proposal.drafts and not kept:
        raise _nothing(report)


def _tell(options: InitOptions, report: InitReport) -> None:
    if options.as_json:
        _print(init_document(report))
    elif options.quiet:
        _say(report.outcome.written)
    else:
        _say(report_lines(report))


def _seen(options: InitOptions, place: Place, tree: RepositoryFiles) -> RepositoryFindings:
    if not options.prompts:
        return search_repository(tree)
    return named_candidates(tree, [_from_root(path, place) for path in options.prompts])


def _chosen(options: InitOptions, seen: RepositoryFindings) -> Sequence[Candidate] | None:
    """The chosen prompts: named, all, or picked from a list; None if the user cannot be asked."""
    found = seen.candidates
    if options.prompts or options.everything or not found:
        return found
    if not options.asks:
        return None
    _say(candidate_lines(seen))
    first = f"1-{min(FIRST, len(found))}" if len(found) > 1 else "1"

    def places(said: str) -> list[int]:
        chosen = picked(said, len(found))
        if not chosen:
            raise click.UsageError(f"type numbers from 1 to {len(found)}, such as 1,3-5, or all")
        return chosen

    return [found[at] for at in click.prompt("Which prompts?", default=first, value_proc=places)]


def _wishes(options: InitOptions, place: Place) -> InitChoices:
    if reason := path_complaint(options.config):
        raise GateError(f"--config {quoted(options.config)} {reason}", "write a path from the root of the repository")
    return InitChoices(_from_root(options.cases, place) if options.cases else "", not options.no_workflow)


def _from_root(path: str, place: Place) -> str:
    """A path of the command line, made relative to the root of the repository."""
    if is_python(path):
        hint = f"write the suite in gate.yaml (prompt: {path}); see docs/how-to/python-prompts.md"
        raise GateError(f"{path} is a function, and gate init only sets up texts", hint)
    pointer = pointer_of(path)
    here = Path.cwd().resolve()
    full = Path(posixpath.normpath((here / (path if pointer is None else pointer.path)).as_posix()))
    root = place.root.resolve()
    if not full.is_relative_to(root):
        raise GateError(f"{path} is outside the repository {root}", "give a file inside it")
    inside = full.relative_to(root).as_posix()
    return inside if pointer is None else str(Pointer(inside, pointer.name))


def _layout(options: InitOptions, place: Place) -> FileSettings:
    action = options.action or ACTION
    if not _ACTION.fullmatch(action):
        raise GateError(f"--action {quoted(action)} is not an action", "write OWNER/REPO@COMMIT")
    return FileSettings(options.config, place.branch, chosen_models(options.model, _present()), action)


def _present() -> tuple[str, ...]:
    """Services whose key is in the environment."""
    settings = Settings.from_environ()
    keys = {name: settings.services.get(f"{name.upper()}_API_KEY") for name in ("openai", "anthropic")}
    return tuple(name for name, key in keys.items() if key)


def _drafted(options: InitOptions, place: Place, proposal: Proposal) -> Sequence[PassedFile] | None:
    """Draft missing cases with a model, if the user wants that.

    Returns:
        The prompts without cases, each with the reason; None if nothing was drafted.
    """
    models, forms = proposal.layout.models, [draft for draft in proposal.drafts if draft.form]
    able = models.hosted and models.provider in models.served
    if options.dry_run or not forms or not (options.generate or options.asks and able):
        return None
    from gate.cli.generate.drafts import draft_cases, forecast_drafts

    # With --json, standard output has only the JSON.
    with redirect_stdout(sys.stderr) if options.as_json else nullcontext():
        foreseen = forecast_drafts(place, forms, models.answering)
        if options.talks and foreseen.drafts:
            _say([foreseen.sentence])
        if not options.generate and not (foreseen.drafts and click.confirm("Draft them now?", default=False)):
            return None
        return draft_cases(place, foreseen)


def _nothing(report: InitReport) -> GateError:
    hint = "give one: gate init --prompt PATH, or --prompt FILE.py::NAME for a text inside a file"
    if (report.place.root / ".gitmodules").is_file():
        hint += "; for a submodule, run gate init inside it"
    if report.left:
        return GateError("no prompt could be used", hint)
    looked = (
        "files in folders named prompts, *.prompt.yml, *.prompty, promptfooconfig.yaml, files named like "
        "system_prompt.md, and texts in code and settings with names like prompts"
    )
    return GateError(f"no prompt was found; searched for {looked}", hint)


def _print(document: dict[str, JsonValue]) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(printable(line))
