"""Early stopping: after each repeat of the cases, which slices are settled, and which cases still need samples."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.domain.sample import ArmName
from gate.domain.suite import OVERALL, RunPolicy, Suite
from gate.engine.compare import FLIPS_BELOW_LEVEL, SUSPECT_LEVEL
from gate.engine.grid import Grid
from gate.engine.pairs import scores, units_of
from gate.engine.stack import Slice, Stack, stack
from gate.inputs.slices import members
from gate.stats.course import Plan, Standing
from gate.stats.looks import FLIPS, Look, Looks, joint_looks
from gate.stats.slices import BLOCKABLE_UNITS

Asked = Mapping[str, Mapping[str, int]]
"""Suite to case id to samples per arm."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run with early stopping stands, found by repeating its looks.

    Args:
        asked: samples per arm of each case that the run needs: all that were planned, for cases that are not settled.
        wanted: suite to the cases that need another sample; suites that need none are left out.
        repeats: repeats that were begun, and so looks.
        spared: samples that were planned and are not needed.
        unanswered: `wanted` are cases that have not been answered in the latest of those repeats.
    """

    asked: Asked
    wanted: Mapping[str, frozenset[str]]
    repeats: int
    spared: int
    unanswered: bool = False

    @property
    def over(self) -> bool:
        """No case that is looked at needs another sample."""
        return not self.wanted


def why_not(suites: Sequence[Suite], policy: RunPolicy) -> str | None:
    """Why a run cannot stop early; None when it can.

    Args:
        suites: all of the run.
        policy: of the run.
    """
    if not policy.early_stop:
        return "early stopping is off"
    if not policy.joint:
        return f"early stopping is for the method maxt, not {policy.method}"
    if policy.breakage:
        return "the breakage channel needs all samples of every case"
    able = looked_at(suites)
    if not able:
        return "no suite that is compared can block"
    if len({suite.samples for suite in able}) > 1:
        return "the suites take different numbers of samples"
    return None if able[0].samples > 1 else "every case is asked only once"


def lacking(suites: Sequence[Suite], grids: Mapping[str, Grid]) -> bool:
    """Has a sample that was looked at no score?

    Then all samples are taken, and there is one test at the end. What the missing scores could have done is known only
    there: a look without them may settle a slice that they would have left open.

    Args:
        suites: all of the run.
        grids: samples, by suite.
    """
    return any(bool((grids[s.name].taken & ~grids[s.name].scored).any()) for s in looked_at(suites))


def looked_at(suites: Sequence[Suite]) -> tuple[Suite, ...]:
    """The suites that may stop early: compared, with a part in the verdict, and large enough to block.

    All others take every sample that was planned.
    """
    return tuple(suite for suite in suites if suite.baseline is not None and not suite.trial and _large(suite))


def progress(
    suites: Sequence[Suite],
    policy: RunPolicy,
    seed: int,
    grids: Mapping[str, Grid],
) -> Progress:
    """Repeat the looks of a run over the samples that it has.

    The same samples give the same answer, so that a run that was killed and resumed stops where it would have stopped.

    Args:
        suites: all of the run; `why_not` must have no objection.
        policy: level.
        seed: of the sign flips.
        grids: by suite: samples of one repeat at least, failed ones included.
    """
    last = begun(suites, grids)
    for repeats in range(1, last):
        # A suite may be ahead of the others, by the pairs that are asked side by side.
        found = _progress(suites, policy, seed, grids, repeats)
        if found.over or found.unanswered:
            return found
    return _progress(suites, policy, seed, grids, last)


def _progress(
    suites: Sequence[Suite], policy: RunPolicy, seed: int, grids: Mapping[str, Grid], latest: int
) -> Progress:
    able = looked_at(suites)
    planned = able[0].samples
    found = look(stacks(suites, grids, latest), suites, policy, seed)
    judged = {name: last for name, last in found.looked.items() if found.standing[name] is not Standing.OUTSIDE}
    repeats = max(found.looked.values())
    now = {suite.name: frozenset(case.id for case in suite.exam.cases) for suite in able}
    asked = {name: dict.fromkeys(sorted(ids), 1) for name, ids in now.items()}
    for repeat in range(2, repeats + 1):
        now = _members(suites, {name for name, last in judged.items() if last >= repeat})
        for name, ids in now.items():
            asked[name] |= dict.fromkeys(ids, repeat)
    unanswered = not all(_complete(grids[name], ids, repeats) for name, ids in now.items())
    wanted = now if unanswered else _members(suites, set(found.open))
    for name, ids in wanted.items():
        asked[name] |= dict.fromkeys(ids, planned)
    spared = sum(2 * (planned - count) for counts in asked.values() for count in counts.values())
    return Progress(asked, wanted, repeats, spared, unanswered)


def begun(suites: Sequence[Suite], grids: Mapping[str, Grid]) -> int:
    """How many repeats the suites that are looked at have begun, 1 or more."""
    taken = [np.flatnonzero(grids[suite.name].taken.any(axis=(0, 1))) for suite in looked_at(suites)]
    return 1 + max(int(repeats.max(initial=0)) for repeats in taken)


def stacks(
    suites: Sequence[Suite],
    grids: Mapping[str, Grid],
    repeats: int,
    asked: Asked | None = None,
    missing: Mapping[ArmName, float] | None = None,
) -> list[Stack]:
    """The scores after one repeat, two repeats, and so on; suites that are not looked at have all of theirs each time.

    Args:
        suites: all of the run.
        grids: samples, by suite.
        repeats: how many.
        asked: what the run asked for; None for whatever is there.
        missing: what a missing score is taken for in each arm; None leaves missing samples out.
    """
    compared = [suite for suite in suites if suite.baseline is not None]
    able = {suite.name for suite in looked_at(suites)}
    out = []
    for repeat in range(1, repeats + 1):
        found = {}
        for suite in compared:
            wanted = {} if asked is None or suite.name not in able else asked[suite.name]
            most = np.array([min(repeat, wanted.get(case.id, repeat)) for case in suite.exam.cases], dtype=np.int64)
            found[suite.name] = scores(grids[suite.name], missing, most if suite.name in able else None)
        out.append(stack(compared, found))
    return out


def look(
    seen: Sequence[Stack], suites: Sequence[Suite], policy: RunPolicy, seed: int, *, closing: bool = False
) -> Looks:
    """Look after each repeat at all slices that have a part in the verdict.

    Args:
        seen: from `stacks`.
        suites: all of the run.
        policy: level.
        seed: of the sign flips.
        closing: the run was broken off, so that the latest look is the last.
    """
    able = {suite.name: suite.samples for suite in looked_at(suites)}
    pieces = [piece for piece in seen[0].slices if piece.suite in able and not piece.advisory]
    watched = frozenset(piece.full_name for piece in pieces if piece.name == OVERALL)
    plan = Plan(max(able.values()), policy.alpha, SUSPECT_LEVEL, watched=watched)
    return _test(seen, pieces, plan, seed, closing=closing)


def look_alone(seen: Sequence[Stack], piece: Slice, looks: int, policy: RunPolicy, seed: int) -> Looks:
    """Look at one advisory slice by itself, as often as at the others; it is never given up.

    Args:
        seen: from `stacks`, as many as were looked at.
        piece: the slice.
        looks: planned.
        policy: level.
        seed: of the sign flips.
    """
    return _test(seen, [piece], Plan(looks, policy.alpha, SUSPECT_LEVEL, chance=0.0), seed, closing=False)


def _test(seen: Sequence[Stack], pieces: Sequence[Slice], plan: Plan, seed: int, *, closing: bool) -> Looks:
    names = {piece.full_name for piece in pieces}
    return joint_looks(
        [_look(one, names) for one in seen],
        plan,
        clusters=seen[0].everyone,
        margin={piece.full_name: piece.margin for piece in pieces},
        flips=max(FLIPS, math.ceil(FLIPS_BELOW_LEVEL / plan.alpha)),
        seed=seed,
        closing=closing,
    )


def _look(one: Stack, names: set[str]) -> Look:
    deltas = np.zeros(len(one.everyone))
    deltas[one.cases] = one.deltas
    return Look(deltas, {piece.full_name: one.cases[piece.rows] for piece in one.slices if piece.full_name in names})


def _slices(suites: Sequence[Suite], suite: Suite) -> dict[str, NDArray[np.int64]]:
    """Which cases of one suite are in each of its slices, under their full names."""
    several = sum(one.baseline is not None for one in suites) > 1
    found = members(suite.exam.cases, suite.exam.dimensions)
    return {f"{suite.name}/{name}" if several else name: np.array(rows, dtype=np.int64) for name, rows in found.items()}


def _members(suites: Sequence[Suite], names: set[str]) -> dict[str, frozenset[str]]:
    """The cases of some slices, by suite."""
    out = {}
    for suite in looked_at(suites):
        rows = [row for name, row in _slices(suites, suite).items() if name in names]
        if rows:
            out[suite.name] = frozenset(suite.exam.cases[position].id for row in rows for position in row.tolist())
    return out


def _complete(grid: Grid, ids: frozenset[str], repeats: int) -> bool:
    """Both arms of all of these cases have an answer, or a failure, to the latest repeat."""
    return bool(grid.taken[:, grid.positions(ids), repeats - 1].all())


def _large(suite: Suite) -> bool:
    return np.unique(units_of(suite)).size >= BLOCKABLE_UNITS
