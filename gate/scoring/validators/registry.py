"""The validators by the kinds that gate.yaml names, and the options that a case fills in.

Each module of validators names its own in `VALIDATORS`, and in `CHECKS` what makes the options of a case unusable.
"""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

from gate.cases.case import Case, fill
from gate.config.documents import printable
from gate.config.scorer import ScorerSpec
from gate.record.sample import Score
from gate.record.transcript import Unscored
from gate.scoring.interface import Finding, OptionCheck, OptionComplaint, Options, Subject, Validator
from gate.values import JsonValue

_EXPECTED = re.compile(r"\{\{\s*expected\s*\}\}")


def fill_options(options: Mapping[str, JsonValue], case: Case) -> Options:
    """The options of a scorer for one case. Raises `InputErrors`.

    Texts, and the texts of a list, may hold `{{ expected }}` and other fields. An option that is nothing but
    `{{ expected }}` takes the expected value as it is, a number as a number; as an item of a list it stands for all
    items of an expected list.
    """
    return {key: _filled(value, case) for key, value in options.items()}


def _filled(value: JsonValue, case: Case) -> JsonValue:
    if isinstance(value, str):
        return _text(value, case)
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            filled = _text(item, case) if isinstance(item, str) else item
            if filled is not item and isinstance(filled, list):
                items.extend(filled)
            else:
                items.append(filled)
        return items
    return value


def _text(text: str, case: Case) -> JsonValue:
    if "{{" not in text:
        return text
    if case.expected is not None and _EXPECTED.fullmatch(text):
        return case.expected
    return fill(text, case)


_MODULES: Mapping[str, tuple[str, ...]] = {
    "text": ("exact", "contains", "regex", "starts_with", "ends_with"),
    "json_answers": ("json", "json_schema", "json_path"),
    "number": ("number", "latency", "cost"),
    "language": ("words", "sentences", "characters", "forbidden_words", "similarity", "language"),
    "asks": ("asks",),
    "refusal": ("refusal",),
    "paraphrases": ("paraphrases",),
    "tool_calls": ("tools", "database"),
}
VALIDATORS: Mapping[str, str] = {kind: module for module, kinds in _MODULES.items() for kind in kinds}
"""The module of each kind; it is imported when the first scorer of the kind is used."""


def _module(kind: str) -> ModuleType:
    return import_module(f"gate.scoring.validators.{VALIDATORS[kind]}")


REASON_CHARS = 500
"""Of a validator's reason."""


def validate(spec: ScorerSpec, subject: Subject) -> Score:
    """Score one answer with a validator; the reason names what was looked for."""
    options = fill_options(spec.options, subject.case)
    if spec.kind == "database":
        # A database observation is kept under the name of its scorer.
        options = {**options, "scorer": spec.name}
    check: Validator = _module(spec.kind).VALIDATORS[spec.kind]
    return as_score(spec, check(options, subject))


def as_score(spec: ScorerSpec, found: Finding) -> Score:
    """A finding as a score."""
    value, reason = found
    if spec.negate and not isinstance(value, Unscored):
        value, reason = 1.0 - value, f"negated: {reason}"
    return Score(spec.name, value, _line(reason), spec.weight, spec.required)


def _line(reason: str) -> str:
    """On one line and of limited length: it may quote the answer."""
    line = printable(reason[:REASON_CHARS])
    return line if len(line) <= REASON_CHARS and len(reason) <= REASON_CHARS else line[: REASON_CHARS - 1] + "…"


def option_complaints(kind: str, options: Options) -> Iterator[OptionComplaint]:
    """Why a validator cannot use a case's options, in which the fields of the case are filled in."""
    check: OptionCheck | None = _module(kind).CHECKS.get(kind) if kind in VALIDATORS else None
    return check(options) if check is not None else iter(())
