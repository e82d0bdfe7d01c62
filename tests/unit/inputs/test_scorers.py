"""Scorers: every form, every default, every mistake."""

import pytest

from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.inputs.scorers.read import parse_scorers
from tests.unit.inputs.texts import errors

JUDGE = {"criteria": "Is polite", "threshold": 0.7, "params": {}}


@pytest.mark.parametrize(
    ("written", "kind", "options"),
    [
        ("exact", "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": True}),
        ({"exact": None}, "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": True}),
        ({"exact": "Paris"}, "exact", {"value": "Paris", "ignore_case": False, "strip": True}),
        ({"exact": {"strip": False}}, "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": False}),
        ("contains", "contains", {"value": "{{ expected }}", "ignore_case": True}),
        ({"contains": "Paris"}, "contains", {"value": "Paris", "ignore_case": True}),
        ({"regex": "^a+$"}, "regex", {"pattern": "^a+$", "ignore_case": False}),
        ({"regex": "{{ expected }}"}, "regex", {"pattern": "{{ expected }}", "ignore_case": False}),
        ({"json_schema": {"schema": {"type": "object"}}}, "json_schema", {"schema": {"type": "object"}}),
        ({"judge": "Is polite"}, "judge", JUDGE),
        (
            {"judge": {"criteria": "Is polite", "model": "fake:j", "threshold": 1, "params": {"temperature": 0}}},
            "judge",
            {"criteria": "Is polite", "model": "fake:j", "threshold": 1.0, "params": {"temperature": 0.0}},
        ),
    ],
)
def test_forms(written: JsonValue, kind: str, options: dict[str, JsonValue]) -> None:
    assert parse_scorers([written], "here") == (ScorerSpec(kind, kind, options),)


def test_name_weight_and_required_stand_inside_or_beside() -> None:
    inside = parse_scorers([{"contains": {"value": "x", "name": "n", "weight": 2, "required": True}}], "here")
    beside = parse_scorers([{"contains": "x", "name": "n", "weight": 2, "required": True}], "here")
    assert inside == beside
    assert (inside[0].name, inside[0].weight, inside[0].required) == ("n", 2.0, True)


def test_default_names_are_unique_and_leave_given_names_alone() -> None:
    written: JsonValue = ["contains", "contains", {"contains": {"name": "contains-2"}}, "exact"]
    assert [spec.name for spec in parse_scorers(written, "here")] == ["contains", "contains-3", "contains-2", "exact"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ([], "scorers must be a list with at least one scorer"),
        ("exact", "scorers must be a list with at least one scorer"),
        ([3], "a scorer must be a name or a mapping, not 3"),
        (["exakt"], "unknown scorer 'exakt' (did you mean 'exact'?"),
        (["llm_judge"], "unknown scorer 'llm_judge' (did you mean 'judge'?"),
        (["rubric"], "the scorer 'rubric' is not supported in this version (known: exact, contains, regex"),
        ([{"exact": None, "contains": None}], "each scorer has one kind, and these have 2: 'exact', 'contains'"),
        ([{"weight": 2}], "each scorer has one kind, and this one has none"),
        ([{"exact": {"vlaue": "a"}}], "unknown key 'vlaue' in exact (did you mean 'value'?)"),
        ([{"exact": {"value": 42}}], "exact.value must be text, not 42 (put it in quotes)"),
        ([{"exact": {"weight": 0}}], "exact.weight must be a number above 0 to 1,000, not 0"),
        ([{"exact": {"required": "yes"}}], "exact.required must be true or false, not 'yes'"),
        ([{"exact": {"weight": 1}, "weight": 2}], "exact.weight is given twice"),
        ([{"exact": {"value": "{{ expected "}}], "exact.value: invalid Jinja2: "),
        ([{"exact": {"name": "a"}}, {"contains": {"name": "a"}}], "two scorers are named 'a'"),
        (["regex"], "'pattern' is missing in regex"),
        ([{"regex": "("}], "regex.pattern is not a regular expression: missing )"),
        (["json_schema"], "'schema' is missing in json_schema"),
        ([{"json_schema": "x"}], "json_schema must be a mapping, not 'x'"),
        ([{"json_schema": {"schema": []}}], "json_schema.schema must be a mapping, not a list"),
        ([{"json_schema": {"schema": {"type": "objekt"}}}], "is not a usable JSON Schema: 'objekt' is not valid"),
        ([{"json_schema": {"schema": {"pattern": "("}}}], "is not a usable JSON Schema: '(' is not a 'regex'"),
        ([{"json_schema": {"schema": {"$ref": "http://x/y"}}}], "the reference 'http://x/y' leaves the schema"),
        ([{"json_schema": {"schema": {"$ref": "#/$defs/a"}}}], "the reference '/$defs/a' leads nowhere"),
        ([{"json_schema": {"schema": {"$ref": "#"}}}], "it refers to itself without end"),
        (["judge"], "'criteria' is missing in judge (for example criteria:"),
        (
            [{"judge": {"criteria": "x", "model": "gpt-5"}}],
            "the model 'gpt-5' names no provider (write provider:name, ",
        ),
        ([{"judge": {"criteria": "x", "threshold": 7}}], "judge.threshold must be a number from 0 to 1, not 7"),
        ([{"judge": {"criteria": "x", "params": {"top_p": 0}}}], "judge.params.top_p must be a number above 0 to 1"),
    ],
)
def test_messages(written: JsonValue, message: str) -> None:
    assert message in errors(lambda: parse_scorers(written, "here"))
