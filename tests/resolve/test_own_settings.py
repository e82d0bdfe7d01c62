"""What is said about the model that a prompt file names."""

import json
from types import SimpleNamespace
from typing import cast

import pytest

from gate.config.models import ModelRef, Params
from gate.resolve.resolved import settings_notes
from gate.suite import Suite


@pytest.mark.parametrize(
    ("model", "temperature", "told"),
    [
        ("openai/gpt-4o-mini", 0.3, ""),
        ("openai/gpt-4o-mini", 0.5, "sets modelParameters, which"),
        ("openai/gpt-4.1", 0.3, "sets model, which"),
        ("mistral/large", 0.5, "sets model and modelParameters, which"),
    ],
)
def test_settings_that_gate_yaml_repeats_are_not_told(model: str, temperature: float, told: str) -> None:
    """`gate init` writes them down there, and a note at every run would be noise."""
    unused = (("model", json.dumps(model)), ("modelParameters", json.dumps({"temperature": temperature})))
    version = SimpleNamespace(prompt=SimpleNamespace(unused=unused), path="a.prompt.yml")
    arm = SimpleNamespace(version=version, model=ModelRef("openai", "gpt-4o-mini"), params=Params(temperature=0.3))
    notes = settings_notes([cast(Suite, SimpleNamespace(baseline=None, candidate=arm))])
    assert told in " ".join(notes) if told else notes == []
