"""Early stopping: after each repeat of all cases, can the run end? Then it ends for all slices."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from gate.config.policy import OVERALL, RunPolicy
from gate.engine.arrays import Grid, Slice, Stack, scores, stack, units_of
from gate.engine.compare import FLIPS_BELOW_LEVEL, Quality, Tester, comparison
from gate.record.comparison import Comparison
from gate.record.sample import ArmName
from gate.stats.arrays import BLOCKABLE_UNITS, JointResult
from gate.stats.sequential import FLIPS, Look, Plan, Sequential, sequential_test
from gate.suite import Suite


def why_not(suites: Sequence[Suite], policy: RunPolicy) -> str | None:
    """Why a run cannot stop early; None when it can."""
    if not policy.early_stop:
        return "early stopping is off"
    if not policy.joint:
        return f"early stopping is for the method maxt, not {policy.method}"
    if policy.breakage:
        return "the breakage channel needs all samples of every case"
    able = _able(suites)
    if not able:
        return "no suite that is compared can block"
    if len({suite.samples for suite in able}) > 1:
        return "the suites take different numbers of samples"
    return None if able[0].samples > 1 else "every case is asked only once"


def looks_planned(suites: Sequence[Suite]) -> int:
    """How often a run is looked at if it does not stop early; `why_not` must have no objection."""
    return _able(suites)[0].samples


def needed(suite: Suite, samples: int | None) -> int:
    """Samples per case and arm of one suite; a new prompt, which is judged on its own, takes all of its samples.

    `samples` is the number per case after which the run stopped early; None where it did not.
    """
    return suite.samples if samples is None or suite.baseline is None else min(samples, suite.samples)


def spared(suite: Suite, samples: int | None) -> int:
    """Samples of one suite that early stopping saved; arguments as in `needed`."""
    return len(suite.arms) * len(suite.exam.cases) * (suite.samples - needed(suite, samples))


def lacking(suites: Sequence[Suite], grids: Mapping[str, Grid]) -> bool:
    """Has a sample of a compared suite no score?

    Then all samples are taken: what the missing scores could have changed is known only at the end.
    """
    return any(bool((grids[suite.name].taken & ~grids[suite.name].scored).any()) for suite in _compared(suites))


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks at the samples of a run. The same samples give the same result, in a resumed run as well.

    Args:
        seen: the scores after one repeat, after two, and so on, as far as all samples are there and have a score.
    """

    suites: Sequence[Suite]
    policy: RunPolicy
    seed: int
    grids: Mapping[str, Grid]
    seen: Sequence[Stack]
    ended: Sequential | None

    @property
    def samples(self) -> int | None:
        """Samples per case after which the run stopped early; None where it takes all of them."""
        looked = looks_planned(self.suites) if self.ended is None else self.ended.looked
        return looked if looked < looks_planned(self.suites) else None

    def quality(self, missing: Mapping[ArmName, float] | None = None) -> Quality:
        """Compare every slice at the same look: the one that ended the run, or a last one at all samples.

        `missing` has the score that replaces a missing one, by arm; None leaves missing samples out.
        """
        if self.ended is not None:
            latest, joint = self.seen[self.ended.looked - 1], self.ended.joint
        else:
            latest = _stack(self.suites, self.grids, None, missing)
            joint = _test([*self.seen, latest], self.suites, self.policy, self.seed, last=True).joint
        tester = Tester(latest, self.policy, self.seed)
        rows = tuple((piece, _comparison(tester, piece, joint)) for piece in latest.slices)
        return Quality(rows, joint.family, joint.flips if joint.family else None)


def look(suites: Sequence[Suite], policy: RunPolicy, seed: int, grids: Mapping[str, Grid]) -> Looks:
    """Look at a run after each complete repeat, until a look ends it."""
    # A suite that has no part in the verdict may take more samples: all of them are there at the end.
    repeats = [*range(1, looks_planned(suites)), None]
    complete = list(takewhile(lambda repeat: _complete(suites, grids, repeat), repeats))
    seen = [_stack(suites, grids, repeat) for repeat in complete]
    found = None if not seen or lacking(suites, grids) else _test(seen, suites, policy, seed)
    return Looks(suites, policy, seed, grids, seen, found if found is not None and found.over else None)


def _comparison(tester: Tester, piece: Slice, joint: JointResult) -> Comparison:
    tested = piece.full_name in joint
    result = joint if tested else tester.alone(piece) if piece.rows.size else None
    return comparison(tester, piece, result, tested=tested)


def _compared(suites: Sequence[Suite]) -> list[Suite]:
    return [suite for suite in suites if suite.baseline is not None]


def _able(suites: Sequence[Suite]) -> list[Suite]:
    """The suites that have a part in the verdict and are large enough to block."""
    return [s for s in _compared(suites) if not s.trial and np.unique(units_of(s)).size >= BLOCKABLE_UNITS]


def _complete(suites: Sequence[Suite], grids: Mapping[str, Grid], repeats: int | None) -> bool:
    return all(bool(grids[suite.name].scored[:, :, :repeats].all()) for suite in _compared(suites))


def _stack(
    suites: Sequence[Suite],
    grids: Mapping[str, Grid],
    repeats: int | None,
    missing: Mapping[ArmName, float] | None = None,
) -> Stack:
    compared = _compared(suites)
    return stack(compared, {suite.name: scores(grids[suite.name], missing, repeats) for suite in compared})


def _test(
    seen: Sequence[Stack], suites: Sequence[Suite], policy: RunPolicy, seed: int, *, last: bool = False
) -> Sequential:
    pieces = {piece.full_name: piece for piece in seen[0].slices if not piece.advisory}
    watched = frozenset(name for name, piece in pieces.items() if piece.name == OVERALL)
    return sequential_test(
        [_look(one, pieces.keys()) for one in seen],
        Plan(looks_planned(suites), policy.alpha, watched),
        clusters=seen[0].everyone,
        margin={name: piece.margin for name, piece in pieces.items()},
        flips=max(FLIPS, math.ceil(FLIPS_BELOW_LEVEL / policy.alpha)),
        seed=seed,
        last=last,
    )


def _look(one: Stack, names: Collection[str]) -> Look:
    deltas = np.zeros(len(one.everyone))
    deltas[one.cases] = one.deltas
    return Look(deltas, {piece.full_name: one.cases[piece.rows] for piece in one.slices if piece.full_name in names})
