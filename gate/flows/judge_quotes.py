"""Reads the calibrations that judges name, from the side that the exam comes from: are they about these judges?"""

from collections.abc import Iterable

from gate.config.scorerspec import ScorerSpec
from gate.domain.judge_calibration import JudgeCalibrationRecord, load
from gate.domain.judge_quote import JudgeQuote
from gate.errors import GateError, InputErrors
from gate.flows.judge_identity import identity
from gate.inputs.limits import CALIBRATION_CHARS
from gate.inputs.source import FileSource
from gate.inputs.text import decode

OPTION = "calibration"
MOST_UNJUDGED = 0.1
"""Share of the labelled answers without a score beyond which agreement on the others is not quoted."""


def quotes(scorers: Iterable[ScorerSpec], source: FileSource) -> tuple[JudgeQuote, ...]:
    """One for each judge; a calibration that cannot be read keeps no run from its work.

    Args:
        scorers: of an exam, complete.
        source: where the exam comes from: a pull request cannot bring the praise of its own judge.
    """
    return tuple(_quote(spec, source) for spec in scorers if spec.judged)


def quote(spec: ScorerSpec, text: str) -> JudgeQuote:
    """What a calibration says of a judge.

    Args:
        spec: the judge, complete.
        text: of `judge-calibration.json`.
    """
    try:
        found = load(text)
    except ValueError as error:
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=str(error))
    own, created = identity(spec), found.created[:10]
    if found.judge.digest != own.digest:
        return JudgeQuote(scorer=spec.name, standing="another judge", created=created)
    if abs(found.judge.threshold - own.threshold) > 1e-9:
        return JudgeQuote(scorer=spec.name, standing="another threshold", created=created)
    return _calibrated(spec, found, created)


def _calibrated(spec: ScorerSpec, found: JudgeCalibrationRecord, created: str) -> JudgeQuote:
    if found.agreement is None:
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason="it holds no share of agreement")
    unjudged = found.labels.answers - found.judging.judged
    if unjudged > MOST_UNJUDGED * found.labels.answers:
        reason = f"{unjudged:,} of its {found.labels.answers:,} answers have no score, so it says nothing of the rest"
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=reason)
    share = found.agreement.share
    agreement = (share.value, share.lower, share.upper)
    return JudgeQuote(
        scorer=spec.name,
        standing="calibrated",
        agreement=agreement,
        answers=found.judging.judged,
        units=found.judging.units,
        created=created,
    )


def _quote(spec: ScorerSpec, source: FileSource) -> JudgeQuote:
    path = spec.options.get(OPTION)
    if not isinstance(path, str):
        return JudgeQuote(scorer=spec.name, standing="not calibrated")
    try:
        data = source.read(path)
        text = None if data is None else decode(data, path)
    except InputErrors as errors:
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=f"{path} {errors.problems[0].message}")
    except GateError as error:
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=error.message)
    if text is None:
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=f"there is no {path} at {source.label}")
    if len(text) > CALIBRATION_CHARS:
        reason = f"{path} is longer than {CALIBRATION_CHARS:,} characters"
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=reason)
    return quote(spec, text)
