import json
from pathlib import Path

import pytest

from gate.environment.settings import Settings
from gate.errors import GateError, InputErrors
from gate.web.jobs.trial import CaseTrial, branches, choices, has_configuration, resolve_trial
from tests.support import repository
from tests.support.command import git

CONFIG = """\
version: 1
suites:
  - name: short
    prompt: a.md
    cases: absent.jsonl
    model: openai:gpt-5-mini
    scorers: [contains]
    slices: [tier]
    policy: {required: [tier=x]}
  - name: long
    prompt: b.md
    cases: "store:long"
    model: anthropic:claude-haiku-4-5
    params: {max_output_tokens: 77}
    scorers: [contains]
  - {name: again, prompt: b.md, cases: absent.jsonl, model: "openai:gpt-5-mini", scorers: [contains]}
"""
CASE = json.dumps({"id": "one", "input": "Hi", "expected": "Hello"})


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = repository.make(tmp_path / "r", {"gate.yaml": CONFIG, "a.md": "A", "b.md": "B"})
    git(made, "branch", "zeta")
    return made


def test_a_configuration_offers_its_suites_and_each_model_once(repo: Path) -> None:
    found = choices(repo, Settings())
    assert [(one.name, one.cases, one.model) for one in found.suites] == [
        ("short", "absent.jsonl", "openai:gpt-5-mini"),
        ("long", "store:long", "anthropic:claude-haiku-4-5"),
        ("again", "absent.jsonl", "openai:gpt-5-mini"),
    ]
    assert sorted(one.name for one in found.models) == ["anthropic:claude-haiku-4-5", "openai:gpt-5-mini"]
    assert next(one.dollars for one in found.models if one.name == "openai:gpt-5-mini") == pytest.approx((0.25, 2.0))


def test_another_model_is_asked_as_the_suite_that_names_it_asks_it(repo: Path) -> None:
    (suite,) = resolve_trial(CaseTrial("short", CASE, model="anthropic:claude-haiku-4-5"), repo).suites
    assert (str(suite.candidate.model), suite.candidate.params.max_output_tokens) == ("anthropic:claude-haiku-4-5", 77)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (CaseTrial("nope", CASE), "no suite named"),
        (CaseTrial("short", CASE, model="openai:gpt-5"), "no suite of gate.yaml uses"),
        (CaseTrial("short", json.dumps({"id": "one", "input": 3})), "must be"),
        (CaseTrial("short", "no JSON"), "the case"),
    ],
)
def test_what_is_not_there_is_told(repo: Path, wanted: CaseTrial, told: str) -> None:
    with pytest.raises((GateError, InputErrors), match=told):
        resolve_trial(wanted, repo)


def test_a_scorer_of_the_suite_may_reach_what_a_scorer_of_the_case_may_not(repo: Path) -> None:
    code = '{"python": {"function": "checks:polite"}}'
    repository.write(repo, {"checks.py": "def polite(sample):\n    return 1.0\n"})
    case = json.dumps({"id": "one", "input": "Hi", "expected": "x", "scorers": [json.loads(code)]})
    with pytest.raises(InputErrors, match="not allowed for cases of a store"):
        resolve_trial(CaseTrial("short", case), repo)
    repository.write(repo, {"gate.yaml": CONFIG.replace("scorers: [contains]", f"scorers: [{code}]")})
    assert resolve_trial(CaseTrial("short", case), repo).suites


def test_branches_begin_with_the_likeliest(repo: Path, tmp_path: Path) -> None:
    assert branches(repo) == ("main", "zeta")
    assert (has_configuration(repo), has_configuration(tmp_path), branches(tmp_path)) == (True, False, ())
