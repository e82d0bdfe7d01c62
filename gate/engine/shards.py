"""Several shards become one run: they must be of the same evaluation, with the scores of its scorers."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from gate.cases.case import Case
from gate.config.documents import quoted
from gate.config.models import parse_model
from gate.config.policy import Budget
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.config.targets import RoundRule
from gate.engine.evaluate import default_seed
from gate.engine.schedule import Share
from gate.errors import GateError, Problem
from gate.record.findings.unfinished import ShardsIncomplete
from gate.record.shard import Evaluation, FileInputs, GitInputs, ShardRecord, SuiteDigest
from gate.record.transcript import Failed, Part, Sample, Score, Unscored
from gate.resolve.resolved import Resolved
from gate.scoring.interface import SHOWN_FIRST, SHOWN_SECOND, combine_scores, weighted_mean
from gate.scoring.judge import opinion_combiner
from gate.scoring.panel import round_name, score_of_rounds, single_round_rule
from gate.suite import Arm, Suite
from gate.values import digest

_TOLERANCE = 1e-9


def contradiction(sample: Sample, suite: Suite, case: Case) -> str:
    """What in a sample's scores no run of this suite writes, as a part of a sentence; empty where nothing is.

    Scores that agree with one another are believed: nothing seals them.
    """
    specs = suite.exam.scorers_of(case)
    alone = [spec for spec in specs if not spec.comparative]
    both = [spec for spec in specs if spec.comparative and suite.baseline is not None]
    if not sample.scores:
        # It failed, or was cut off before any text came; a suite may have no other scorers than such that compare.
        return "" if isinstance(sample.score, Unscored) else "it has a score, but no scorer has one"
    if isinstance(sample.reply, Failed):
        return "it has scores, but no answer"
    if len(sample.scores) not in (len(alone), len(specs)):
        return f"it has {len(sample.scores)} scores, and {len(specs)} scorers are configured"
    singly = {spec.name for spec in case.round_scorers}
    for spec, score in zip([*alone, *both], sample.scores, strict=False):
        if (score.scorer, score.weight, score.required) != (spec.name, spec.weight, spec.required):
            return f"its score by {quoted(score.scorer)} is not one by the scorer {quoted(spec.name)}"
        rule = suite.exam.conversing.score
        rule = single_round_rule(rule) if spec.name in singly else rule
        if said := _odd(score, spec, _rounds(spec, case), rule):
            return f"its score by {quoted(score.scorer)} {said}"
    if both and len(sample.scores) == len(alone):
        return "" if isinstance(sample.score, Unscored) else "it has a score, but was not compared"
    return "" if _same(sample.score, combine_scores(sample.scores)) else "its score is not what its scores make"


def _rounds(spec: ScorerSpec, case: Case) -> tuple[str, ...]:
    """The rounds that a score is made of; none where it is of one alone, or of the whole conversation."""
    own = spec.name in {one.name for one in case.round_scorers}
    if spec.comparative or (spec.whole and not own):
        return ()
    rounds = [place for place, one in enumerate(case.rounds) if not own or spec.name in {s.name for s in one.scorers}]
    return tuple(map(round_name, rounds)) if len(rounds) > 1 else ()


def _odd(score: Score, spec: ScorerSpec, rounds: Sequence[str], rule: RoundRule) -> str:
    """What is wrong with the parts of one score."""
    parts = score.parts
    if isinstance(score.value, Unscored):
        return "has no value, and parts" if parts else ""
    if spec.comparative and not parts:
        return "" if score.value == 0.5 else "has no parts"
    wanted = [("round", name, 1.0) for name in rounds] + _wanted(spec)
    if [(part.kind, part.name, part.weight) for part in parts] != wanted:
        names = ", ".join(quoted(name) for _, name, _ in wanted)
        return f"is not made of {names}" if names else "has parts"
    if not parts:
        return ""
    # Beside its rounds the other parts of a score are means over them, which need not make the same.
    values = [part.value for part in parts[: len(rounds)]]
    made = score_of_rounds(values, rule, required=spec.required) if rounds else _whole(parts, spec)
    return "" if _same(score.value, made) else "is not what its parts make"


def _wanted(spec: ScorerSpec) -> list[tuple[str, str, float]]:
    """Kind, name and weight of the parts of a score, in their order."""
    if spec.comparative:
        return [("order", name, 1.0) for name in (SHOWN_FIRST, SHOWN_SECOND)]
    rubric = Rubric.of(spec.options).dimensions if spec.kind == "rubric" else ()
    found = [("dimension", one.name, one.weight) for one in rubric]
    return [*found, *(("judge", str(parse_model(name)), 1.0) for name in spec.models)] if _jury(spec) else found


def _jury(spec: ScorerSpec) -> bool:
    return isinstance(spec.options.get("models"), list)


def _whole(parts: Sequence[Part], spec: ScorerSpec) -> float:
    if _jury(spec):
        return opinion_combiner(spec)([part.value for part in parts if part.kind == "judge"])
    return statistics.fmean(part.value for part in parts) if spec.comparative else weighted_mean(tuple(parts))


def _same(one: float | Unscored, other: float | Unscored) -> bool:
    if isinstance(one, Unscored) or isinstance(other, Unscored):
        return isinstance(one, Unscored) and isinstance(other, Unscored)
    return abs(one - other) <= _TOLERANCE


@dataclass(frozen=True, slots=True)
class ShardOptions:
    """The part of the command line that the verdict depends on."""

    inputs: GitInputs | FileInputs
    samples: int | None


@dataclass(frozen=True, slots=True)
class LoadedShard:
    """One shard, with its `shard.json` and the folder that has it."""

    folder: str
    record: ShardRecord


def evaluation(resolved: Resolved, asked: ShardOptions, of: int) -> Evaluation:
    """What the shards of a run must have in common; `resolved` includes the command line's options."""
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
    """The share of a run's budget that one shard may spend: its part of calls and dollars, and all of the minutes.

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


def disagreements(shards: Sequence[LoadedShard]) -> Iterator[Problem]:
    """Why these shards, at least one, do not belong to one run of this program; nothing where they do."""
    usual = Counter(shard.record.identity for shard in shards).most_common(1)[0][0]
    model = next(shard for shard in shards if shard.record.identity == usual)
    for shard in shards:
        if shard.record.identity != usual:
            yield Problem(shard.folder, 0, _difference(shard, model), "merge the shards of one run")
    own, wrote = version("prompt-gate"), model.record.evaluation.tool_version
    if wrote != own:
        hint = "merge with the version that made them"
        yield Problem(model.folder, 0, f"was made by version {quoted(wrote)}, and this is {own}", hint)
    first: dict[int, LoadedShard] = {}
    for shard in (shard for shard in shards if shard.record.identity == usual):
        known = first.setdefault(shard.record.number, shard)
        if known is not shard:
            hint = "name each shard once"
            yield Problem(shard.folder, 0, f"is shard {shard.record.name}, and so is {known.folder}", hint)


def _difference(shard: LoadedShard, model: LoadedShard) -> str:
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
    """What this checkout has and the shards had not, in sentences."""
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


def unfinished(shards: Mapping[int, ShardRecord], of: int) -> ShardsIncomplete | None:
    """Why a run of these shards is incomplete, or None; `of` is how many there should be."""
    missing = [f"{number}/{of}" for number in range(1, of + 1) if number not in shards]
    ended = {shard.name: shard.unfinished.phrase for shard in shards.values() if shard.unfinished}
    return ShardsIncomplete(missing=missing, ended=ended) if missing or ended else None
