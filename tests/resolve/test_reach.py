"""What a scorer of a case needs beside the case, and which of it the suite in gate.yaml names."""

import json

import pytest

from gate.cases import reading as cases
from gate.cases.case import Case
from gate.config.gatefile import SuiteConfig, load
from gate.config.values import StoreName
from gate.resolve.one_version import Chosen, resolve_one
from gate.resolve.pairing import StoredCases
from gate.resolve.trust import foreign_scorers, own_reaches
from gate.values import JsonValue
from tests.resolve.files import Files

ASKED = {"url": "DB", "query": "select 1"}
TABLE = {"url": "DB", "conversation": {"table": "t", "key": "id"}}


def suite(scorers: list[JsonValue], **more: JsonValue) -> SuiteConfig:
    entry = {"name": "s", "prompt": "p.md", "cases": "store:s", "model": "openai:gpt-5", "scorers": scorers, **more}
    return load(json.dumps({"version": 1, "suites": [entry]}), "gate.yaml").suites[0]


def case(*scorers: JsonValue, key: str = "scorers", name: str = "c") -> Case:
    entry = {"id": name, "input": "Hi", "expected": "x", key: list(scorers)}
    return cases.parse(json.dumps(entry), "store:s@1")[0]


def judge(**options: JsonValue) -> JsonValue:
    return {"judge": {"criteria": "kind", **options}}


FREE: list[JsonValue] = [
    "contains",
    {"regex": "[0-9]+"},
    {"tools": {"all": ["search"]}},
    judge(),
    judge(params={"temperature": 0.1}),
    {"judge": {"criteria": "{{ expected }}"}},
]


@pytest.mark.parametrize("scorer", FREE)
@pytest.mark.parametrize("key", ["scorers", "extra_scorers"])
def test_what_reads_the_answer_or_asks_the_suites_model_is_free(scorer: JsonValue, key: str) -> None:
    assert list(own_reaches(case(scorer, key=key))) == []
    assert foreign_scorers([case(scorer, key=key)], suite(["contains"]), "store:s@1") == ()


@pytest.mark.threat("case-reach")
@pytest.mark.parametrize(
    ("brought", "named"),
    [
        ({"python": "evals.checks:polite"}, {"python": "evals.checks:rude"}),
        ({"python": "evals.checks:polite"}, {"database": {**ASKED, "equals": 1}}),
        ({"database": {**ASKED, "equals": 1}}, {"database": {**ASKED, "url": "OTHER", "equals": 1}}),
        ({"database": {**ASKED, "equals": 1}}, {"database": {**TABLE}}),
        (judge(model="openai:gpt-5-pro"), judge()),
        (judge(models=["openai:gpt-5", "openai:gpt-5-pro"]), judge()),
        ({"pairwise": {"model": "openai:gpt-5-pro"}}, judge()),
        (judge(model="local:models/m.gguf"), judge()),
        (judge(model="fake:oracle"), judge()),
    ],
)
def test_what_reaches_further_than_the_suite_is_reported_with_case_scorer_and_remedy(
    brought: JsonValue, named: JsonValue
) -> None:
    (problem,) = foreign_scorers([case(brought, name="odd"), case("contains")], suite([named]), "store:s@1")
    assert problem.file == "store:s@1"
    assert problem.message.startswith("case 'odd': its scorer '")
    assert "suite s in gate.yaml" in problem.hint


@pytest.mark.parametrize(
    ("brought", "named"),
    [
        ({"python": {"function": "evals.checks:polite", "threshold": 0.2}}, {"python": "evals.checks:polite"}),
        ({"database": {**ASKED, "equals": 7, "name": "mine"}}, {"database": {**ASKED, "equals": 1}}),
        (
            judge(model="anthropic:claude-haiku-4-5"),
            {"rubric": {"file": "r.yaml", "model": "anthropic:claude-haiku-4-5"}},
        ),
        (judge(model="openai:gpt-5"), "contains"),
    ],
)
def test_what_the_suite_names_too_is_the_cases_to_use_with_other_expectations(
    brought: JsonValue, named: JsonValue
) -> None:
    assert foreign_scorers([case(brought)], suite([named]), "store:s@1") == ()


class OneSuite:
    """A store with one suite of one case."""

    def __init__(self, entry: dict[str, JsonValue]) -> None:
        self.entry = entry

    def read(self, name: StoreName) -> StoredCases:
        return StoredCases("store:s@1", "sha256:0", json.dumps(self.entry) + "\n")


SECRET = "keys.txt"
INCLUDE = f"{{% include '{SECRET}' %}}"


@pytest.mark.threat("case-file")
def test_no_file_is_read_that_a_case_names() -> None:
    entry: dict[str, JsonValue] = {
        "id": "c",
        "input": f"{INCLUDE} {{file: {SECRET}}} $include {SECRET} file://{SECRET}",
        "vars": {"$include": SECRET, "$ref": SECRET},
        "expected": {"$ref": SECRET},
        "criteria": INCLUDE,
        "scorers": [{"judge": {"criteria": "kind", "calibration": SECRET}}],
    }
    one = {"name": "s", "prompt": "p.md.j2", "cases": "store:s", "model": "openai:gpt-5", "scorers": ["contains"]}
    config = json.dumps({"version": 1, "suites": [one]})
    files = Files({"gate.yaml": config, "p.md.j2": "{{ input }}", SECRET: "hidden"}, "main")
    (suite,) = resolve_one(files, "gate.yaml", Chosen(), stored_suites=OneSuite(entry)).suites
    assert set(files.reads) == {"gate.yaml", "p.md.j2"}
    assert "hidden" not in repr(suite)
