"""Types of options that click does not have."""

import math
from typing import Any

import click


class Share(click.FloatRange):
    """A number in a range; unlike its parent it takes no NaN, which lies in no range and passes every comparison."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found
