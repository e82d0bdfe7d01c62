"""Several shards are one run only if they evaluated the same thing with the same program, each its own share."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from gate.config.policy import Budget
from gate.domain.jsonvalue import digest
from gate.domain.shard import Evaluation, FileInputs, GitInputs, ShardRecord, SuiteDigest
from gate.domain.suite import Arm, Suite
from gate.engine.plan import Share
from gate.errors import GateError, Problem
from gate.flows.evaluate import default_seed
from gate.flows.resolved import Resolved
from gate.inputs.problems import quoted

LISTED = 8
"""Shards that a sentence names before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asked for, as far as the verdict depends on it.

    Args:
        inputs: which versions are compared.
        samples: of each case, before what the files say; None where nothing was said.
    """

    inputs: GitInputs | FileInputs
    samples: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """One shard.

    Args:
        folder: where it was found.
        record: its `shard.json`.
    """

    folder: str
    record: ShardRecord


def evaluation(resolved: Resolved, asked: Asked, of: int) -> Evaluation:
    """What the shards of a run must have in common.

    Args:
        resolved: what there is to evaluate, the options of the command line included.
        asked: what was asked for.
        of: number of shards.
    """
    return Evaluation(
        tool_version=version("prompt-gate"),
        of=of,
        seed=default_seed(resolved),
        inputs=asked.inputs,
        samples=asked.samples,
        policy=digest(resolved.policy.model_dump(mode="json")),
        suites=[_suite(suite) for suite in resolved.suites],
    )


def _suite(suite: Suite) -> SuiteDigest:
    return SuiteDigest(
        name=suite.name,
        baseline=None if suite.baseline is None else _arm(suite.baseline),
        candidate=_arm(suite.candidate),
        exam=digest([suite.exam.digest, suite.own_exam, suite.trial]),
        samples=suite.samples,
    )


def _arm(arm: Arm) -> str:
    version = arm.version
    return digest([version.path, version.sha, version.prompt.digest, str(arm.model), arm.params.changed()])


def part_of(budget: Budget, share: Share) -> Budget:
    """The part of a run's budget that one shard may spend: its part of calls and dollars, and all of the minutes.

    The parts add up to the whole, so that the run keeps its budget wherever its shards run.

    Raises:
        GateError: fewer calls than shards.
    """
    calls = budget.max_calls
    if calls is not None:
        if calls < share.of:
            hint = "raise budget.max_calls, or make fewer shards"
            raise GateError(f"a budget of {calls} calls cannot be divided among {share.of} shards", hint)
        calls = calls // share.of + (share.number <= calls % share.of)
    usd = None if budget.max_usd is None else budget.max_usd / share.of
    return budget.model_copy(update={"max_calls": calls, "max_usd": usd})


def disagreements(shards: Sequence[Found]) -> Iterator[Problem]:
    """Why these are not the shards of one run of this program; nothing where they are.

    Args:
        shards: at least one.
    """
    usual = Counter(shard.record.identity for shard in shards).most_common(1)[0][0]
    model = next(shard for shard in shards if shard.record.identity == usual)
    for shard in shards:
        if shard.record.identity != usual:
            yield Problem(shard.folder, 0, _difference(shard, model), "merge the shards of one run")
    own, wrote = version("prompt-gate"), model.record.evaluation.tool_version
    if wrote != own:
        hint = "merge with the version that made them"
        yield Problem(model.folder, 0, f"was made by version {quoted(wrote)}, and this is {own}", hint)
    first: dict[int, Found] = {}
    for shard in (shard for shard in shards if shard.record.identity == usual):
        known = first.setdefault(shard.record.number, shard)
        if known is not shard:
            hint = "name each shard once"
            yield Problem(shard.folder, 0, f"is shard {shard.record.name}, and so is {known.folder}", hint)


def _difference(shard: Found, model: Found) -> str:
    ours, theirs = shard.record.evaluation, model.record.evaluation
    what = "something else"
    for name, said in _ASPECTS.items():
        if getattr(ours, name) != getattr(theirs, name):
            what = said(ours) if ours.inputs.mode == theirs.inputs.mode else "other inputs"
            break
    return f"is a shard of another run than {model.folder}: {what}"


def _inputs(one: Evaluation) -> str:
    if isinstance(one.inputs, FileInputs):
        return "other files or models"
    head = "the working tree" if one.inputs.head is None else one.inputs.head.sha[:12]
    return f"another commit, or other options: {one.inputs.base.sha[:12]} against {head}"


_ASPECTS: Mapping[str, Callable[[Evaluation], str]] = {
    "tool_version": lambda one: f"another version of the program, {quoted(one.tool_version)}",
    "of": lambda one: f"it is one of {one.of}",
    "inputs": _inputs,
    "samples": lambda one: "another number of samples",
    "seed": lambda one: "another seed",
    "policy": lambda one: "another policy",
    "suites": lambda one: "other prompts, models, cases or scorers",
}


def changed(before: Evaluation, now: Evaluation) -> Iterator[str]:
    """What this checkout has, and the shards had not, in sentences.

    Args:
        before: what the shards evaluated.
        now: what there is to evaluate here.
    """
    if before.seed != now.seed:
        yield "the seed is not the one that follows from the base commit"
    if before.policy != now.policy:
        yield "the policy of the run is another one here"
    old, new = ({suite.name: suite for suite in one.suites} for one in (before, now))
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield f"suite {quoted(name)} is not evaluated here"
        elif name not in old:
            yield f"suite {quoted(name)} was not evaluated by the shards"
        elif old[name] != new[name]:
            keys = ("baseline", "candidate", "exam", "samples")
            what = [key for key in keys if getattr(old[name], key) != getattr(new[name], key)]
            yield f"suite {quoted(name)} has another {' and '.join(what)} here"


def unfinished(shards: Mapping[int, ShardRecord], of: int) -> str | None:
    """Why a run of these shards is not whole, or None.

    Args:
        shards: by number, those that are there.
        of: how many there should be.
    """
    missing = [f"{number}/{of}" for number in range(1, of + 1) if number not in shards]
    parts = [f"{_listed('shard', missing)} missing"] if missing else []
    early = [shard for shard in shards.values() if shard.unfinished]
    parts += [f"shard {shard.name} ended early: {shard.unfinished}" for shard in early[:LISTED]]
    if more := max(0, len(early) - LISTED):
        parts.append(f"and {more} more shard{'s' * (more > 1)} ended early")
    return "; ".join(parts) or None


def _listed(what: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{what} {names[0]} is"
    more = len(names) - LISTED
    return f"{what}s {', '.join(names[:LISTED])}{f' and {more} more' if more > 0 else ''} are"
