"""`calibration.json`, schema `prompt-gate/calibration/1`: what an A/A run says about the noise of an eval set.

Scores and standard deviations are on the scale of 0 to 1. A bound of `null` is infinite.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class RateRecord(_Model):
    """A measured probability and its Monte Carlo standard error."""

    rate: float
    error: float


class FalseBlocksRecord(_Model):
    """How often either rule blocked when there was nothing to find.

    Args:
        joint, familiar: the joint test, and the percentile bootstrap of each slice on its own.
        promised: the level of the joint test.
        slices: tested together.
        replicates: simulated runs.
    """

    joint: RateRecord
    familiar: RateRecord
    promised: float
    slices: int
    replicates: int


class DriftRecord(_Model):
    """Mean delta of all cases with its interval; `shown` when zero lies outside."""

    mean: float
    lower: float | None
    upper: float | None
    shown: bool


class ChoiceRecord(_Model):
    """What one choice of samples and cases would cost and show.

    Args:
        samples: k.
        cases: n.
        calls: answers and judgements of both arms.
        best, worst: smallest fall of all cases together that shows with 80 % power; null where none does.
    """

    samples: int
    cases: int
    calls: int
    best: float | None
    worst: float | None


class SuiteCalibration(_Model):
    """One suite.

    Args:
        same_arms: both arms were the same prompt, model and parameters.
        cases, units, samples: n, independent units, k; of the cases that have all of their scores.
        left_out: cases without all of their scores.
        tau, sigma: noise between cases and within one; null where they cannot be told apart.
        sd: standard deviation of the deltas; null with one case.
        varied: any score differed; otherwise `sd` is 0, and says nothing about a change.
        ties: share of cases whose delta is 0.
        always_right: share of cases with full marks in every sample of both arms.
        drift: of the candidate, which is the baseline again.
        fell: slices that the run itself called a regression.
        choices: samples and cases to choose from.
        advice: which of them, in sentences.
    """

    name: str
    same_arms: bool
    cases: int
    units: int
    samples: int
    left_out: int
    tau: float | None
    sigma: float | None
    sd: float | None
    varied: bool
    ties: float
    always_right: float
    drift: DriftRecord
    fell: list[str]
    choices: list[ChoiceRecord]
    advice: list[str]


class CalibrationRecord(_Model):
    """The whole calibration.

    Args:
        unfinished: what has no score; empty otherwise.
        false_blocks: null where no slice can block, and where the run is too large to be resampled.
        not_resampled: that it is too large; empty otherwise.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/calibration/1"] = Field(default="prompt-gate/calibration/1", alias="schema")
    tool_version: str
    created: str
    seed: int
    unfinished: str
    false_blocks: FalseBlocksRecord | None
    not_resampled: str = ""
    suites: list[SuiteCalibration]
    notes: list[str]


def dump(record: CalibrationRecord) -> str:
    """The text of `calibration.json`."""
    return record.model_dump_json(by_alias=True, indent=2) + "\n"
