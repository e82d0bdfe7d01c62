"""The JSON Schema of `gate.yaml` agrees with the parser."""

import pytest
from jsonschema import Draft202012Validator

from gate.inputs.schema import ID, config_schema
from gate.inputs.scorers.kinds import KINDS
from gate.inputs.scorers.validators import VALIDATORS
from tests.unit.inputs.schemas import FULL, FULL_JSON, SUITE, as_json, changed, in_parser, in_schema, narrowed, places
from tests.unit.inputs.texts import GOOD


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(config_schema())
    assert config_schema()["$id"] == ID
    assert ID.endswith("/1")


@pytest.mark.parametrize("text", [GOOD, FULL])
def test_good_files_are_good_in_both(text: str) -> None:
    value = as_json(text)
    assert in_schema(value)
    assert in_parser(value)


@pytest.mark.parametrize("path", list(places(FULL_JSON)), ids=str)
def test_unknown_keys_are_refused_by_both(path: tuple[str | int, ...]) -> None:
    kept, _ = narrowed(FULL_JSON, path)
    assert in_schema(kept)
    assert in_parser(kept)
    value = changed(FULL_JSON, path, "surprise", 1)
    assert not in_schema(value)
    assert not in_parser(value)


PARAMS = (*SUITE, "params")
SCORER = (*SUITE, "scorers", 0, "exact")
JUDGE = (*SUITE, "scorers", 6, "judge")
JURY = (*SUITE, "scorers", 8, "judge")
RUBRIC = (*SUITE, "scorers", 10, "rubric")
_ONE = [{"name": "a", "description": "b", "weight": 1}]


def scorer(kind: str) -> tuple[str | int, ...]:
    """Where the options of the first scorer of a kind stand that writes them as a mapping."""
    scorers = FULL_JSON["suites"][2]["scorers"]  # type: ignore[index]
    of_kind = [i for i, item in enumerate(scorers) if isinstance(item, dict) and isinstance(item.get(kind), dict)]
    return (*SUITE, "scorers", of_kind[0], kind)


@pytest.mark.parametrize(
    ("path", "key", "values"),
    [
        ((), "version", [1, 1.0, 2, "1", True]),
        ((), "policy", [None, {}, [], "x"]),
        ((), "suites", [[], {}, None, [None]]),
        (("policy",), "confidence", [0.5, 0.51, 0.99, 1, "0.9", True, None]),
        (("policy",), "fail_on", ["block", "hold", "warn", None]),
        (("policy",), "method", ["maxt", "percentile", "t", 1]),
        (("budget",), "max_calls", [0, 1, 2.0, 2.5, 10_000_000, 10_000_001]),
        (("budget",), "max_usd", [-1, 0, 0.5]),
        (("budget",), "max_minutes", [0, 0.1, 10_000]),
        (("budget",), "max_output_tokens", [0, 1, 2.5, 1_000_000, 1_000_001]),
        (("defaults",), "model", ["fake:x", "x", 3]),
        (SUITE, "samples", [0, 1, 100, 101, "3"]),
        (SUITE, "name", ["a", "a/b", "", " ", 3, "x" * 201]),
        (SUITE, "template", ["jinja2", True, False, "yes", None]),
        (SUITE, "slices", [[], ["a", "b"], ["a", "a"], "a", [3], [""]]),
        (SUITE, "promises", [None, {}, [], True, "x"]),
        ((*SUITE, "promises"), "model", ["fake:x", "x", None]),
        ((*SUITE, "promises"), "judge", ["fake:x", "x"]),
        ((*SUITE, "promises"), "params", [None, {}, {"seed": -1}]),
        ((*SUITE, "promises"), "tests", [0, 10, 11, -1, 2.5, "2", None]),
        ((*SUITE, "promises"), "spec", ["a.yaml", "", 3]),
        (SUITE, "scorers", [[], "exact", ["exact"], ["regex"], ["judge"], [3]]),
        (PARAMS, "max_output_tokens", [None, 0, 1, 1_000_001]),
        (PARAMS, "temperature", [None, -0.1, 0, 2, 2.1]),
        (PARAMS, "top_p", [None, 0, 0.1, 1, 1.1]),
        (PARAMS, "stop", [None, "", "\n", [], ["a"], ["a"] * 17, [""]]),
        (PARAMS, "seed", [None, -1, 0, 2**31 - 1, 2**31]),
        (PARAMS, "reasoning_effort", [None, "high", "High", ""]),
        (PARAMS, "prompt_cache", [None, True, "yes"]),
        (PARAMS, "chat_template", [None, "passthrough", "chatml"]),
        (PARAMS, "base_url", [None, "http://x", "ftp://x", "x"]),
        (PARAMS, "timeout_s", [None, 0, 0.1, 3600, 3601]),
        (SCORER, "value", ["a", "", 3]),
        (SCORER, "weight", [0, 0.1, 1000, 1001]),
        (SCORER, "required", [True, 1]),
        (JUDGE, "criteria", ["a", "", None]),
        (JUDGE, "threshold", [-0.1, 0, 1e-9, 1, 1.1]),
        (JUDGE, "params", [None, {}, {"seed": -1}]),
        (JUDGE, "model", ["fake:x", "x"]),
        (JUDGE, "sees_input", [True, "no"]),
        (JURY, "models", [["fake:a"], ["fake:a", "fake:b"], ["fake:a", "fake:a"], ["fake:a", "b"], "fake:a"]),
        (JURY, "combine", ["mean", "majority", "vote"]),
        (JURY, "template", ["a.md", "", 3]),
        (RUBRIC, "scale", [[1], [0, 10], [0, 10, 20], 5, ["a", "b"]]),
        (RUBRIC, "dimensions", [[], [{"name": "a"}], [{"name": "a", "description": "b"}], {}, ["a"]]),
        (
            RUBRIC[:-1],
            "rubric",
            [{"threshold": mark, "dimensions": _ONE} for mark in (-1, 0, 1, 1.1, 5, 5.1, "3")],
        ),
        ((*RUBRIC, "dimensions", 0), "weight", [1, 0, 1.1, "1"]),
        ((*RUBRIC, "dimensions", 0), "anchors", [None, {}, {"1": "a"}, {"1": ""}, [], "a"]),
        (scorer("contains"), "any", ["a", "", [], ["a", "a"], [1], ["a", ""], {}, None]),
        (scorer("json"), "fence", [True, "no", None]),
        (scorer("json_path"), "path", ["$", "", 3, None]),
        (scorer("json_path"), "equals", [1]),
        (scorer("json_path"), "exists", [False]),
        (scorer("json_path"), "one_of", [[], [None], "a", None, {}]),
        (scorer("number"), "value", [0, -1e15, 1e16, "{{ expected }}", "many", True, None]),
        (scorer("number"), "tolerance", [0, -1, "1", None]),
        (scorer("number"), "percent", [1]),
        (scorer("number"), "which", ["any", "first", "middle", None]),
        (scorer("number"), "decimal", ["point", "dot"]),
        (scorer("words"), "max", [1, 1.0, 1.5, 10_000_001, "3", None]),
        (scorer("characters"), "max", [0, -1]),
        (scorer("forbidden_words"), "words", ["a", ["a" * 201], ["a" * 200], [], None]),
        (scorer("forbidden_words"), "inflections", [False, 1]),
        (scorer("asks"), "about", ["a", [], ["a" * 201]]),
        (scorer("asks"), "words", [None, {}, {"a": "b"}, {"a": []}, {"-": ["b"]}, ["a"], {"a": [1]}]),
        (scorer("asks"), "max_questions", [0, 1, 1.5, 1_001]),
        (scorer("language"), "is", ["en", "", 3, None]),
        (scorer("similarity"), "metric", ["token_f1", "embedding", None]),
        (scorer("similarity"), "threshold", [-0.1, 0, 1, 1.1, None]),
        (scorer("paraphrases"), "n", [0, 1, 10, 11, "3"]),
        (scorer("paraphrases"), "max_copied", [-0.1, 0, 0.9, 1]),
        (scorer("python"), "function", ["a:b", "a.b:c", "a", "a:b:c", "a..b:c", ".a:b", "a/b:c", "python:a:b", "", 3]),
        (scorer("python"), "threshold", [-0.1, 0, 1, 1.1, "1"]),
        (scorer("latency"), "max_s", [0, 0.1, 86_400, 86_401, "1", None]),
        (scorer("cost"), "max_usd", [-1, 0, 1_000_001]),
        (
            (*SUITE, "scorers"),
            7,
            ["words", {"words": None}, {"words": {}}, {"sentences": 2}, "latency", "json", {"refusal": "x"}],
        ),
        ((*SUITE, "policy"), "max_cost_increase", [-0.1, 0, 10, 11, "10%"]),
        (SUITE, "threshold", [None, 0, 0.1, 1, 1.1, "0.8"]),
        ((*SUITE, "policy"), "min_pass_rate", [None, 0, 0.5, 1, "90%"]),
        ((*SUITE, "policy"), "slices", [None, {}, [], {"overall": {"min_pass_rate": 0.9}}, {"overall": 0.9}]),
        ((*SUITE, "policy"), "slices", [{"overall": None}, {"overall": {"min_rate": 0.9}}, {"tier": {}}, {"=a": {}}]),
    ],
    ids=str,
)
def test_ranges_and_types_agree(path: tuple[str | int, ...], key: str | int, values: list[object]) -> None:
    for value in values:
        whole = changed(FULL_JSON, path, key, value)
        assert in_schema(whole) == in_parser(whole), value


def test_every_kind_and_every_option_is_in_the_full_file() -> None:
    written = [item for item in FULL_JSON["suites"][2]["scorers"] if isinstance(item, dict)]  # type: ignore[index]
    for kind in VALIDATORS:
        given = [item[kind] for item in written if isinstance(item.get(kind), dict)]
        assert set(KINDS[kind].options) <= {key for options in given for key in options}, kind
