"""Quality of a run with early stopping: each slice as it stood when it was settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.domain.comparison import Comparison
from gate.domain.sample import ArmName
from gate.domain.suite import RunPolicy, Suite
from gate.engine.compare import Quality, Tester, comparison
from gate.engine.grid import Grid
from gate.engine.looks import Progress, look, look_alone, looked_at, stacks
from gate.engine.stack import Slice, Stack
from gate.stats.looks import Looks
from gate.stats.slices import BLOCKABLE_UNITS


@dataclass(frozen=True, slots=True)
class _Seen:
    """All that the slices of one run are taken from."""

    suites: Sequence[Suite]
    policy: RunPolicy
    seed: int
    stacks: Sequence[Stack]
    looks: Looks

    def slice(self, position: int) -> tuple[Slice, Comparison]:
        latest = self.stacks[max(self.looks.looked.values()) - 1]
        piece = latest.slices[position]
        tester = Tester(latest, self.policy, self.seed)
        units = latest.unit_count(piece.rows)
        if piece.full_name in self.looks.looked:
            then = self.stacks[self.looks.looked[piece.full_name] - 1]
            own = then.slices[position]
            tested = self.looks.joint[own.full_name].blockable
            result = self.looks.joint if own.rows.size else None
            found = comparison(Tester(then, self.policy, self.seed), own, result, tested=tested)
            return own, found.model_copy(update={"look": self.looks.looked[piece.full_name]})
        if not piece.rows.size:
            return piece, comparison(tester, piece, None, tested=False)
        able = {suite.name: suite.samples for suite in looked_at(self.suites)}
        if piece.suite in able and units >= BLOCKABLE_UNITS:
            seen = self.stacks[: max(self.looks.looked.values())]
            alone = look_alone(seen, piece, able[piece.suite], self.policy, self.seed).joint
        else:
            alone = tester.alone(piece)
        return piece, comparison(tester, piece, alone, tested=False)


def compare_early(  # noqa: PLR0913
    suites: Sequence[Suite],
    policy: RunPolicy,
    seed: int,
    grids: Mapping[str, Grid],
    course: Progress,
    missing: Mapping[ArmName, float] | None = None,
) -> Quality:
    """Compare every slice, with the boundaries of the looks.

    Args:
        suites: all of the run.
        policy: level.
        seed: of the sign flips.
        grids: samples, by suite.
        course: what the run asked for.
        missing: what a missing score is taken for in each arm; None leaves missing samples out.
    """
    # Where the run was broken off, what is missing reaches up to the last look that was planned.
    asked = max(count for counts in course.asked.values() for count in counts.values())
    seen = stacks(suites, grids, course.repeats if missing is None else asked, course.asked, missing)
    looks = look(seen, suites, policy, seed, closing=not course.over)
    latest = _Seen(suites, policy, seed, seen, looks)
    rows = tuple(latest.slice(position) for position in range(len(seen[0].slices)))
    flips = looks.joint.flips if looks.joint.family else None
    return Quality(rows, looks.joint.family, flips, looks=(max(looks.looked.values()), looked_at(suites)[0].samples))
