"""`promises` of a suite in `gate.yaml`."""

import pytest

from gate.config.gatefile import PromisesConfig, load
from gate.config.models import ModelRef, Params
from tests.config.texts import GOOD, errors

SUITE, OTHER = ModelRef("openai", "small"), ModelRef("anthropic", "large")
OWN = Params(chat_template="passthrough", temperature=0.7)


def read(entry: str) -> PromisesConfig | None:
    """What the first suite says."""
    name = "  - name: support\n"
    return load(GOOD.replace(name, f"{name}    promises: {entry}\n"), "gate.yaml").suites[0].promises


def test_without_an_entry_promises_are_off() -> None:
    assert load(GOOD, "gate.yaml").suites[0].promises is None


def test_an_empty_entry_switches_it_on() -> None:
    assert read("{}") == PromisesConfig()


def test_everything_is_read() -> None:
    found = read("{model: openai:a, params: {seed: 3}, judge: anthropic:b, tests: 0, spec: ./specs/x.yaml}")
    model, judge = ModelRef("openai", "a"), ModelRef("anthropic", "b")
    assert found == PromisesConfig(model=model, params=Params(seed=3), judge=judge, tests=0, spec="specs/x.yaml")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{specification: x.yaml}", "spec"),
        ("{spec: ../x.yaml}", "promises.spec"),
        ("{model: gpt}", "model"),
    ],
)
def test_errors_name_the_value(entry: str, said: str) -> None:
    assert said in errors(lambda: read(entry))


def test_the_suites_model_is_called_with_its_chat_template() -> None:
    found = PromisesConfig().completed(SUITE, OWN)
    assert (found.model, found.judge) == (SUITE, SUITE)
    assert found.params == Params(chat_template="passthrough")  # a temperature for answers is none for extraction


def test_params_do_not_apply_to_a_judge_of_another_provider() -> None:
    own = PromisesConfig(params=Params(seed=1), judge=OTHER)
    assert own.completed(SUITE, OWN).judge_params == Params()
    assert PromisesConfig(params=Params(seed=1)).completed(SUITE, Params()).judge_params == Params(seed=1)
