"""Reads datasets of pydantic-evals, and converts its evaluators that have an equal.

https://pydantic.dev/docs/ai/evals/how-to/dataset-serialization/
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.cases.dataset_rows import DatasetDraft, is_given, literal_text, mapping_in
from gate.cases.losses import Losses
from gate.cases.rows import Row, RowPlace
from gate.config.documents import Document, quoted
from gate.config.models import foreign_model
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors
from gate.values import FreeNames, JsonValue

Scorer = dict[str, JsonValue]
_EXPECTED = "{{ expected }}"
_OF_CASE = frozenset("name inputs metadata expected_output evaluators".split())
_AGENTS = "a suite with an agent has the scorers tools, latency and cost"
_REMEDIES: Mapping[str, str] = {
    "IsInstance": "for JSON write json or json_schema; every other answer is text",
    **dict.fromkeys(("HasMatchingSpan", "MaxModelRequests", "TrajectoryMatch", "ArgumentCorrectness"), _AGENTS),
}


class _NoEqual(Exception):
    """An evaluator, or these arguments of it, have no equal."""


@dataclass(slots=True)
class _Evaluator:
    """One evaluator with its arguments; those that are read are taken out.

    Args:
        expected: whether the case has an expected output, and whether that is a text.
        notes: how the meaning changes.
    """

    name: str
    first: JsonValue
    arguments: dict[str, JsonValue]
    expected: tuple[bool, bool]
    notes: list[str] = field(default_factory=list)

    def take(self, key: str, default: JsonValue = None, first: bool = False) -> JsonValue:
        """The argument; `first` if it may be given alone."""
        if first and not self.arguments:
            return self.first if is_given(self.first) or self.first is False else default
        return self.arguments.pop(key, default)

    def text(self, key: str, first: bool = False) -> str:
        """The argument as a text that a template shows as it is."""
        value = self.take(key, first=first)
        text = literal_text(value) if isinstance(value, str) else None
        if text is None:
            raise _NoEqual(f"its {key} is no text that can be written here")
        return text


def dataset_cases(whole: Document, losses: Losses) -> list[tuple[int, dict[str, JsonValue]]]:
    """The cases of a dataset with their lines."""
    entries = whole.entries()
    common = mapping_in(whole.data).get("evaluators")
    for spec in _listed(mapping_in(whole.data).get("report_evaluators")):
        losses.add(entries["report_evaluators"].line, f"the report evaluator {_parts(spec)[0]} is left out")
    found: list[tuple[int, dict[str, JsonValue]]] = []
    for number, document in enumerate(entries["cases"].parts(), start=1):
        line = document.line_of()
        case = _case(mapping_in(document.data), _listed(common), RowPlace(line, number, losses))
        if case is not None:
            found.append((line, case))
    return found


def _case(row: Row, common: Sequence[JsonValue], place: RowPlace) -> dict[str, JsonValue] | None:
    draft = DatasetDraft(place, row.get("name"))
    inputs = row.get("inputs")
    if not (draft.ask_mapping(inputs) if isinstance(inputs, dict) else draft.ask(inputs, "inputs")):
        return None
    expected = row.get("expected_output")
    draft.expect(expected)
    draft.metadata(row.get("metadata"))
    if strange := sorted(row.keys() - _OF_CASE):
        place.lost(f"{', '.join(strange)} of row {place.number} are left out")
    names, scorers = FreeNames(" "), list[JsonValue]()
    for spec in [*common, *_listed(row.get("evaluators"))]:
        name, first, arguments = _parts(spec)
        given = expected is not None, isinstance(expected, str) and bool(expected.strip())
        scorer = _scorer(_Evaluator(name, first, arguments, given), place)
        if scorer is not None:
            scorers.append(_named(scorer, names))
    if scorers:
        draft.case["scorers"] = scorers
    return draft.done()


def _named(scorer: Scorer, names: FreeNames) -> Scorer:
    """The scorer with a name that no other scorer of the case has."""
    own = str(scorer.get("name", next(iter(scorer))))
    free = names.take(own)
    return scorer if free == own else {**scorer, "name": free}


def _listed(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list) else []


def _parts(spec: JsonValue) -> tuple[str, JsonValue, dict[str, JsonValue]]:
    """Name, only argument and named arguments of `Name`, `{Name: argument}` or `{Name: {key: argument}}`."""
    if not isinstance(spec, dict) or len(spec) != 1:
        return str(spec)[:200], None, {}
    name, given = next(iter(spec.items()))
    return name, (None if isinstance(given, dict) else given), mapping_in(given)


def _scorer(evaluator: _Evaluator, place: RowPlace) -> Scorer | None:
    label = f"the evaluator {quoted(evaluator.name)} of row {place.number}"
    convert = _CONVERTED.get(evaluator.name)
    if convert is None:
        remedy = _REMEDIES.get(evaluator.name, "write a scorer for it, or a function: python: module:function")
        place.lost(f"{label} is left out: the gate does not have it", remedy)
        return None
    try:
        scorer = convert(evaluator)
        if scorer is None:
            return None
        name = evaluator.take("evaluation_name")
        if isinstance(name, str) and name.strip():
            scorer["name"] = name
        parse_scorers([scorer], "scorers")
    except _NoEqual as reason:
        place.lost(f"{label} is left out: {reason}", "write a scorer for it")
        return None
    except InputErrors as errors:
        place.lost(f"{label} is left out: {errors.problems[0].message}", errors.problems[0].hint)
        return None
    if more := sorted(key for key, value in evaluator.arguments.items() if is_given(value)):
        place.lost(f"{', '.join(more)} of {label} is left out")
    for note in evaluator.notes:
        place.lost(f"{label} is changed: {note}", "check its scores once")
    return scorer


def _equals(evaluator: _Evaluator) -> Scorer:
    value = evaluator.take("value", first=True)
    if isinstance(value, str):
        text = literal_text(value)
        if text is None or not value.strip():
            raise _NoEqual("its value is blank, or cannot be written here")
        return {"exact": {"value": text, "strip": False}}
    if value is None or _has_template(value):
        raise _NoEqual("its value is empty, or cannot be written here")
    return {"json_path": {"path": "$", "equals": value, "fence": False}}


def _equals_expected(evaluator: _Evaluator) -> Scorer | None:
    given, text = evaluator.expected
    if is_given(evaluator.first):
        evaluator.arguments["evaluation_name"] = evaluator.first
    if not given:
        return None  # There, too, it says nothing about a case without an expected output.
    if text:
        return {"exact": {"value": _EXPECTED, "strip": False}}
    return {"json_path": {"path": "$", "equals": _EXPECTED, "fence": False}}


def _contains(evaluator: _Evaluator) -> Scorer:
    value = evaluator.take("value", first=True)
    as_text = evaluator.take("as_strings") is True
    case = evaluator.take("case_sensitive", True) is True
    if as_text and isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    text = literal_text(value) if isinstance(value, str) else None
    if text is None:
        raise _NoEqual("its value is no text that can be written here")
    return {"contains": {"value": text, "ignore_case": not case}}


def _duration(evaluator: _Evaluator) -> Scorer:
    seconds = evaluator.take("seconds", first=True)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise _NoEqual("its seconds are no number")
    return {"latency": {"max_s": seconds}}


def _judge(evaluator: _Evaluator) -> Scorer:
    options: Scorer = {"criteria": evaluator.text("rubric", first=True)}
    if evaluator.take("include_input") is not True:
        options["sees_input"] = False
    if evaluator.take("include_expected_output") is not True:
        options["sees_expected"] = False
    names = [mapping_in(evaluator.arguments.pop(key, None)).get("evaluation_name") for key in ("assertion", "score")]
    evaluator.arguments["evaluation_name"] = next((name for name in names if is_given(name)), None)
    return _asked(options, evaluator)


def _g_eval(evaluator: _Evaluator) -> Scorer:
    criteria = evaluator.text("criteria")
    steps = [step for step in _listed(evaluator.take("evaluation_steps")) if isinstance(step, str)]
    lines = [literal_text(f"{at}. {step}") for at, step in enumerate(steps, start=1)]
    if None in lines:
        raise _NoEqual("its evaluation_steps cannot be written here")
    options: Scorer = {"criteria": "\n".join([criteria, *(line for line in lines if line)]), "sees_expected": False}
    if evaluator.take("include_input") is not True:
        options["sees_input"] = False
    evaluator.take("score_range")
    return _asked(options, evaluator)


def _asked(options: Scorer, evaluator: _Evaluator) -> Scorer:
    name = evaluator.take("model")
    model = foreign_model(name) if isinstance(name, str) else None
    if model is not None:
        options["model"] = f"{model.provider}:{model.name}"
    elif is_given(name):
        evaluator.notes.append(f"its model {quoted(str(name))} is not a model of the gate")
    evaluator.notes.append("the gate's judge scores it from 0 to 1, by these criteria")
    return {"judge": options}


def _tools(evaluator: _Evaluator) -> Scorer:
    names = evaluator.take("expected_tools", first=True)
    how = "all" if evaluator.take("allow_extra") is True else "exact"
    if evaluator.take("include_failed") is not True:
        evaluator.notes.append("calls that fail count, too")
    return {"tools": {how: names}}


def _max_calls(evaluator: _Evaluator) -> Scorer:
    most = evaluator.take("max_calls", first=True)
    evaluator.take("include_failed")
    return {"tools": {"max_calls": most}}


def _has_template(value: JsonValue) -> bool:
    """Would the gate read a text inside as a template?"""
    if isinstance(value, str):
        return literal_text(value) != value
    if isinstance(value, dict):
        return any(map(_has_template, (*value, *value.values())))
    return isinstance(value, list) and any(map(_has_template, value))


_CONVERTED: Mapping[str, Callable[[_Evaluator], Scorer | None]] = {
    "Equals": _equals,
    "EqualsExpected": _equals_expected,
    "Contains": _contains,
    "MaxDuration": _duration,
    "LLMJudge": _judge,
    "GEval": _g_eval,
    "ToolCorrectness": _tools,
    "MaxToolCalls": _max_calls,
}
CONVERTED = tuple(_CONVERTED)
"""Names of the evaluators that become scorers."""
