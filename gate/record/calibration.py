"""`calibration.json` and `judge-calibration.json`: how noisy an eval set is, and how far a judge agrees with people."""

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from gate.values import Amount, Count, Share, complaint


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class RateRecord(_Model):
    """A measured probability and its Monte Carlo standard error."""

    rate: float
    error: float


class FalseBlocksRecord(_Model):
    """How often either rule blocked when there was nothing to find.

    Args:
        joint, familiar: the joint test, and the percentile bootstrap of each slice separately.
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
    """Mean delta of all cases with its interval.

    Args:
        baseline: mean score.
        lower, upper: null where infinite.
        shown: zero lies outside of the interval.
        undetected: where no case changed, the largest share of all cases that may change; else null.
    """

    baseline: float
    mean: float
    lower: float | None
    upper: float | None
    shown: bool
    undetected: float | None


class ChoiceRecord(_Model):
    """What one choice of samples and cases would cost and show.

    Args:
        samples: k.
        cases: n.
        calls: answers and judgements of both arms.
        best, worst: smallest drop of all cases together that can be detected with 80 % power; null where none does.
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
        tau, sigma: noise between cases and within one; null where they cannot be separated.
        sd: standard deviation of the deltas; null with one case.
        varied: any score differed; otherwise `sd` is 0, which means nothing for a change.
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


SCHEMA = "prompt-gate/judge-calibration/1"
FILE = "judge-calibration.json"

Moment: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}[T0-9:.+Z-]{0,30}$")]
"""When something was measured; the day comes first."""


class _JudgeModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


class FigureRecord(_JudgeModel):
    """A figure with its interval.

    Args:
        value, lower, upper: the estimate and its bounds.
    """

    value: float
    lower: float
    upper: float


class ShareRecord(FigureRecord):
    """A share with its interval; one from outside is checked to be one."""

    value: Share
    lower: Share
    upper: Share

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.lower - 1e-9 <= self.value <= self.upper + 1e-9:
            raise PydanticCustomError("bounds", "the share does not lie between its bounds")
        return self


class NoFigure(_JudgeModel):
    """Why there is no figure."""

    reason: str


MaybeFigure: TypeAlias = FigureRecord | NoFigure


class JudgeIdentity(_JudgeModel):
    """Whom the calibration is about.

    Args:
        name: of the scorer.
        kind: of the scorer.
        models: who judges, as `provider:name`; empty for a deterministic scorer.
        threshold: a score of at least this is a pass.
        digest: SHA-256 of everything that can change a judgement: options, models, parameters, the gate's own
            templates.
        options: what was digested, for the reader.
    """

    name: str
    kind: str
    models: list[str]
    threshold: float
    digest: str
    options: dict[str, Any]

    @property
    def scale(self) -> tuple[float, float]:
        """Both ends of a rubric's scale; 0 and 1 of every other scorer."""
        found = self.options.get("scale")
        ends = found if self.kind == "rubric" and isinstance(found, list) and len(found) == 2 else [0.0, 1.0]
        return float(ends[0]), float(ends[1])

    def told(self, share: float) -> str:
        """A score in [0, 1] as people read it: `0.70`, or `3.5 of 5` on a rubric's scale."""
        return on_scale(share, self.scale)


def on_scale(share: float, scale: tuple[float, float]) -> str:
    """A figure in [0, 1] as people read it: `0.70`, or `3.5 of 5` on another scale."""
    low, high = scale
    if scale == (0.0, 1.0):
        return f"{share:.3f}".removesuffix("0")
    return f"{low + share * (high - low):.2f}".removesuffix("0") + f" of {high:g}"


class LabelsRecord(_JudgeModel):
    """What the judge was measured against.

    Args:
        file: as the user named it.
        digest: SHA-256 of its text.
        answers: labelled ones.
        units: independent ones; answers to one question, or of one cluster, count as one.
        people: the most labels that one answer has.
        graded: grades, and not pass or fail.
        low, high: the scale of the grades.
        passing: share of the labels that pass, a grade of at least the threshold being a pass.
    """

    file: str
    digest: str
    answers: Count
    units: Count
    people: Count
    graded: bool
    low: float
    high: float
    passing: float


class JudgingRecord(_JudgeModel):
    """What the judging took.

    Args:
        repeats: times each answer was judged.
        judged: answers with a score at least once.
        units: independent ones among them.
        unscored: reason to the number of judgements that ended so.
        calls: that were made now.
        reused: judgements that were known.
        spent_usd: null where no price is known.
    """

    repeats: Count
    judged: Count
    units: Count
    unscored: dict[str, Count]
    calls: Count
    reused: Count
    spent_usd: Amount | None


class AgreementRecord(_JudgeModel):
    """How often the judge and people say the same.

    Args:
        share: of one judgement with one person, over the answers; null without a judged answer.
        worst: the same share when every answer without a score counts as a disagreement.
        kappa: Cohen's.
        passed_right, passed_wrong, failed_right, failed_wrong: answers; fractions where several people or judgements
            speak about one.
        true_pass, true_fail: share of what people pass (fail) that the judge passes (fails).
        always_pass: share of agreement of a judge that passes everything.
    """

    share: ShareRecord
    worst: float
    kappa: MaybeFigure
    passed_right: float
    passed_wrong: float
    failed_right: float
    failed_wrong: float
    true_pass: MaybeFigure
    true_fail: MaybeFigure
    always_pass: float


class PeopleRecord(_JudgeModel):
    """How far people agree among themselves: no judge can be expected to agree more.

    Args:
        answers: labelled by two people or more.
        share: of two people drawn at random.
    """

    answers: int
    share: float


class GradesRecord(_JudgeModel):
    """Grades against grades.

    Args:
        apart: mean of the absolute difference of judge and people.
        above: mean of judge minus people.
    """

    apart: float
    above: MaybeFigure


class ConsistencyRecord(_JudgeModel):
    """The same answer, judged again.

    Args:
        answers: judged twice or more.
        flips: share of them whose verdict is not always the same.
        two_differ: chance that two judgements of one answer give different verdicts.
        within_sd: standard deviation of the scores of one answer.
        widest: largest distance between two scores of one answer.
    """

    answers: int
    flips: FigureRecord
    two_differ: float
    within_sd: float
    widest: float


class MemberRecord(_JudgeModel):
    """One judge of a jury against people."""

    name: str
    share: ShareRecord


class JuryRecord(_JudgeModel):
    """The judges of a jury: each against people, and among themselves.

    Args:
        share: how often two of them pass or fail an answer alike.
        kappa: Cohen's; null for more than two judges.
    """

    members: list[MemberRecord]
    share: ShareRecord
    kappa: MaybeFigure | None


class SliceRecord(_JudgeModel):
    """The share of agreement within one slice.

    Args:
        name: `dimension=value`.
        answers: in it that have a score.
        units: independent ones among them.
        share: of agreement.
    """

    name: str
    answers: int
    units: int
    share: ShareRecord


class DisagreementRecord(_JudgeModel):
    """One answer on which judge and people are furthest apart.

    Args:
        id, where: of the labelled answer.
        cluster: that it belongs to; empty where it names none.
        question: the last input, its beginning.
        people, judge: mean label and mean score.
        output: its beginning; a model's text, hostile.
        reason: of the judgement nearest to the mean score; hostile, too.
    """

    id: str
    where: str
    cluster: str
    question: str
    people: float
    judge: float
    output: str
    reason: str


class JudgeCalibrationRecord(_JudgeModel):
    """The whole calibration.

    Args:
        unfinished: why not everything was judged; empty otherwise.
        agreement: null where nothing was judged.
        people: null where no answer was labelled twice.
        grades: null where labels are pass and fail.
        length: what an answer twice as long gets more at the same label.
        jury: null where one judge stands alone.
        slices: the largest ones.
        more_slices: that are not among them.
        differing: answers that most judgements pass and most labels fail, or the reverse.
        disagreements: those of them that are furthest apart.
        limits: what the sample does not allow to say.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/judge-calibration/1"] = Field(
        default="prompt-gate/judge-calibration/1", alias="schema"
    )
    tool_version: str
    created: Moment
    seed: int
    unfinished: str = ""
    judge: JudgeIdentity
    labels: LabelsRecord
    judging: JudgingRecord
    agreement: AgreementRecord | None
    people: PeopleRecord | None
    grades: GradesRecord | None
    consistency: ConsistencyRecord | NoFigure
    length: MaybeFigure
    jury: JuryRecord | None
    slices: list[SliceRecord]
    more_slices: int = 0
    differing: int = 0
    disagreements: list[DisagreementRecord]
    limits: list[str]


def dump_calibration(record: CalibrationRecord | JudgeCalibrationRecord) -> str:
    """The text of `calibration.json`, or of `judge-calibration.json`."""
    return record.model_dump_json(by_alias=True, indent=2) + "\n"


def load(text: str) -> JudgeCalibrationRecord:
    """A calibration from the text of its file, which is from outside.

    Raises:
        ValueError: it is none, in one line.
    """
    try:
        return JudgeCalibrationRecord.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"it is no calibration of schema {SCHEMA}: {complaint(error)}"[:300]) from None
