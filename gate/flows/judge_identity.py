"""Who a judge is: everything that can change a judgement, in one digest."""

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue, digest
from gate.domain.judge_calibration import JudgeIdentity
from gate.scoring.passing import mark_of

APART = ("threshold", "calibration", "file", "template")
"""Options that change no judgement: a threshold is compared on its own, and of files what they hold is an option."""


def identity(spec: ScorerSpec) -> JudgeIdentity:
    """Whom a calibration is about, or whom a run asks.

    Args:
        spec: with every option as the suite has it, the contents of files among them.
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
        threshold=mark_of(spec),
        digest=digest(parts),
        options=options,
    )


@lru_cache
def _templates() -> str:
    """Of the gate's own words around criteria and answer: another version of them asks another question."""
    root = resources.files("gate.scoring").joinpath("templates")
    found = {file.name: file.read_text(encoding="utf-8") for file in _files(root)}
    return digest(dict(found))


def _files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_file() and entry.name.endswith(".j2"):
            yield entry


def scale_of(spec: ScorerSpec) -> tuple[float, float] | None:
    """The scale of a rubric, which people have graded by, too; None for other scorers."""
    found = spec.options.get("scale")
    if not isinstance(found, list) or len(found) != 2:
        return None
    low, high = found
    return (float(low), float(high)) if isinstance(low, (int, float)) and isinstance(high, (int, float)) else None
