"""The model that a prompt file of another tool names, in the gate's own words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.prompts.reading import own_model


def named(value: object) -> str:
    return str(own_model([("modelParameters", "{}"), ("model", json.dumps(value))]))


@pytest.mark.parametrize(
    ("value", "model"),
    [
        ("openai/gpt-4o-mini", "openai:gpt-4o-mini"),
        ("claude-haiku-4-5", "anthropic:claude-haiku-4-5"),
        ({"api": "chat", "configuration": {"type": "openai", "name": "gpt-4o"}}, "openai:gpt-4o"),
        ({"configuration": {"type": "azure_openai", "azure_deployment": "ours"}}, "azure:ours"),
        # Nobody can tell how the gate would ask for it.
        ("meta/llama-3", "None"),
    ],
)
def test_a_model_by_its_name(value: object, model: str) -> None:
    assert named(value) == model


@given(st.recursive(st.none() | st.text(max_size=9), lambda inner: st.dictionaries(
    st.sampled_from(["id", "name", "configuration", "type", "provider"]), inner)))  # fmt: skip
def test_whatever_stands_there_is_a_usable_name_or_none(value: object) -> None:
    model = own_model([("model", json.dumps(value))])
    assert model is None or (model.name and model.name.isprintable())
