"""`gate.yaml`: defaults of a valid file, and every error message."""

import pytest

from gate.config.gatefile import expand, load
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, RunPolicy, SuitePolicy
from gate.limits import CONFIG_CHARS
from tests.config.texts import GOOD, errors


def wrong(old: str, new: str) -> str:
    assert old in GOOD
    return errors(lambda: load(GOOD.replace(old, new), "gate.yaml"))


def test_a_whole_file() -> None:
    config = load(GOOD, "gate.yaml")
    assert config.policy == RunPolicy()
    assert config.budget == Budget(max_calls=5000, max_usd=5.0, max_minutes=20.0, max_output_tokens=2048)
    support, triage = config.suites
    assert (support.name, support.prompt, support.cases, support.template, support.line) == (
        "support",
        "prompts/support.md",
        "evals/support/cases.jsonl",
        None,
        9,
    )
    assert support.model == ModelRef("anthropic", "claude-sonnet-5-5")
    assert support.params == Params(max_output_tokens=512, temperature=0.0)
    assert (support.samples, support.slices) == (3, ("tier", "lang", "length"))
    assert [spec.kind for spec in support.scorers] == ["contains", "judge"]
    assert support.policy == SuitePolicy(
        max_cost_increase=0.15, max_latency_increase=0.25, required=("tier=enterprise",), advisory=("lang=de",)
    )
    assert triage.model == ModelRef("local", "models/small.gguf")
    assert triage.params == Params(max_output_tokens=512, stop=("\n",))
    assert (triage.samples, triage.template, triage.slices) == (1, True, ())
    assert [spec.name for spec in triage.scorers] == ["exact", "exact-2"]
    assert triage.policy == SuitePolicy()


def test_the_shortest_file() -> None:
    text = "version: 1\nsuites: [{name: a, prompt: ./a.md, cases: b//c.jsonl, model: 'fake:x', scorers: [contains]}]"
    config = load(text, "gate.yaml")
    assert (config.policy, config.budget) == (RunPolicy(), Budget())
    suite = config.suites[0]
    assert (suite.prompt, suite.cases, suite.samples, suite.params) == ("a.md", "b/c.jsonl", 3, Params())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("budget:", "buget:", "gate.yaml:3: unknown key 'buget' (did you mean 'budget'?)"),
        ("max_usd: 5", "max_tokens: 5", "unknown key 'max_tokens' in budget (did you mean 'max_output_tokens'?)"),
        ("max_minutes: 20", "max_minutes: 1e999", "gate.yaml:3: '1e999' is too large a number"),
        ("fail_on: block", "fail_on: warn", "gate.yaml:2: policy.fail_on must be block or hold, not 'warn'"),
        ("method: maxt", "correction: holm", "gate.yaml:2: unknown key 'correction' in policy"),
        ("method: maxt", "margin: 0.02", "gate.yaml:2: unknown key 'margin' in policy"),
        (
            "anthropic:claude",
            "claude",
            "gate.yaml:5: defaults.model is not valid: the model 'claude-sonnet-5-5' has no provider",
        ),
        ("temperature: null", "max_tokens: 5", "gate.yaml:26: unknown key 'max_tokens' in suites[1].params"),
        ("name: triage", "name: support", "gate.yaml:21: suites[1].name 'support' is already used on line 9"),
        (
            "name: triage",
            "name: a/b",
            "gate.yaml:21: suites[1].name 'a/b' must not contain '/', which joins suite and slice",
        ),
        ("name: support", "nmae: support", "gate.yaml:9: 'name' is missing in suites[0] (for example name: support)"),
        ("    scorers: [exact, exact]\n", "", "gate.yaml:21: 'scorers' is missing in suites[1]"),
        ("model: anthropic:claude-sonnet-5-5\n  ", "", "gate.yaml:8: 'model' is missing in suites[0]"),
        ("prompts/support.md", "/etc/passwd", "gate.yaml:10: suites[0].prompt '/etc/passwd' is absolute"),
        ("prompts/support.md", "../support.md", "prompt '../support.md' leaves the repository ('..')"),
        ("prompts/support.md", ".git/config", "prompt '.git/config' is inside .git"),
        (
            "prompts/support.md",
            "python:a/b.py:f",
            "gate.yaml:10: suites[0].prompt 'python:a/b.py:f' is not python:module:function",
        ),
        ("prompts/support.md", "a.py", "gate.yaml:10: suites[0].prompt is a code file, not a prompt file"),
        (
            "evals/triage.jsonl",
            "store:a/b",
            "gate.yaml:23: suites[1].cases 'store:a/b': the name of a store's suite must not contain '/'",
        ),
        ("evals/triage.jsonl", "a.xlsx", "gate.yaml:23: suites[1].cases ends in .xlsx, which case files do not"),
        (
            "evals/triage.jsonl",
            '"*.jsonl"',
            "gate.yaml:23: suites[1].cases '*.jsonl' is a pattern (name one .jsonl file)",
        ),
        ("[tier, lang, length]", "[tier, tier]", "gate.yaml:12: suites[0].slices[1] lists 'tier' twice"),
        (
            "[tier, lang, length]",
            "[overall]",
            "gate.yaml:12: suites[0].slices[0] 'overall' must not be 'overall', the slice of all case",
        ),
        (
            "tier=enterprise",
            "teir=enterprise",
            "gate.yaml:19: suites[0].policy.required[0] 'teir=enterprise' uses the dimension 'teir',",
        ),
        ("lang=de", "tier=enterprise", "gate.yaml:20: suites[0].policy.advisory[0] is both required and advisory"),
        (
            "template: jinja2",
            "template: yes",
            "gate.yaml:28: suites[1].template must be jinja2, true or false, not 'yes'",
        ),
        (
            "contains:",
            "contans:",
            "gate.yaml:14: suites[0].scorers[0] is not a scorer: 'contans'",
        ),
        ("version: 1", "version: 2", "gate.yaml:1: version 2 is not supported; this gate reads version 1"),
        ("samples: 1", "samples: 1\n    samples: 2", "gate.yaml:26: the key 'samples' is already set on line 25"),
    ],
)
def test_messages(old: str, new: str, message: str) -> None:
    assert message in wrong(old, new)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "gate.yaml: is empty"),
        ("- a", "gate.yaml:1: must be a mapping, not a list"),
        ("version: 1\nsuites: []", "gate.yaml:2: suites is empty"),
        ("version: 1\nsuites:\n\t- a", "gate.yaml:3: invalid YAML: found character '\\t' that cannot start any token"),
        ("#" * (CONFIG_CHARS + 1), "gate.yaml: is longer than 262,144 characters"),
    ],
)
def test_files_that_are_not_configurations(text: str, message: str) -> None:
    assert message in errors(lambda: load(text, "gate.yaml"))


def test_a_pattern_is_one_suite_per_file() -> None:
    suite = load(GOOD, "gate.yaml").suites[1]
    found = expand(suite, ["prompts/b.j2", "prompts/a.j2"])
    assert [(one.name, one.prompt) for one in found] == [("triage:a", "prompts/a.j2"), ("triage:b", "prompts/b.j2")]
    assert expand(suite, []) == ()


def test_files_of_one_stem_keep_their_endings_in_the_name() -> None:
    suite = load(GOOD.replace("prompts/*.j2", "prompts/**/*.*"), "gate.yaml").suites[1]
    names = [one.name for one in expand(suite, ["prompts/x/a.md", "prompts/x/a.j2", "prompts/b.md"])]
    assert names == ["triage:b.md", "triage:x-a.j2", "triage:x-a.md"]
