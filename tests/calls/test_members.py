"""Who judges, and at which temperature."""

from pathlib import Path

import pytest

from gate.app.run_tools import members
from gate.calls.endpoints import Keys
from gate.calls.providers.factory import Factory
from gate.config.scorer import ScorerSpec
from gate.values import JsonValue


@pytest.mark.parametrize(
    ("model", "params", "temperature"),
    [
        ("openai:gpt-4o", {}, 0.0),
        ("openai:gpt-4o", {"temperature": 0.7}, 0.7),
        ("openai:gpt-5", {}, None),
        ("openai:gpt-5", {"reasoning_effort": "none"}, 0.0),
        ("anthropic:claude-opus-4-5", {}, None),
        ("fake:judge", {}, 0.0),
        ("local:no-such.gguf", {}, 0.0),
    ],
)
def test_temperature_is_0_where_the_interface_takes_one(
    model: str, params: dict[str, JsonValue], temperature: float | None
) -> None:
    # No key, no file: who judges is known without them.
    factory = Factory(Keys(), Path("no-such-folder"), 1, lambda _: "")
    (found,) = members(ScorerSpec("judge", "j", {"model": model, "params": params}), factory)
    assert (str(found[0]), found[1].temperature) == (model, temperature)
    pair = members(ScorerSpec("judge", "j", {"models": [model, "fake:judge"], "params": params}), factory)
    assert [str(one) for one, _ in pair] == [model, "fake:judge"]
