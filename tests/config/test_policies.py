"""What a suite asks of new prompts: what a good policy says, and every message about a bad one."""

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


def test_a_suites_margin_and_a_slices_own() -> None:
    text = SUITE.replace("min_pass_rate: 0.9\n", "margin: 0.02\n").replace("min_pass_rate: 0.95", "margin: 0")
    policy = suite(text).policy
    names = ("overall", "tier=free", "tier=enterprise")
    assert [policy.margin_of(name) for name in names] == [0.02, 0.02, 0.0]


def test_a_suites_rate_and_a_slices_own() -> None:
    found = suite()
    assert found.threshold == 0.8
    assert found.policy == SuitePolicy(
        min_pass_rate=0.9, slices={"tier=enterprise": SlicePolicy(min_pass_rate=0.95), "overall": SlicePolicy()}
    )
    names = ("overall", "tier=free", "tier=enterprise")
    assert [found.policy.wanted_rate(name) for name in names] == [0.9, 0.9, 0.95]


def test_none_is_asked_for_by_default() -> None:
    found = suite(SUITE[: SUITE.index("    threshold")])
    assert (found.threshold, found.policy.min_pass_rate, dict(found.policy.slices)) == (None, None, {})
    assert found.policy.wanted_rate("overall") is None


def test_a_suite_of_a_pattern_remembers_it() -> None:
    assert [one.pattern for one in expand(suite(), ["prompts/a.md"])] == ["prompts/*.md"]
    assert suite().pattern == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.8", "0", "gate.yaml:9: suites[0].threshold must be a number above 0 to 1, not 0"),
        (
            "threshold:",
            "thresholds:",
            "gate.yaml:9: unknown key 'thresholds' in suites[0] (did you mean 'threshold'?)",
        ),
        (
            "e: 0.9\n",
            "e: 1\n",
            "gate.yaml:11: suites[0].policy.min_pass_rate must be a number above 0 and below 1, not 1",
        ),
        ("e: 0.9\n", "e: 90%\n", "policy.min_pass_rate must be a number above 0 and below 1, not '90%'"),
        ("min_pass_rate: 0.9\n", "min_score: 0.9\n", "gate.yaml:11: unknown key 'min_score' in suites[0].policy"),
        ("0.95", "7", "gate.yaml:13: suites[0].policy.slices['tier=enterprise'].min_pass_rate must be a number "),
        (
            "{min_pass_rate: 0.95}",
            "0.95",
            "gate.yaml:13: suites[0].policy.slices['tier=enterprise'] must be a mapping, not 0.95",
        ),
        (
            "{min_pass_rate",
            "{margin: 1, min_pass_rate",
            "gate.yaml:13: suites[0].policy.slices['tier=enterprise'].margin must be a number from 0 ",
        ),
        (
            "      min_pass_rate: 0.9\n",
            "      margin: -0.1\n",
            "gate.yaml:11: suites[0].policy.margin must be a number from 0 to below 1, not -0.1",
        ),
        (
            "      min_pass_rate: 0.9\n",
            "      margins: 0.1\n",
            "gate.yaml:11: unknown key 'margins' in suites[0].policy",
        ),
        (
            "{min_pass_rate",
            "{min_rate",
            "gate.yaml:13: unknown key 'min_rate' in suites[0].policy.slices['tier=enterprise']",
        ),
        (
            "tier=enterprise",
            "lang=de",
            "gate.yaml:13: suites[0].policy.slices['lang=de'] 'lang=de' names the dimension 'lang', w",
        ),
        (
            "tier=enterprise",
            "enterprise",
            "gate.yaml:13: suites[0].policy.slices.enterprise 'enterprise' must be written dimension=",
        ),
        (
            "      slices:\n        tier=enterprise: {min_pass_rate: 0.95}\n        overall:",
            "      slices: [a]",
            "a list",
        ),
    ],
)
def test_messages(old: str, new: str, message: str) -> None:
    assert old in SUITE
    assert message in errors(lambda: load(SUITE.replace(old, new), "gate.yaml"))
