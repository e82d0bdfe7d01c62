"""Scorers: every form, default and error."""

import pytest
from ruamel.yaml import YAML

from gate.config.scorer import MEANT, ScorerSpec, parse_scorers
from gate.config.scorer_options import KINDS
from gate.values import JsonValue
from tests.config.texts import errors

SEES = {"sees_input": True, "sees_expected": True}
JUDGE = {"criteria": "Is polite", "threshold": 0.7, "params": {}, **SEES}
TONE = {"name": "tone", "description": "Is kind.", "weight": 1.0}


@pytest.mark.parametrize(
    ("written", "kind", "options"),
    [
        ("exact", "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": True}),
        ({"exact": "Paris"}, "exact", {"value": "Paris", "ignore_case": False, "strip": True}),
        ({"regex": "^a+$"}, "regex", {"pattern": "^a+$", "ignore_case": False}),
        ({"json_schema": {"schema": {"type": "object"}}}, "json_schema", {"schema": {"type": "object"}, "fence": True}),
        (
            {"contains": {"value": "x", "all": ["a", "b"], "none": ["{{ id }}"]}},
            "contains",
            {"value": "x", "all": ["a", "b"], "none": ["{{ id }}"], "ignore_case": True},
        ),
        ("json", "json", {"fence": True}),
        (
            {"json_path": {"path": "a", "one_of": [None]}},
            "json_path",
            {"path": "a", "one_of": [None], "exists": True, "fence": True},
        ),
        (
            {"number": {"value": "{{ expected }}", "percent": 5, "which": "last", "decimal": "comma"}},
            "number",
            {"value": "{{ expected }}", "percent": 5.0, "which": "last", "decimal": "comma"},
        ),
        ({"words": {"min": 1, "max": 60}}, "words", {"min": 1, "max": 60}),
        (
            {"forbidden_words": ["process", "handle"]},
            "forbidden_words",
            {"words": ["process", "handle"], "inflections": False},
        ),
        (
            {"asks": {"about": ["pets"], "words": {"pets": ["dog", "cat"]}, "max_questions": 1}},
            "asks",
            {"about": ["pets"], "words": {"pets": ["dog", "cat"]}, "max_questions": 1},
        ),
        ({"language": "{{ slices.lang }}"}, "language", {"is": "{{ slices.lang }}"}),
        (
            {"similarity": {"value": "x", "metric": "edit", "threshold": 0.5}},
            "similarity",
            {"value": "x", "metric": "edit", "threshold": 0.5},
        ),
        ({"latency": 2.5}, "latency", {"max_s": 2.5}),
        (
            {"judge": {"criteria": "Is polite", "model": "fake:j", "threshold": 1, "params": {"temperature": 0}}},
            "judge",
            {"criteria": "Is polite", "model": "fake:j", "threshold": 1.0, "params": {"temperature": 0.0}, **SEES},
        ),
        (
            {"judge": {"models": ["fake:a", "fake:b"], "sees_input": False}},
            "judge",
            {
                **{"threshold": 0.7, "models": ["fake:a", "fake:b"], "params": {}, "combine": "median"},
                **{"sees_input": False, "sees_expected": True},
            },
        ),
        (
            {"rubric": {"dimensions": [{"name": "tone", "description": "Is\n kind.", "anchors": {"5": "Very."}}]}},
            "rubric",
            {
                "scale": [1.0, 5.0],
                "threshold": 3.5,
                "dimensions": [{**TONE, "anchors": {"5": "Very."}}],
                "params": {},
                **SEES,
            },
        ),
    ],
)
def test_forms(written: JsonValue, kind: str, options: dict[str, JsonValue]) -> None:
    assert parse_scorers([written], "here") == (ScorerSpec(kind, kind, options),)


def test_common_options_may_be_inside_or_outside_of_the_kind() -> None:
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
        ([], "here: scorers is empty"),
        ([3], "scorers[0] must be a name or a mapping, not 3 (known: exact, "),
        (["exakt"], "is not a scorer: 'exakt' (did you mean 'exact'?"),
        ([{"exact": None, "contains": None}], "scorers[0] needs one kind of scorer, and has 2: 'exact', 'contains'"),
        ([{"tools": {"exact": ["a"], "in_order": ["c"]}}], "cannot be met: 'c' is in in_order but not in exact"),
        ([{"tools": {"exact": ["a"], "forbidden": ["a"]}}], "cannot be met: 'a' is in both forbidden and exact"),
        ([{"exact": {"vlaue": "a"}}], "unknown key 'vlaue' in scorers[0].exact (did you mean 'value'?)"),
        ([{"exact": {"value": 42}}], "exact.value must be text, not 42 (put it in quotes)"),
        ([{"exact": {"weight": 1}, "weight": 2}], "exact.weight is set twice"),
        ([{"exact": {"value": "{{ expected "}}], "exact.value has an error: invalid Jinja2: "),
        ([{"exact": {"name": "a"}}, {"contains": {"name": "a"}}], "scorers[1] is the second scorer named 'a'"),
        (["regex"], "scorers[0] names regex without options: regex 'pattern' is missing (for example pattern: "),
        ([{"regex": "("}], "scorers[0].regex is not a regular expression: missing )"),
        ([{"json_schema": {"schema": {"type": "objekt"}}}], "is not a usable JSON Schema: 'objekt' is not valid"),
        ([{"json_schema": {"schema": {"$ref": "http://x/y"}}}], "the reference 'http://x/y' points outside the schema"),
        ([{"contains": {"any": ["a"] * 1_001}}], "contains.any has more than 1,000 entries"),
        (
            [{"json_path": {"path": "$", "equals": None}}],
            "json_path.equals is empty (null is written as one_of: [null])",
        ),
        (
            [{"json_path": {"path": "$", "equals": 1, "one_of": [1]}}],
            "json_path takes one of equals and one_of, not both",
        ),
        ([{"number": {"tolerance": 1, "percent": 1}}], "number takes one of tolerance and percent, not both"),
        ([{"words": {"min": 3, "max": 2}}], "words has min above max"),
        ([{"forbidden_words": ["x" * 201]}], "scorers[0].forbidden_words[0] is longer than 200 characters"),
        (
            [{"language": "german"}],
            "language is the unknown language 'german' (write a code of ISO 639, such as en or de)",
        ),
        (["contains-any"], "is not a scorer: 'contains-any' (did you mean 'contains: {any: [one, two]}'?"),
        (["not-contains"], "is not a scorer: 'not-contains' (did you mean 'contains' with negate: true?"),
        ([{"judge": {"model": "fake:a", "models": ["fake:a", "fake:b"]}}], "judge has both model and models"),
        ([{"judge": {"models": ["fake:a", "b"]}}], "judge.models[1] is not valid: the model 'b' has no provider"),
        ([{"judge": {"combine": "mean"}}], "judge.combine needs models"),
        ([{"judge": {"template": "../judge.md"}}], "judge.template '../judge.md' leaves the repository"),
        ([{"judge": {"template": "judge.md"}}], "judge names the file 'judge.md', which only gate.yaml may do"),
        (["rubric"], "rubric needs file or dimensions"),
        (
            [{"rubric": {"file": "r.yaml", "threshold": 3}}],
            "rubric.threshold is already set in the file of rubric",
        ),
    ],
)
def test_messages(written: JsonValue, message: str) -> None:
    assert message in errors(lambda: parse_scorers(written, "here"))


@pytest.mark.parametrize("mark", [0, -0.0])
@pytest.mark.parametrize(
    "written", [{"judge": {"criteria": "x"}}, {"similarity": {"value": "x"}}, {"python": {"function": "a:b"}}], ids=str
)
def test_a_threshold_that_every_answer_reaches_is_an_error(
    written: dict[str, dict[str, JsonValue]], mark: float
) -> None:
    ((kind, options),) = written.items()
    said = errors(lambda: parse_scorers([{kind: {**options, "threshold": mark}}], "here"))
    assert f"{kind}.threshold must be greater than 0, not {mark}" in said
    assert "(for example threshold: 0.7)" in said


def test_suggested_kinds_exist() -> None:
    for written, meant in MEANT.items():
        assert meant.split(":")[0] in KINDS, written
        parse_scorers(YAML(typ="safe").load(f"[{{{meant}}}]" if ":" in meant else "[exact]"), "here")
