"""The output of `gate init`: lines that fit on a screen, or JSON."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from gate.cases.losses import kinds
from gate.git.places import Place
from gate.prompts.discovery import PassedFile
from gate.record.comparison import FEWEST_UNITS
from gate.scaffold.files import ACTION, CONFIG, LOSSES, WORKFLOW, keys_of
from gate.scaffold.models import KEYS
from gate.scaffold.proposal import Proposal
from gate.scaffold.repository import InitOutcome
from gate.scaffold.search import Candidate, RepositoryFindings
from gate.scaffold.suites import SuiteDraft, expects
from gate.values import JsonValue, counted, listed

SCHEMA = "prompt-gate/init/2"
LISTED = 12
"""Prompts to choose from."""
_SUITES, _LEFT, _NOTES, _NEXT = 6, 5, 3, 3
"""Lines of each kind, so that all fit on a screen."""
_RANGES = re.compile(r"\s*\d{1,6}(?:\s*-\s*\d{1,6})?(?:\s*[,\s]\s*\d{1,6}(?:\s*-\s*\d{1,6})?)*\s*")


@dataclass(frozen=True, slots=True)
class InitReport:
    """Everything that `gate init` found and did.

    Args:
        seen: all prompts that were found.
        named: the user chose the prompts.
        unexamined: prompts that an existing configuration does not have.
        ungenerated: prompts for which no cases could be drafted.
    """

    place: Place
    seen: RepositoryFindings
    proposal: Proposal
    outcome: InitOutcome
    named: bool
    dry: bool
    unexamined: tuple[str, ...] = ()
    ungenerated: tuple[PassedFile, ...] = ()

    @property
    def left(self) -> tuple[PassedFile, ...]:
        """Prompts and data files that cannot be used."""
        return (*self.proposal.left, *self.seen.left, *self.ungenerated)

    @property
    def rest(self) -> int:
        """Number of prompts that were not chosen."""
        return len(self.seen.candidates) - len({draft.candidate for draft in self.proposal.drafts})

    @property
    def forms(self) -> list[str]:
        """Case files to fill in."""
        return [one.cases for one in self.proposal.drafts if one.form and one.cases in self.outcome.written]


def candidate_lines(seen: RepositoryFindings) -> list[str]:
    """A numbered list of prompts, likeliest first."""
    shown = seen.candidates[:LISTED]
    lines = [f"Found {_prompts(seen)} in {counted(seen.looked, 'file')}, likeliest first:"]
    lines += [f"  {number:>2}  {_shown(one.path)}  ({_about(one)})" for number, one in enumerate(shown, 1)]
    more = len(seen.candidates) - len(shown)
    return lines + ([f"      and {more:,} more; list them with: gate init --json --dry-run"] if more else [])


def picked(said: str, most: int) -> list[int]:
    """The indexes, from 0, of `1, 3-5` or `all`; empty if it is neither."""
    if said.strip().lower() == "all":
        return list(range(most))
    if not _RANGES.fullmatch(said):
        return []
    found: dict[int, None] = {}
    for first, last in re.findall(r"(\d+)(?:\s*-\s*(\d+))?", said):
        start, end = int(first), int(last or first)
        if not 1 <= start <= end <= most:
            return []
        found |= dict.fromkeys(range(start - 1, end))
    return list(found)


def report_lines(report: InitReport) -> list[str]:
    """What was written, what was skipped and why, and the next steps."""
    lines = [*_gated(report), *_written(report), *_left(report.left), *_notes(report)[:_NOTES]]
    steps = next_steps(report)
    return lines + (["", "Next:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))] if steps else [])


def _gated(report: InitReport) -> Iterator[str]:
    drafts = report.proposal.drafts
    if report.outcome.looked is None or not drafts:
        return
    verb = "Would set up" if report.dry else "Set up"
    if report.named:
        yield f"{verb} {counted(len(drafts), 'prompt')}:"
    else:
        chosen = len({draft.candidate for draft in drafts})
        suites = f" as {len(drafts)} suites" if len(drafts) != chosen else ""
        yield f"{verb} {chosen} of {_prompts(report.seen)}{suites}, found in {counted(report.seen.looked, 'file')}:"
    yield from (f"  {_suite(one)}" for one in drafts[:_SUITES])
    if len(drafts) > _SUITES:
        yield f"  and {len(drafts) - _SUITES:,} more"
    if report.rest and not report.named:
        yield "Order: prompts used by code, with data, or long; tests, examples and docs last."
        yield f"For the other {report.rest:,}: gate init --all, or --prompt PATH. List: gate init --json --dry-run."


def _suite(one: SuiteDraft) -> str:
    scored = (
        "compared with the expected answers"
        if expects(one)
        else "scored by a judge"
        if one.criteria
        else "with its own scorers"
    )
    source = "the prompt file" if one.source == one.prompt else _shown(one.source, 40)
    cases = "empty case file" if one.form else f"{counted(one.count, 'case')} from {source}"
    return f"{_shown(one.prompt, 64)}: {cases}; {scored}"


def _written(report: InitReport) -> Iterator[str]:
    written, kept = report.outcome.written, report.outcome.kept
    verb = "Would write" if report.dry else "Wrote"
    head = [path for path in written if not path.startswith("evals/")]
    others = len(written) - len(head)
    if written:
        names = [*head, *([f"{counted(others, 'file')} in evals"] if others else [])]
        yield f"{verb} {listed(names, most=4)}."
    if WORKFLOW in written and report.proposal.layout.action == ACTION:
        yield f"In {WORKFLOW}, replace OWNER/prompt-gate with your copy of the action."
    if report.outcome.looked is None and kept:
        unknown = report.unexamined
        yield f"{kept[0]} exists already; gate init changes no existing file."
        if unknown:
            yield f"It has no suite for {listed(unknown)}. Add one, or delete the file and run gate init again."
        if not written:
            yield "Nothing was written. Check the existing files: gate validate"
    elif kept and report.proposal.drafts:
        yield f"Unchanged, because they exist: {listed(kept)}."


def _left(left: Sequence[PassedFile]) -> Iterator[str]:
    paths: dict[str, list[str]] = {}
    for one in left:
        paths.setdefault(one.reason, []).append(_shown(one.path))
    if left:
        yield "Skipped:"
        yield from (f"  {_shown(reason, 110)}: {listed(paths[reason], 1)}" for reason in list(paths)[:_LEFT])
    if more := sum(map(len, list(paths.values())[_LEFT:])):
        yield f"  and {more:,} more; list them with: gate init --json"


def _notes(report: InitReport) -> list[str]:
    proposal, notes = report.proposal, []
    for path, losses in proposal.losses.items():
        notes.append(f"{path}: {counted(len(losses), 'setting')} could not be converted exactly; see {LOSSES}")
        notes += [f"  {one.places[0]}: {_shown(one.what, 120)}" for one in kinds(losses)[:1]]
    if proposal.unjudged:
        count = counted(proposal.unjudged, "judge")
        notes.append(f"{count} left out: the local model is too small to judge, and no other model has a key")
    braces = [
        (one.prompt.path, one.prompt.braces[0])
        for one in report.proposal.candidates
        if one.prompt and one.prompt.braces
    ]
    if braces:
        path, name = braces[0]
        notes.append(
            f"{path} has {{{name}}}, which is sent to the model unchanged; in a template, write {{{{ {name} }}}}"
        )
    return notes


def next_steps(report: InitReport) -> list[str]:
    """At most three next steps, each a command or a sentence."""
    proposal, outcome, place = report.proposal, report.outcome, report.place
    if report.dry or outcome.looked is None:
        return []
    layout = proposal.layout
    config = [] if layout.config == CONFIG else ["--config", layout.config]
    steps = []
    if report.forms:
        steps.append(
            f"Write cases in {listed(report.forms, 1)}; "
            f"a prompt needs at least {FEWEST_UNITS} before the gate can block."
        )
    keys = keys_of(proposal.drafts, layout.models)
    if missing := [key for key in keys if key not in {KEYS[name] for name in layout.models.served}]:
        steps.append("; ".join(f"export {key}=…" for key in missing))
    start = f"git init -b {layout.branch} && " if place.repo is None else ""
    words = shlex.join(["gate", "diff", "--base", layout.branch, *config])
    steps.append(f"{start}git add -A && git commit -m 'Add Prompt Gate', change a prompt, then: {words}")
    if len(steps) < _NEXT and keys and WORKFLOW in outcome.written:
        steps.append("; ".join(f"gh secret set {key}" for key in keys))
    return steps[:_NEXT]


def init_document(report: InitReport) -> dict[str, JsonValue]:
    """All of it."""
    proposal, outcome = report.proposal, report.outcome
    models = proposal.layout.models
    return {
        **found_document(report.seen),
        "left_out": [{**asdict(one)} for one in report.left],
        "losses": {path: [{**asdict(one)} for one in losses] for path, losses in proposal.losses.items()},
        "dry_run": report.dry,
        "written": [*outcome.written],
        "kept": [*outcome.kept],
        "unexamined": [*report.unexamined],
        "model": models.answering,
        "judge": models.judge,
        "keys": [*keys_of(proposal.drafts, models)],
        "suites": [_suite_document(one) for one in proposal.drafts],
        "next": [*next_steps(report)],
    }


def _suite_document(one: SuiteDraft) -> dict[str, JsonValue]:
    return {
        "name": one.name,
        "prompt": one.prompt,
        "cases": one.cases,
        "count": one.count,
        "source": one.source,
        "fill_in": one.form,
        "scorers": [*one.scorers],
        "criteria": one.criteria,
    }


def found_document(seen: RepositoryFindings) -> dict[str, JsonValue]:
    """What was found, if nothing is written."""
    return {
        "schema": SCHEMA,
        "files": seen.looked,
        "found": [
            {
                "path": one.path,
                "characters": one.chars,
                "variables": [*one.prompt.variables] if one.prompt else [],
                "used": one.used,
                "data": one.data,
                "aside": one.aside,
            }
            for one in seen.candidates
        ],
        "left_out": [{**asdict(one)} for one in seen.left],
    }


def _prompts(seen: RepositoryFindings) -> str:
    return counted(len(seen.candidates), "prompt")


def _about(one: Candidate) -> str:
    facts = [f"{one.chars:,} characters"] if one.chars else []
    facts += ["has cases"] if one.bundle is not None and one.data else ["has data"] if one.data else []
    facts += ["used by code"] if one.used else []
    facts += [f"in {one.aside}"] if one.aside else []
    return ", ".join(facts) or "configuration"


def _shown(text: str, most: int = 70) -> str:
    """One line, cut in the middle."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most // 2 - 1]}…{line[-(most - most // 2) :]}"
