"""What `gate init` says: what it found, what it wrote, what comes next."""

import shlex
from collections.abc import Sequence

from gate.bootstrap.places import Place
from gate.bootstrap.scaffolding import Outcome
from gate.domain.verdict import FEWEST_UNITS
from gate.domain.words import counted
from gate.errors import GateError
from gate.flows.scaffold.models import KEYS, USUAL
from gate.flows.scaffold.proposing import Proposal, Seen
from gate.flows.scaffold.writing import ACTION, CONFIG, WORKFLOW, judged, keys_of, self_judged
from gate.inputs.models import parse_model
from gate.providers.packaged import packaged_parts

SHOWN = 10
"""Entries of a list that are spelled out."""
NAMED = 3
"""Files that are named where one would do."""
_LOCAL = (
    "The local model is a small base model: it continues texts, and follows examples rather than instructions. It",
    "shows how the gate works. For a verdict on a prompt that is made for a larger model set OPENAI_API_KEY or",
    "ANTHROPIC_API_KEY, and change `model` in gate.yaml.",
)


def told_found(seen: Seen) -> list[str]:
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
            lines.append(f"note: {one.path} has {names}: single braces stay as they are; a template has {{{{ name }}}}")
    for constant in seen.constants[:SHOWN]:
        lines.append(f"in code: {constant.where}: {constant.name} ({constant.chars:,} characters)")
    if len(seen.constants) > SHOWN:
        lines.append(f"and {len(seen.constants) - SHOWN} more in code")
    if seen.constants:
        lines.append(
            "  The gate compares files: move such a text into one that your code reads. A Python function that"
        )
        lines.append("  returns it can be a prompt, too, as python:package.module:function.")
    return lines


def told_outcome(outcome: Outcome, proposal: Proposal, *, dry: bool) -> list[str]:
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
        lines += _self_judged(proposal)
        lines += [f"note: {one.unread}" for one in suites if one.unread][:NAMED]
    return lines


def _self_judged(proposal: Proposal) -> list[str]:
    """Judges that another tool's file brought, and that are left to whoever answers."""
    found = [draft for draft in proposal.drafts if self_judged(draft)]
    if not found:
        return []
    models = ", ".join(dict.fromkeys(draft.model or proposal.layout.models.answering for draft in found))
    return [
        f"note: the judges of {_few([draft.name for draft in found], NAMED)} name no model that the gate can ask, so "
        f"the one that answers judges itself, {models}; name a better one: gate init --judge MODEL",
    ]


def next_steps(place: Place, proposal: Proposal, outcome: Outcome, present: Sequence[str] = ()) -> list[str]:
    """What to type now.

    Args:
        place: the repository.
        proposal: the suites.
        outcome: what was written.
        present: services whose key is set.
    """
    layout = proposal.layout
    starters = [draft.cases for draft in proposal.drafts if draft.starter and draft.cases in outcome.written]
    lines = ["", "Next:"]
    if starters:
        lines.append(f"  Put real cases in the place of the starter cases in {_few(starters, NAMED)}.")
    lines += _too_few(outcome)
    if place.repo is None:
        lines.append(f"  git init -b {layout.branch}")
    commit = "git add -A && git commit -m 'Gate the prompts'"
    words = ["gate", "diff", "--base", layout.branch, *(["--config", layout.config] if layout.config != CONFIG else [])]
    keys = keys_of(proposal.drafts, layout.models)
    missing = [key for key in keys if key not in {KEYS[name] for name in present}]
    exports = [f"  export {key}=…" for key in missing]
    lines += [f"  {commit}", f"  edit {_edited(proposal)}", *exports, f"  {shlex.join(words)}"]
    if WORKFLOW in outcome.written:
        if layout.action == ACTION:
            lines.append(f"  {WORKFLOW}: put your copy of the action, with its commit, in the place of OWNER/…")
        lines += [f"  gh secret set {key}" for key in keys]
    if missing and not any(draft.starter for draft in proposal.drafts):
        lines += ["", "Without a key, to try it: rm gate.yaml, and gate init --model local:gemma3-270m."]
    if layout.models.packaged:
        lines += ["", *_LOCAL, *_missing_model()]
        if any(map(judged, proposal.drafts)):
            lines.append("A judge of its size would be worth nothing: it stands in gate.yaml as a comment.")
    return lines


def _too_few(outcome: Outcome) -> list[str]:
    """Suites that can block nothing yet, and how they get there."""
    few = [one for one in outcome.looked.suites if one.count < FEWEST_UNITS] if outcome.looked is not None else []
    if not few:
        return []
    first = few[0]
    others = f", and {counted(len(few) - 1, 'other suite')} as few" if len(few) > 1 else ""
    least = f"{FEWEST_UNITS} are the least that can block: add some"
    few_of = f"  {first.cases} has {counted(first.count, 'case')}{others}; {least}"
    # The packaged model is too small to draft anything.
    model = first.model if parse_model(first.model).provider in KEYS else USUAL["openai"]
    return [f"{few_of},", f"    or have a model draft them: gate generate {first.prompt} --model {model}"]


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
    return first.found[0].path if first.found else first.prompt


def _few(names: list[str], most: int = SHOWN) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
