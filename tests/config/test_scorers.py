"""Scorers: every form, every default, every mistake."""

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
        ({"exact": None}, "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": True}),
        ({"exact": "Paris"}, "exact", {"value": "Paris", "ignore_case": False, "strip": True}),
        ({"exact": {"strip": False}}, "exact", {"value": "{{ expected }}", "ignore_case": False, "strip": False}),
        ("contains", "contains", {"value": "{{ expected }}", "ignore_case": True}),
        ({"contains": "Paris"}, "contains", {"value": "Paris", "ignore_case": True}),
        ({"regex": "^a+$"}, "regex", {"pattern": "^a+$", "ignore_case": False}),
        ({"regex": "{{ expected }}"}, "regex", {"pattern": "{{ expected }}", "ignore_case": False}),
        ({"json_schema": {"schema": {"type": "object"}}}, "json_schema", {"schema": {"type": "object"}, "fence": True}),
        ({"contains": {"any": "a"}}, "contains", {"any": ["a"], "ignore_case": True}),
        (
            {"contains": {"value": "x", "all": ["a", "b"], "none": ["{{ id }}"]}},
            "contains",
            {"value": "x", "all": ["a", "b"], "none": ["{{ id }}"], "ignore_case": True},
        ),
        ({"starts_with": "Dear"}, "starts_with", {"value": "Dear", "ignore_case": False, "strip": True}),
        ("ends_with", "ends_with", {"value": "{{ expected }}", "ignore_case": False, "strip": True}),
        ("json", "json", {"fence": True}),
        ({"json_path": "$.a"}, "json_path", {"path": "$.a", "exists": True, "fence": True}),
        (
            {"json_path": {"path": "$.a", "equals": {"b": [1, None]}}},
            "json_path",
            {"path": "$.a", "equals": {"b": [1, None]}, "exists": True, "fence": True},
        ),
        (
            {"json_path": {"path": "a", "one_of": [None]}},
            "json_path",
            {"path": "a", "one_of": [None], "exists": True, "fence": True},
        ),
        ("number", "number", {"value": "{{ expected }}", "which": "any", "decimal": "point"}),
        ({"number": 42}, "number", {"value": 42.0, "which": "any", "decimal": "point"}),
        (
            {"number": {"value": "{{ expected }}", "percent": 5, "which": "last", "decimal": "comma"}},
            "number",
            {"value": "{{ expected }}", "percent": 5.0, "which": "last", "decimal": "comma"},
        ),
        ({"words": {"min": 1, "max": 60}}, "words", {"min": 1, "max": 60}),
        ({"sentences": {"max": 2}}, "sentences", {"max": 2}),
        ({"characters": {"min": 2}}, "characters", {"min": 2}),
        (
            {"judge": {"criteria": "Is polite", "calibration": "./a/b.json"}},
            "judge",
            {**JUDGE, "calibration": "a/b.json"},
        ),
        ({"forbidden_words": "process"}, "forbidden_words", {"words": ["process"], "inflections": False}),
        (
            {"forbidden_words": ["process", "handle"]},
            "forbidden_words",
            {"words": ["process", "handle"], "inflections": False},
        ),
        ({"asks": "name"}, "asks", {"about": ["name"]}),
        (
            {"asks": {"about": ["pets"], "words": {"pets": ["dog", "cat"]}, "max_questions": 1}},
            "asks",
            {"about": ["pets"], "words": {"pets": ["dog", "cat"]}, "max_questions": 1},
        ),
        ({"language": "de-AT"}, "language", {"is": "de-AT"}),
        ({"language": "{{ slices.lang }}"}, "language", {"is": "{{ slices.lang }}"}),
        ("similarity", "similarity", {"value": "{{ expected }}", "metric": "token_f1", "threshold": 0.7}),
        (
            {"similarity": {"value": "x", "metric": "edit", "threshold": 0.5}},
            "similarity",
            {"value": "x", "metric": "edit", "threshold": 0.5},
        ),
        ({"latency": 2.5}, "latency", {"max_s": 2.5}),
        ({"cost": {"max_usd": 0}}, "cost", {"max_usd": 0.0}),
        ("refusal", "refusal", {}),
        ({"judge": "Is polite"}, "judge", JUDGE),
        (
            {"judge": {"criteria": "Is polite", "model": "fake:j", "threshold": 1, "params": {"temperature": 0}}},
            "judge",
            {"criteria": "Is polite", "model": "fake:j", "threshold": 1.0, "params": {"temperature": 0.0}, **SEES},
        ),
        ("judge", "judge", {"threshold": 0.7, "params": {}, **SEES}),
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
        ([], "here: scorers is empty"),
        ([{"tools": {"exact": ["a"], "all": ["a", "b"]}}], "cannot be met: exact lacks 'b', which all asks for"),
        ([{"tools": {"exact": ["a"], "in_order": ["c"]}}], "cannot be met: exact lacks 'c', which in_order asks for"),
        ([{"tools": {"exact": ["a"], "forbidden": ["a"]}}], "cannot be met: forbidden has 'a', which exact asks for"),
        ("exact", "scorers must be a list, not 'exact'"),
        ([3], "scorers[0] must be a name or a mapping, not 3 (known: exact, "),
        (["exakt"], "unknown scorer 'exakt' (did you mean 'exact'?"),
        (["llm_judge"], "unknown scorer 'llm_judge' (did you mean 'judge'?"),
        ([{"exact": None, "contains": None}], "scorers[0] needs one kind of scorer, and has 2: 'exact', 'contains'"),
        ([{"weight": 2}], "scorers[0] needs one kind of scorer, and has none"),
        ([{"exact": {"vlaue": "a"}}], "unknown key 'vlaue' in scorers[0].exact (did you mean 'value'?)"),
        ([{"exact": {"value": 42}}], "exact.value must be text, not 42 (put it in quotes)"),
        ([{"exact": {"weight": 0}}], "exact.weight must be a number above 0 to 1,000, not 0"),
        ([{"exact": {"required": "yes"}}], "exact.required must be true or false, not 'yes'"),
        ([{"exact": {"weight": 1}, "weight": 2}], "exact.weight is given twice"),
        ([{"exact": {"value": "{{ expected "}}], "exact.value has a mistake: invalid Jinja2: "),
        ([{"exact": {"name": "a"}}, {"contains": {"name": "a"}}], "scorers[1] is a second scorer named 'a'"),
        (["regex"], "scorers[0] names regex without options: regex 'pattern' is missing (for example pattern: "),
        ([{"regex": "("}], "scorers[0].regex is not a regular expression: missing )"),
        (["json_schema"], "json_schema 'schema' is missing"),
        ([{"json_schema": "x"}], "json_schema must be a mapping, not 'x'"),
        ([{"json_schema": {"schema": []}}], "json_schema.schema must be a mapping, not an empty list"),
        ([{"json_schema": {"schema": {"type": "objekt"}}}], "is not a usable JSON Schema: 'objekt' is not valid"),
        ([{"json_schema": {"schema": {"pattern": "("}}}], "is not a usable JSON Schema: '(' is not a 'regex'"),
        ([{"json_schema": {"schema": {"$ref": "http://x/y"}}}], "the reference 'http://x/y' leaves the schema"),
        ([{"json_schema": {"schema": {"$ref": "#/$defs/a"}}}], "the reference '/$defs/a' leads nowhere"),
        ([{"json_schema": {"schema": {"$ref": "#"}}}], "it refers to itself without end"),
        (
            [{"contains": {"any": []}}],
            "contains.any is empty",
        ),
        ([{"contains": {"any": [1]}}], "contains.any[0] must be text, not 1"),
        ([{"contains": {"any": ["a", "a"]}}], "contains.any[1] names 'a' twice"),
        ([{"contains": {"any": ["a", "{{ b "]}}], "contains.any[1] has a mistake: invalid Jinja2: "),
        ([{"contains": {"any": ["a"] * 1_001}}], "contains.any has more than 1,000 entries"),
        (["json_path"], "'path' is missing (for example path: $.items[0].name)"),
        ([{"json_path": "$.a[*]"}], "scorers[0].json_path is not a path to one value: '[*]' may select several values"),
        (
            [{"json_path": {"path": "$", "equals": None}}],
            "json_path.equals is empty (null is written as one_of: [null])",
        ),
        ([{"json_path": {"path": "$", "one_of": 3}}], "json_path.one_of must be a list, not 3"),
        ([{"json_path": {"path": "$", "one_of": []}}], "json_path.one_of is empty"),
        (
            [{"json_path": {"path": "$", "equals": 1, "one_of": [1]}}],
            "json_path takes one of equals and one_of, not both",
        ),
        ([{"number": "many"}], "scorers[0].number must be a number, not 'many' (or write a field"),
        ([{"number": True}], "scorers[0].number must be a number, not true"),
        ([{"number": {"tolerance": 1, "percent": 1}}], "number takes one of tolerance and percent, not both"),
        ([{"number": {"tolerance": -1}}], "number.tolerance must be a number from 0"),
        ([{"number": {"which": "middle"}}], "number.which must be any, first, last or only, not 'middle'"),
        (["words"], "words needs min or max"),
        ([{"sentences": 2}], "sentences must be a mapping, not 2"),
        ([{"words": {"min": 3, "max": 2}}], "words has a min above its max"),
        ([{"words": {"max": 2.5}}], "words.max must be a whole number from 0 to 10,000,000, not 2.5"),
        (["forbidden_words"], "'words' is missing (for example words: [transition, process])"),
        ([{"forbidden_words": ["x" * 201]}], "scorers[0].forbidden_words[0] is longer than 200 characters"),
        (["asks"], "'about' is missing (for example about: [name])"),
        ([{"asks": {"about": "a", "words": ["b"]}}], "asks.words must be a mapping, not a list"),
        ([{"asks": {"about": "a", "words": {"a": []}}}], "asks.words.a is empty"),
        ([{"asks": {"about": "a", "max_questions": 0}}], "asks.max_questions must be a whole number from 1"),
        (
            [{"language": "german"}],
            "language is the unknown language 'german' (write a code of ISO 639, such as en or de)",
        ),
        ([{"language": "dee"}], "language is the unknown language 'dee' (did you mean 'de'? write a code"),
        ([{"similarity": {"metric": "embedding"}}], "similarity.metric must be token_f1 or edit, not 'embedding'"),
        ([{"latency": 0}], "scorers[0].latency must be a number above 0 to 86,400, not 0"),
        (["latency"], "'max_s' is missing (for example max_s: 2.5)"),
        ([{"cost": -1}], "scorers[0].cost must be a number from 0 to 1,000,000, not -1"),
        ([{"refusal": "x"}], "refusal must be a mapping, not 'x'"),
        (["contains-any"], "unknown scorer 'contains-any' (did you mean 'contains: {any: [one, two]}'?"),
        (["icontains"], "did you mean 'contains'?"),
        (["is-json"], "did you mean 'json'?"),
        (["not-contains"], "unknown scorer 'not-contains' (did you mean 'contains' with negate: true?"),
        (["not-is-refusal"], "did you mean 'refusal' with negate: true?"),
        (["starts-with"], "did you mean 'starts_with'?"),
        (["levenshtein"], "did you mean 'similarity: {metric: edit}'?"),
        (["llm-rubric"], "did you mean 'judge'?"),
        ([{"judge": {"criteria": "x", "negate": True}}], "unknown key 'negate' in scorers[0].judge"),
        ([{"judge": {"model": "fake:a", "models": ["fake:a", "fake:b"]}}], "judge has both model and models"),
        ([{"judge": {"models": ["fake:a", "fake:a"]}}], "judge.models names 'fake:a' twice"),
        ([{"judge": {"models": ["fake:a"]}}], "judge.models needs at least 2 entries"),
        ([{"judge": {"models": ["fake:a", "b"]}}], "judge.models[1] is wrong: the model 'b' names no provider"),
        ([{"judge": {"combine": "mean"}}], "judge.combine is about several models, and models names none"),
        (
            [{"judge": {"models": ["fake:a", "fake:b"], "combine": "vote"}}],
            "judge.combine must be mean, median or majority, not 'vote'",
        ),
        ([{"judge": {"template": "../judge.md"}}], "judge.template '../judge.md' leaves the repository"),
        ([{"judge": {"template": "judge.md"}}], "judge names the file 'judge.md', which only gate.yaml may"),
        (["rubric"], "rubric needs file or dimensions"),
        ([{"rubric": "rubric.yaml"}], "rubric names the file 'rubric.yaml', which only gate.yaml may"),
        (
            [{"rubric": {"file": "r.yaml", "threshold": 3}}],
            "rubric.threshold stands in the file that rubric",
        ),
        (
            [{"judge": {"criteria": "x", "model": "gpt-5"}}],
            "the model 'gpt-5' names no provider (write provider:name, ",
        ),
        ([{"judge": {"criteria": "x", "threshold": 7}}], "judge.threshold must be a number above 0 to 1, not 7"),
        ([{"judge": {"criteria": "x", "params": {"top_p": 0}}}], "judge.params.top_p must be a number above 0 to 1"),
    ],
)
def test_messages(written: JsonValue, message: str) -> None:
    assert message in errors(lambda: parse_scorers(written, "here"))


@pytest.mark.parametrize("mark", [0, -1, -0.0])
@pytest.mark.parametrize(
    "written", [{"judge": {"criteria": "x"}}, {"similarity": {"value": "x"}}, {"python": {"function": "a:b"}}], ids=str
)
def test_a_threshold_that_nothing_can_miss_is_a_mistake(written: dict[str, dict[str, JsonValue]], mark: float) -> None:
    ((kind, options),) = written.items()
    said = errors(lambda: parse_scorers([{kind: {**options, "threshold": mark}}], "here"))
    assert f"{kind}.threshold must be a number above 0 to 1, not {mark}" in said
    assert "(for example threshold: 0.7)" in said


def test_all_mistakes_are_told_at_once() -> None:
    written: JsonValue = [{"words": {"min": 3, "max": 2}}, {"language": "xx"}, {"contains": {"any": []}}, "exakt"]
    told = errors(lambda: parse_scorers(written, "here"))
    assert all(word in told for word in ("words has a min", "unknown language", "contains.any is", "'exakt'"))


def test_what_others_write_leads_to_a_kind_that_there_is() -> None:
    for written, meant in MEANT.items():
        assert meant.split(":")[0] in KINDS, written
        parse_scorers(YAML(typ="safe").load(f"[{{{meant}}}]" if ":" in meant else "[exact]"), "here")
