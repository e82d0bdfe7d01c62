"""Types of options that click does not have."""

import math
import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gate.engine import schedule

MOST_SHARDS = 1000
"""As in `gate.record.shard`, which is not needed for help."""


class Share(click.FloatRange):
    """A number in a range; unlike its parent it takes no NaN, which lies in no range and passes every comparison."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


class Shard(click.ParamType["schedule.Share"]):
    """`3/10`: the third of ten parts of a run."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "schedule.Share":
        from gate.engine.schedule import Share

        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", str(value))
        if match is None:
            self.fail(f"{value!r} is not N/M; write 3/10 for the third of ten shards", param, ctx)
        number, of = int(match[1]), int(match[2])
        if not 1 <= of <= MOST_SHARDS:
            self.fail(f"a run has 1 to {MOST_SHARDS:,} shards, and not {of:,}", param, ctx)
        if not 1 <= number <= of:
            self.fail(f"shards are numbered from 1, so {number} of {of} is none", param, ctx)
        return Share(number, of)
