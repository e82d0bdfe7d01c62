"""How many answers of one arm pass, slice by slice, and whether that is good enough."""

from enum import StrEnum

from gate.domain.ranges import Amount, Count, RecordPart, Share


class PassState(StrEnum):
    """What the pass rate of one slice shows against the rate that is wanted."""

    MISSED = "missed"
    UNPROVEN = "unproven"
    MET = "met"
    TOO_FEW = "too_few"
    NO_THRESHOLD = "no_threshold"


class PassRate(RecordPart):
    """The pass rate of one slice.

    Args:
        slice: `overall` or `dimension=value`, without the suite.
        n: cases with at least one scored sample.
        units: independent units (cases, or clusters).
        passed: sum over the cases of the share of their samples that pass.
        rate: passed / n, in [0, 1]; None when n is 0.
        lower, upper: its interval; None when n is 0.
        wanted: the rate that the policy asks for; None where it asks for none.
        state: what it shows.
        doubtful: unproven where that matters: the policy names the slice, or it is `overall`, or the rate falls short.
        blocking: belongs to the slices that are judged together and can block.
        advisory: shown by the user's wish, never blocks.
    """

    slice: str
    n: Count
    units: Count
    passed: Amount
    rate: Share | None
    lower: Share | None
    upper: Share | None
    wanted: Share | None
    state: PassState
    doubtful: bool
    blocking: bool
    advisory: bool = False

    @classmethod
    def of_none(cls, slice: str, wanted: float | None, *, advisory: bool) -> "PassRate":  # noqa: A002 the record's word
        """Of a slice without a scored case."""
        return cls(
            slice=slice,
            n=0,
            units=0,
            passed=0.0,
            rate=None,
            lower=None,
            upper=None,
            wanted=wanted,
            state=PassState.TOO_FEW,
            doubtful=False,
            blocking=False,
            advisory=advisory,
        )
