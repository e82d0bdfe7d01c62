"""From the options of `gate init` to files, and to words about them."""

import json
import os
import posixpath
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import click

from gate.bootstrap.places import Place, place_here
from gate.bootstrap.scaffolding import TOOLS, Outcome, proposed, seen_at, settle, sound
from gate.cli import init_json
from gate.cli.init_words import SHOWN, next_steps, told_found, told_outcome
from gate.config.functions import is_python
from gate.domain.jsonvalue import JsonValue
from gate.errors import GateError
from gate.flows.scaffold.fitting import fitted
from gate.flows.scaffold.models import USUAL, chosen
from gate.flows.scaffold.proposing import Proposal, Seen, Tools, Wishes, losses_of, told_losses
from gate.flows.scaffold.writing import ACTION, CONFIG, WORKFLOW, Layout
from gate.inputs.models import parse_model
from gate.inputs.paths import complaint
from gate.inputs.problems import printable, quoted
from gate.settings.services import Settings

_ACTION = re.compile(r"[\w.-]+/[\w./-]+@[\w./-]+")


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `gate init`, as typed."""

    prompts: tuple[str, ...]
    bundle: str | None
    model: str | None
    judge: str | None
    cases: str | None
    generate: bool
    find_in_code: bool
    config: str
    action: str | None
    no_workflow: bool
    yes: bool
    dry_run: bool
    as_json: bool
    quiet: bool

    @property
    def talks(self) -> bool:
        """Is a person told what happens?"""
        return not self.quiet and not self.as_json


def execute(options: InitOptions, tools: Tools = TOOLS) -> None:
    """Look, ask, write, and say what comes next.

    Args:
        options: as typed.
        tools: readers of other tools' files.

    Raises:
        GateError: there is no prompt (`--json` says what was looked at all the same), or something that was named
            cannot be read; nothing is written then.
    """
    place = place_here()
    wishes = _wishes(options, place)
    layout = _layout(options, place)
    seen = fitted(sound(place, seen_at(place, wishes, tools), wishes, layout), layout.models)
    if options.talks:
        _say(told_found(seen))
    # A suite of another tool without cases gets them where its prompt is found.
    if not seen.found and not any(suite.cases for bundle in seen.bundles.values() for suite in bundle.suites):
        if options.as_json:
            _print(init_json.found(seen))
        raise _nothing(seen, place)
    if _asks(options):
        options, layout = _asked(options, layout, seen, place)
        seen = fitted(seen, layout.models)
        wishes = replace(wishes, workflow=not options.no_workflow)
    proposal = proposed(place, seen, wishes, layout)
    if options.generate:
        _generated(options, place, proposal)
        proposal = proposed(place, seen, wishes, layout)
    if options.talks:
        _say(told_losses(losses_of(seen)))
    if _asks(options) and not options.dry_run:
        _confirmed(settle(place, proposal, options.config, dry=True).written)
    outcome = settle(place, proposal, options.config, dry=options.dry_run)
    _told(options, place, seen, proposal, outcome)


def _confirmed(paths: Sequence[str]) -> None:
    """Write these? Nobody is asked about nothing."""
    if paths:
        shown = ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN:,} more files" if len(paths) > SHOWN else "")
        _say([f"It will write {shown}."])
        click.confirm("Write these files?", default=True, abort=True)


def _told(options: InitOptions, place: Place, seen: Seen, proposal: Proposal, outcome: Outcome) -> None:
    if options.as_json:
        _print(
            init_json.document(seen, proposal, outcome, _next(options, place, proposal, outcome), dry=options.dry_run)
        )
        return
    if options.quiet:
        _say(outcome.written)
        return
    _say(told_outcome(outcome, proposal, dry=options.dry_run))
    _say(_next(options, place, proposal, outcome))


def _next(options: InitOptions, place: Place, proposal: Proposal, outcome: Outcome) -> list[str]:
    """What to type now, once there is something to go on with."""
    if options.dry_run or outcome.looked is None:
        return []
    return next_steps(place, proposal, outcome, _again(options))


def _again(options: InitOptions) -> str:
    """The command with what says where things are, for another model."""
    named = [("--prompt", path) for path in options.prompts]
    named += [("--from", options.bundle or ""), ("--cases", options.cases or "")]
    named += [("--config", options.config if options.config != CONFIG else "")]
    flags = ["--no-workflow"] * options.no_workflow
    return shlex.join(["gate", "init", *(word for pair in named if pair[1] for word in pair), *flags])


def _wishes(options: InitOptions, place: Place) -> Wishes:
    if options.bundle and options.prompts:
        raise GateError("--from and --prompt both say where prompts are", "give one of the two")
    if reason := complaint(options.config):
        raise GateError(f"--config {quoted(options.config)} {reason}", "write a path from the root of the repository")
    return Wishes(
        tuple(dict.fromkeys(_from_root(path, place) for path in options.prompts)),
        _from_root(options.bundle, place) if options.bundle else "",
        _from_root(options.cases, place) if options.cases else "",
        options.find_in_code,
        not options.no_workflow,
    )


def _from_root(path: str, place: Place) -> str:
    """A path as the user gave it, from where he stands, as one from the root of the repository."""
    if is_python(path):
        hint = f"write the suite into gate.yaml: prompt: {path}; docs/how-to/python-prompts.md has one to begin with"
        raise GateError(f"{path} is a function, and gate init makes suites of files alone", hint)
    here = Path.cwd().resolve()
    full = Path(posixpath.normpath((here / path).as_posix()))
    root = place.root.resolve()
    if not full.is_relative_to(root):
        raise GateError(f"{path} lies outside of {root}", "name a file of the repository")
    return full.relative_to(root).as_posix()


def _layout(options: InitOptions, place: Place) -> Layout:
    models = chosen(options.model, options.judge, _present())
    action = options.action or ACTION
    if not _ACTION.fullmatch(action):
        raise GateError(f"--action {quoted(action)} names no action", "write OWNER/REPO@COMMIT")
    return Layout(options.config, place.branch, models, action)


def _present() -> tuple[str, ...]:
    """Services whose key is in the environment."""
    settings = Settings.from_environ()
    keys = {"openai": settings.openai_api_key, "anthropic": settings.anthropic_api_key}
    return tuple(name for name, key in keys.items() if key)


def _asks(options: InitOptions) -> bool:
    return not options.yes and options.talks and sys.stdin.isatty() and sys.stdout.isatty()


def _asked(options: InitOptions, layout: Layout, seen: Seen, place: Place) -> tuple[InitOptions, Layout]:
    """What neither flags nor files say: who answers, unless another tool does, and whether a workflow is wanted."""
    if options.model is None and seen.found and not os.path.lexists(place.root / options.config):
        known = ", ".join((*USUAL.values(), "local:gemma3-270m"))
        asking = f"Which model answers ({known}, or another)?"
        said = click.prompt(asking, default=layout.models.answering, value_proc=_model)
        if said != layout.models.answering:
            layout = replace(layout, models=chosen(said, options.judge, _present()))
    wanted = not options.no_workflow and not os.path.lexists(place.root / WORKFLOW)
    if wanted and not click.confirm("Write the GitHub workflow?", default=True):
        options = replace(options, no_workflow=True)
    return options, layout


def _model(said: str) -> str:
    """The name of a model; click asks again where it is none."""
    try:
        return str(parse_model(said.strip(), ()))
    except GateError as error:
        raise click.UsageError(f"{error.message}; {error.hint}" if error.hint else error.message) from None


def _generated(options: InitOptions, place: Place, proposal: Proposal) -> None:
    """Cases that a model makes of the prompts, in place of the made-up ones."""
    if options.dry_run:
        if options.talks:
            _say(["--generate is left out: it would ask the model."])
        return
    from gate.cli.init_generate import with_generated

    # Whatever is said on the way is not what a program reads.
    with redirect_stdout(sys.stderr) if options.as_json else nullcontext():
        with_generated(place, proposal.drafts, proposal.layout.models.answering)


def _nothing(seen: Seen, place: Place) -> GateError:
    hint = "put the text of a prompt into a file, such as prompts/support.md; or name one: gate init --prompt PATH"
    if (place.root / ".gitmodules").is_file():
        hint += "; a submodule is a repository of its own: run gate init inside it"
    if seen.constants:
        return GateError("there is no prompt here in a file that could be gated; the code has those above", hint)
    if seen.left:
        return GateError("there is no prompt here that could be gated; those above are left out", hint)
    looked = (
        "files in folders named prompts, *.prompt.yml, *.prompty, promptfooconfig.yaml, files named like "
        "system_prompt.md, and texts in Python, JavaScript and TypeScript that are named like prompts"
    )
    return GateError(f"there is no prompt here that could be gated; looked for {looked}", hint)


def _print(document: dict[str, JsonValue]) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def _say(lines: list[str] | tuple[str, ...]) -> None:
    for line in lines:
        click.echo(printable(line))
