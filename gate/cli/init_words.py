"""What `gate init` says: what it found, what it wrote, what comes next."""

import shlex

from gate.bootstrap.places import Place
from gate.bootstrap.scaffolding import Outcome
from gate.domain.verdict import FEWEST_UNITS
from gate.domain.words import counted
from gate.errors import GateError
from gate.flows.scaffold.finding import MOVE
from gate.flows.scaffold.judges import self_judged
from gate.flows.scaffold.models import KEYS, PACKAGED, USUAL, Models
from gate.flows.scaffold.proposing import Proposal, Seen
from gate.flows.scaffold.starting import STARTERS
from gate.flows.scaffold.writing import ACTION, CONFIG, WORKFLOW, judged, keys_of
from gate.inputs.models import parse_model
from gate.providers.packaged import packaged_parts
from gate.testgen.compile.language import CODES

SHOWN = 10
"""Entries of a list that are spelled out."""
LANGUAGE_NAMES = {code: name.title() for name, code in CODES.items()}
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
            what = "it goes to the model as it stands" if len(one.braces) == 1 else "they go to the model as they stand"
            lines.append(f"note: {one.path} has {names}, and {what}: a template has {{{{ name }}}}")
    for constant in seen.constants[:SHOWN]:
        lines.append(f"in code: {constant.where}: {constant.name} ({constant.chars:,} characters)")
    if len(seen.constants) > SHOWN:
        lines.append(f"and {len(seen.constants) - SHOWN} more in code")
    remedies = [MOVE] * bool(seen.constants) + [one.remedy for one in seen.left if one.remedy]
    lines += [f"  {remedy}" for remedy in dict.fromkeys(remedies)]
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
        lines += [*_self_judged(proposal), *_unjudged(proposal), *_in_languages(proposal)]
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


def next_steps(place: Place, proposal: Proposal, outcome: Outcome, again: str = "gate init") -> list[str]:
    """What to type now.

    Args:
        place: the repository.
        proposal: the suites.
        outcome: what was written.
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
        if any(map(judged, proposal.drafts)):
            lines.append("A judge of its size would be worth nothing: it stands in gate.yaml as a comment.")
    return lines


def _without_key(proposal: Proposal, outcome: Outcome, again: str) -> list[str]:
    """How to try it with the local model: what names a hosted one is written anew."""
    asking = {proposal.layout.config, WORKFLOW, *(draft.cases for draft in proposal.drafts)}
    paths = [path for path in outcome.written if path in asking]
    gone = f"rm {shlex.join(paths)}" if len(paths) <= SHOWN else "remove what was written"
    return ["", "Without a key, to try it with the local model:", f"  {gone}", f"  {again} --model {PACKAGED}"]


def _too_few(outcome: Outcome, models: Models) -> list[str]:
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
