"""`gate init`: from a repository with prompts to files, and to what is printed, as text or JSON."""

import json
import os
import posixpath
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import chdir, nullcontext, redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath

import click

from gate.calls.providers.packaged_model import packaged_parts
from gate.config.documents import printable, quoted
from gate.config.models import parse_model
from gate.config.values import is_python
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.files import path_complaint
from gate.git.places import Place, place_here
from gate.record.comparison import FEWEST_UNITS
from gate.scaffold.discovery import MOVE
from gate.scaffold.files import ACTION, CONFIG, WORKFLOW, FileSettings, keys_of, needs_judge
from gate.scaffold.proposal import (
    InitChoices,
    Proposal,
    RepositoryFindings,
    loss_lines,
    losses_of,
    with_fitting_params,
)
from gate.scaffold.repository import InitOutcome, found_at, proposal_for, without_unusable, write_proposal
from gate.scaffold.starter_cases import STARTERS
from gate.scaffold.suites import KEYS, PACKAGED, USUAL, ConfigurationModels, SuiteDraft, chosen_models, is_self_judged
from gate.testgen.rules.formats import LANGUAGE_CODES
from gate.values import JsonValue, counted

SCHEMA = "prompt-gate/init/1"


def found_document(seen: RepositoryFindings) -> dict[str, JsonValue]:
    """What is there: all that can be said where nothing is written."""
    return {
        "schema": SCHEMA,
        "found": [{"path": one.path, "variables": [*one.variables], "braces": [*one.braces]} for one in seen.found],
        "bundles": [
            {
                "path": path,
                "format": bundle.format,
                "suites": len(bundle.suites),
                "cases": sum(len(suite.cases) for suite in bundle.suites),
                "losses": [asdict(loss) for loss in bundle.losses],
            }
            for path, bundle in seen.bundles.items()
        ],
        "left_out": [asdict(one) for one in seen.left],
        "in_code": [asdict(one) for one in seen.constants],
    }


def init_document(
    seen: RepositoryFindings, proposal: Proposal, outcome: InitOutcome, told: Sequence[str], *, dry: bool
) -> dict[str, JsonValue]:
    """All of it.

    Args:
        told: the next steps, as a person is told them.
    """
    models = proposal.layout.models
    return {
        **found_document(seen),
        "dry_run": dry,
        "written": [*outcome.written],
        "kept": [*outcome.kept],
        "unexamined": [*outcome.unexamined, *proposal.more],
        "model": models.answering,
        "judge": models.judge,
        "keys": [*keys_of(proposal.drafts, models)],
        "suites": [
            {
                "name": draft.name,
                "prompt": draft.prompt,
                "cases": draft.cases,
                "count": _count(draft.name, outcome),
                "starter": draft.starter,
                "language": draft.language if draft.starter else None,
            }
            for draft in proposal.drafts
        ],
        "next": [line.strip() for line in told if line.strip() and line != "Next:"],
    }


def _count(name: str, outcome: InitOutcome) -> int | None:
    """Cases of a suite, those of all its prompts where it has a pattern; None where nobody looked."""
    if outcome.looked is None:
        return None
    return sum(one.count for one in outcome.looked.suites if one.name == name or one.name.startswith(f"{name}:"))


SHOWN = 10
"""Entries of a list that are spelled out."""
LANGUAGE_NAMES = {code: name.title() for name, code in LANGUAGE_CODES.items()}
NAMED = 3
"""Files that are named where one would do."""
_LOCAL = (
    "The local model is a small base model: it continues texts, and follows examples rather than instructions. It",
    "shows how the gate works. For a verdict on a prompt that is made for a larger model set OPENAI_API_KEY or",
    "ANTHROPIC_API_KEY, and change `model` in gate.yaml.",
)


def found_lines(seen: RepositoryFindings) -> list[str]:
    """What there is."""
    lines = []
    for path, bundle in seen.bundles.items():
        cases = sum(len(suite.cases) for suite in bundle.suites)
        what = f"{counted(len(bundle.suites), 'suite')}, {counted(cases, 'case')}"
        lines.append(f"{path} ({bundle.format}): {what}, {counted(len(bundle.losses), 'loss', 'losses')}")
    if seen.found:
        lines.append(f"{counted(len(seen.found), 'prompt')} found: {_few([one.path for one in seen.found])}")
    lines += [f"left out: {one.path}: {one.reason}" for one in seen.left[:SHOWN]]
    lines += [f"and {len(seen.left) - SHOWN} more left out"] if len(seen.left) > SHOWN else []
    for one in seen.found:
        if one.braces:
            names = ", ".join(f"{{{name}}}" for name in one.braces[:3])
            what = "it goes to the model as it stands" if len(one.braces) == 1 else "they go to the model as they stand"
            lines.append(f"note: {one.path} has {names}, and {what}: a template has {{{{ name }}}}")
    for constant in seen.constants[:SHOWN]:
        lines.append(f"in code: {constant.where}: {constant.name} ({constant.chars:,} characters)")
    if len(seen.constants) > SHOWN:
        lines.append(f"and {len(seen.constants) - SHOWN} more in code")
    remedies = [MOVE] * bool(seen.constants) + [one.remedy for one in seen.left if one.remedy]
    lines += [f"  {remedy}" for remedy in dict.fromkeys(remedies)]
    return lines


def outcome_lines(outcome: InitOutcome, proposal: Proposal, *, dry: bool) -> list[str]:
    """What was written, and what stays."""
    verb = "would write" if dry else "wrote"
    lines = [f"{verb} {path}" for path in outcome.written]
    lines += [f"kept {path}: it is there already" for path in outcome.kept]
    if not outcome.written:
        lines.append("nothing to write; gate validate looks through what is there")
    if proposal.more:
        lines.append(f"no room for {counted(len(proposal.more), 'prompt')}: {_few(list(proposal.more))}")
    if outcome.unexamined:
        lines.append(f"no suite examines {_few(list(outcome.unexamined))}: add it to the configuration")
    if outcome.looked is not None:
        suites = outcome.looked.suites
        cases = sum(one.count for one in suites)
        lines.append(f"valid: {counted(len(suites), 'suite')}, {counted(cases, 'case')}")
        lines += [*_self_judged(proposal), *_unjudged(proposal), *_in_languages(proposal)]
        lines += [f"note: {one.unread}" for one in suites if one.unread][:NAMED]
    return lines


def _self_judged(proposal: Proposal) -> list[str]:
    """Judges that another tool's file brought, and that are left to whoever answers."""
    found = [draft for draft in proposal.drafts if is_self_judged(draft)]
    if not found:
        return []
    models = ", ".join(dict.fromkeys(draft.model or proposal.layout.models.answering for draft in found))
    return [
        f"note: the judges of {_few([draft.name for draft in found], NAMED)} name no model that the gate can ask, so "
        f"the one that answers judges itself, {models}; name a better one: gate init --judge MODEL",
    ]


def _unjudged(proposal: Proposal) -> list[str]:
    """Judges that were left out."""
    if not proposal.unjudged:
        return []
    count = counted(proposal.unjudged, "judge")
    why = "the local model is too small to judge, and there is no key for another one"
    return [f"note: {count} left out: {why}; name one with a key: gate init --judge MODEL"]


def _in_languages(proposal: Proposal) -> list[str]:
    """Starter cases in another language than English, and prompts that would want such."""
    drafts: dict[str, list[str]] = {}
    for draft in proposal.drafts:
        if draft.starter and draft.language != "en":
            drafts.setdefault(draft.language, []).append(draft.name)
    lines = []
    for code, names in drafts.items():
        name = LANGUAGE_NAMES.get(code, code)
        seems = f"note: {_few(names, NAMED)} {'seem' if len(names) > 1 else 'seems'} to be written in {name}"
        what = f"in {name}" if code in STARTERS else f"in English: put some in {name} in their place"
        lines.append(f"{seems}; the starter cases are {what}")
    return lines


def next_steps(place: Place, proposal: Proposal, outcome: InitOutcome, again: str = "gate init") -> list[str]:
    """What to type now.

    Args:
        again: the command as it was given, without a model.
    """
    layout = proposal.layout
    starters = [draft.cases for draft in proposal.drafts if draft.starter and draft.cases in outcome.written]
    lines = ["", "Next:"]
    if starters:
        lines.append(f"  Put real cases in the place of the starter cases in {_few(starters, NAMED)}.")
    lines += _too_few(outcome, layout.models)
    if place.repo is None:
        lines.append(f"  git init -b {layout.branch}")
    commit = "git add -A && git commit -m 'Gate the prompts'"
    words = ["gate", "diff", "--base", layout.branch, *(["--config", layout.config] if layout.config != CONFIG else [])]
    keys = keys_of(proposal.drafts, layout.models)
    missing = [key for key in keys if key not in {KEYS[name] for name in layout.models.served}]
    exports = [f"  export {key}=…" for key in missing]
    lines += [f"  {commit}", f"  edit {_edited(proposal)}", *exports, f"  {shlex.join(words)}"]
    if WORKFLOW in outcome.written:
        if layout.action == ACTION:
            lines.append(f"  {WORKFLOW}: put your copy of the action, with its commit, in the place of OWNER/…")
        lines += [f"  gh secret set {key}" for key in keys]
    if missing and not layout.models.named:
        lines += _without_key(proposal, outcome, again)
    if layout.models.packaged:
        lines += ["", *_LOCAL, *_missing_model()]
        if any(map(needs_judge, proposal.drafts)):
            lines.append("A judge of its size would be worth nothing: it stands in gate.yaml as a comment.")
    return lines


def _without_key(proposal: Proposal, outcome: InitOutcome, again: str) -> list[str]:
    """How to try it with the local model: what names a hosted one is written anew."""
    asking = {proposal.layout.config, WORKFLOW, *(draft.cases for draft in proposal.drafts)}
    paths = [path for path in outcome.written if path in asking]
    gone = f"rm {shlex.join(paths)}" if len(paths) <= SHOWN else "remove what was written"
    return ["", "Without a key, to try it with the local model:", f"  {gone}", f"  {again} --model {PACKAGED}"]


def _too_few(outcome: InitOutcome, models: ConfigurationModels) -> list[str]:
    """Suites that can block nothing yet, and how they get there."""
    few = [one for one in outcome.looked.suites if one.count < FEWEST_UNITS] if outcome.looked is not None else []
    if not few:
        return []
    first = few[0]
    others = f", and {counted(len(few) - 1, 'other suite')} as few" if len(few) > 1 else ""
    least = f"{FEWEST_UNITS} are the least that can block: add some"
    few_of = f"  {first.cases} has {counted(first.count, 'case')}{others}; {least}"
    # The packaged model is too small to draft anything.
    hosted = parse_model(first.model).provider in KEYS
    model = first.model if hosted else USUAL["openai"]
    return [f"{few_of},", f"    or have a model draft them: gate generate {_word(first.prompt)} --model {model}"]


def _missing_model() -> list[str]:
    """How to get the local model, where it is not there."""
    try:
        packaged_parts()
    except GateError as error:
        return [f"{error.message[:1].upper()}{error.message[1:]}: {error.hint}"]
    return []


def _edited(proposal: Proposal) -> str:
    """A prompt that can be changed for a try."""
    first = proposal.drafts[0]
    return _word(first.found[0].path if first.found else first.prompt)


def _word(path: str) -> str:
    """A path as one word for a shell, and no option: the whole list of steps may be pasted."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _few(names: list[str], most: int = SHOWN) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


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


def execute(options: InitOptions) -> None:
    """Look, ask, write, and say what comes next.

    Raises:
        GateError: there is no prompt (`--json` says what was looked at all the same), or something that was named
            cannot be read; nothing is written then.
    """
    place = place_here()
    wishes = _wishes(options, place)
    layout = _layout(options, place)
    seen = with_fitting_params(without_unusable(place, found_at(place, wishes), wishes, layout), layout.models)
    if options.talks:
        _say(found_lines(seen))
    # A suite of another tool without cases gets them where its prompt is found.
    if not seen.found and not any(suite.cases for bundle in seen.bundles.values() for suite in bundle.suites):
        if options.as_json:
            _print(found_document(seen))
        raise _nothing(seen, place)
    if _asks(options):
        options, layout = _asked(options, layout, seen, place)
        seen = with_fitting_params(seen, layout.models)
        wishes = replace(wishes, workflow=not options.no_workflow)
    proposal = proposal_for(place, seen, wishes, layout)
    if options.generate:
        _generated(options, place, proposal)
        proposal = proposal_for(place, seen, wishes, layout)
    if options.talks:
        _say(loss_lines(losses_of(seen)))
    if _asks(options) and not options.dry_run:
        _confirmed(write_proposal(place, proposal, options.config, dry=True).written)
    outcome = write_proposal(place, proposal, options.config, dry=options.dry_run)
    _told(options, place, seen, proposal, outcome)


def _confirmed(paths: Sequence[str]) -> None:
    """Write these? Nobody is asked about nothing."""
    if paths:
        shown = ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN:,} more files" if len(paths) > SHOWN else "")
        _say([f"It will write {shown}."])
        click.confirm("Write these files?", default=True, abort=True)


def _told(
    options: InitOptions, place: Place, seen: RepositoryFindings, proposal: Proposal, outcome: InitOutcome
) -> None:
    if options.as_json:
        _print(init_document(seen, proposal, outcome, _next(options, place, proposal, outcome), dry=options.dry_run))
        return
    if options.quiet:
        _say(outcome.written)
        return
    _say(outcome_lines(outcome, proposal, dry=options.dry_run))
    _say(_next(options, place, proposal, outcome))


def _next(options: InitOptions, place: Place, proposal: Proposal, outcome: InitOutcome) -> list[str]:
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


def _wishes(options: InitOptions, place: Place) -> InitChoices:
    if options.bundle and options.prompts:
        raise GateError("--from and --prompt both say where prompts are", "give one of the two")
    if reason := path_complaint(options.config):
        raise GateError(f"--config {quoted(options.config)} {reason}", "write a path from the root of the repository")
    return InitChoices(
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


def _layout(options: InitOptions, place: Place) -> FileSettings:
    models = chosen_models(options.model, options.judge, _present())
    action = options.action or ACTION
    if not _ACTION.fullmatch(action):
        raise GateError(f"--action {quoted(action)} names no action", "write OWNER/REPO@COMMIT")
    return FileSettings(options.config, place.branch, models, action)


def _present() -> tuple[str, ...]:
    """Services whose key is in the environment."""
    settings = Settings.from_environ()
    keys = {name: settings.services.get(f"{name.upper()}_API_KEY") for name in ("openai", "anthropic")}
    return tuple(name for name, key in keys.items() if key)


def _asks(options: InitOptions) -> bool:
    return not options.yes and options.talks and sys.stdin.isatty() and sys.stdout.isatty()


def _asked(
    options: InitOptions, layout: FileSettings, seen: RepositoryFindings, place: Place
) -> tuple[InitOptions, FileSettings]:
    """What neither flags nor files say: who answers, unless another tool does, and whether a workflow is wanted."""
    if options.model is None and seen.found and not os.path.lexists(place.root / options.config):
        known = ", ".join((*USUAL.values(), "local:gemma3-270m"))
        asking = f"Which model answers ({known}, or another)?"
        said = click.prompt(asking, default=layout.models.answering, value_proc=_model)
        if said != layout.models.answering:
            layout = replace(layout, models=chosen_models(said, options.judge, _present()))
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

    # Whatever is said on the way is not what a program reads.
    with redirect_stdout(sys.stderr) if options.as_json else nullcontext():
        with_generated(place, proposal.drafts, proposal.layout.models.answering)


def _nothing(seen: RepositoryFindings, place: Place) -> GateError:
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


MOST = 10
"""Prompts that cases are made for at once."""


def with_generated(place: Place, drafts: Sequence[SuiteDraft], model: str) -> None:
    """Write `spec.yaml` and `cases.yaml` for each prompt whose cases would be made up.

    They stay, whatever happens afterwards, since they were paid for; `gate init` goes on from them.

    Raises:
        GateError: too many prompts, or what `gate generate` says.
    """
    wanted = [draft for draft in drafts if draft.starter and len(draft.found) == 1]
    if len(wanted) > MOST:
        hint = "name some with --prompt, or leave --generate out and run gate generate for one after the other"
        raise GateError(f"--generate makes cases for {MOST} prompts at most, and here are {len(wanted)}", hint)
    from gate.cli.generate.command import generate

    context = click.get_current_context()
    for draft in wanted:
        out = Path(PurePosixPath(draft.cases).parent)
        try:
            # Both paths begin at the root, wherever its user stands.
            with chdir(place.root):
                context.invoke(generate, prompt=draft.found[0].path, model=model, out=out, quiet=True)
        except click.exceptions.Exit as done:
            if done.exit_code:
                raise
