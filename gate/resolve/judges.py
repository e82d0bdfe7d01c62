"""The identity of a judge: everything that can change a judgement, in one digest."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from gate.config.documents import decode
from gate.config.scorer import ScorerSpec
from gate.errors import GateError, InputErrors
from gate.limits import CALIBRATION_CHARS
from gate.prompts.files import FileSource, source_place
from gate.record.calibration import JudgeCalibrationRecord, JudgeIdentity, load
from gate.record.parts import JudgeQuote
from gate.scoring.interface import mark_of_scorer
from gate.values import JsonValue, digest

APART = ("threshold", "calibration", "file", "template")
"""Options that change no judgement: thresholds are compared on their own, and the contents of files are options."""


def identity(spec: ScorerSpec) -> JudgeIdentity:
    """The judge of a calibration, or of a run.

    `spec` has every option as the suite has it, the contents of files included.
    """
    options = {key: value for key, value in spec.options.items() if key not in APART}
    parts: JsonValue = {
        "kind": spec.kind,
        "options": dict(options),
        "negate": spec.negate,
        "templates": _templates() if spec.judged else "",
    }
    return JudgeIdentity(
        name=spec.name,
        kind=spec.kind,
        models=list(spec.models),
        threshold=mark_of_scorer(spec),
        digest=digest(parts),
        options=options,
    )


@lru_cache
def _templates() -> str:
    """A digest of the gate's own words around criteria and answer: other words may give other scores."""
    root = resources.files("gate.scoring").joinpath("templates")
    found = {file.name: file.read_text(encoding="utf-8") for file in _files(root)}
    return digest(dict(found))


def _files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_file() and entry.name.endswith(".j2"):
            yield entry


def scale_of(spec: ScorerSpec) -> tuple[float, float] | None:
    """The scale of a rubric, which people have used too; None for other scorers."""
    found = spec.options.get("scale")
    if not isinstance(found, list) or len(found) != 2:
        return None
    low, high = found
    return (float(low), float(high)) if isinstance(low, (int, float)) and isinstance(high, (int, float)) else None


OPTION = "calibration"
MOST_UNJUDGED = 0.1
"""Share of labelled answers without a score above which the agreement on the others is not quoted."""


def quotes(scorers: Iterable[ScorerSpec], source: FileSource) -> tuple[JudgeQuote, ...]:
    """One quote for each judge; a calibration that cannot be read does not stop a run."""
    return tuple(_quote(spec, source) for spec in scorers if spec.judged)


def quote(spec: ScorerSpec, text: str) -> JudgeQuote:
    """The calibration of a judge; `text` is the content of `judge-calibration.json`."""
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
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason="it contains no share of agreement")
    unjudged = found.labels.answers - found.judging.judged
    if unjudged > MOST_UNJUDGED * found.labels.answers:
        reason = (
            f"{unjudged:,} of its {found.labels.answers:,} answers have no score, so it shows nothing about the rest"
        )
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
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=f"there is no {path} {source_place(source)}")
    if len(text) > CALIBRATION_CHARS:
        reason = f"{path} is longer than {CALIBRATION_CHARS:,} characters"
        return JudgeQuote(scorer=spec.name, standing="unreadable", reason=reason)
    return quote(spec, text)
