"""Cost and latency of one arm alone: figures without a comparison."""

from collections.abc import Sequence

import numpy as np

from gate.domain.comparison import ArmAxis
from gate.domain.sample import Reply
from gate.domain.usage import Dollars, Usage
from gate.stats.quantiles import quantile


def cost_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Dollars per call, where the price of every call is known; and the tokens."""
    known = [reply.cost.amount for reply in replies if isinstance(reply.cost, Dollars)]
    usage = sum((reply.usage for reply in replies), Usage())
    return _figures(known if len(known) == len(replies) else [], usage)


def latency_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Seconds per call, over the calls whose time means something."""
    return _figures([reply.latency_s for reply in replies if reply.latency_s is not None and reply.latency_s > 0], None)


def _figures(calls: Sequence[float], usage: Usage | None) -> ArmAxis:
    if not calls:
        return ArmAxis(usage=usage)
    values = np.array(calls, dtype=np.float64)
    return ArmAxis(mean=float(values.mean()), p50=quantile(values, 0.5), p95=quantile(values, 0.95), usage=usage)
