"""Policies: values of a valid one, and every error message."""

import pytest

from gate.config.gatefile import SuiteConfig, expand, load
from gate.config.policy import SlicePolicy, SuitePolicy
from tests.config.texts import errors

SUITE = """\
version: 1
suites:
  - name: new
    prompt: prompts/*.md
    cases: evals/new.jsonl
    model: fake:x
    slices: [tier]
    scorers: [contains]
    threshold: 0.8
    policy:
      min_pass_rate: 0.9
      slices:
        tier=enterprise: {min_pass_rate: 0.95}
        overall:
"""


def suite(text: str = SUITE) -> SuiteConfig:
    return load(text, "gate.yaml").suites[0]


def test_pass_rates_of_a_suite_and_a_slice() -> None:
    found = suite()
    assert found.threshold == 0.8
    assert found.policy == SuitePolicy(
        min_pass_rate=0.9, slices={"tier=enterprise": SlicePolicy(min_pass_rate=0.95), "overall": SlicePolicy()}
    )
    names = ("overall", "tier=free", "tier=enterprise")
    assert [found.policy.wanted_rate(name) for name in names] == [0.9, 0.9, 0.95]


def test_a_suite_of_a_pattern_remembers_it() -> None:
    assert [one.pattern for one in expand(suite(), ["prompts/a.md"])] == ["prompts/*.md"]
    assert suite().pattern == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "threshold:",
            "thresholds:",
            "gate.yaml:9: unknown key 'thresholds' in suites[0] (did you mean 'threshold'?)",
        ),
        ("min_pass_rate: 0.9\n", "min_score: 0.9\n", "gate.yaml:11: unknown key 'min_score' in suites[0].policy"),
        (
            "{min_pass_rate: 0.95}",
            "0.95",
            "gate.yaml:13: suites[0].policy.slices['tier=enterprise'] must be a mapping, not 0.95",
        ),
        (
            "tier=enterprise",
            "lang=de",
            "gate.yaml:13: suites[0].policy.slices['lang=de'] 'lang=de' uses the dimension 'lang', w",
        ),
        (
            "tier=enterprise",
            "enterprise",
            "gate.yaml:13: suites[0].policy.slices.enterprise 'enterprise' must be written dimension=",
        ),
    ],
)
def test_messages(old: str, new: str, message: str) -> None:
    assert old in SUITE
    assert message in errors(lambda: load(SUITE.replace(old, new), "gate.yaml"))
