"""`provider:name` and parameters from outside YAML."""

import pytest

from gate.config.models import ModelRef, Params, parse_model, parse_params
from gate.errors import GateError
from gate.values import JsonValue
from tests.config.texts import errors


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("openai:gpt-5-mini", ModelRef("openai", "gpt-5-mini")),
        ("openai:llama3.2:1b", ModelRef("openai", "llama3.2:1b")),
        ("local:/models/my model.gguf", ModelRef("local", "/models/my model.gguf")),
    ],
)
def test_good_models(text: str, model: ModelRef) -> None:
    assert parse_model(text) == model
    assert str(model) == text


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("claude-opus", "the model 'claude-opus' has no provider", "for example anthropic:claude-opus; providers: "),
        ("gpt-5", "the model 'gpt-5' has no provider", "for example openai:gpt-5; providers: openai, anthropic, "),
        (
            "zzz:x",
            "unknown provider 'zzz' in the model 'zzz:x'",
            "known: openai, anthropic, azure, bedrock, vertex, ",
        ),
        ("openai:", "the model 'openai:' has no usable name after 'openai'", "write openai:NAME"),
    ],
)
def test_bad_models(text: str, message: str, hint: str) -> None:
    with pytest.raises(GateError) as caught:
        parse_model(text, ())
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_params_override_a_base_and_null_resets() -> None:
    base = Params(temperature=1.0, seed=3, timeout_s=9.0)
    changed = base.changed_by(Params(temperature=None, timeout_s=None, seed=4))
    assert changed == Params(seed=4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"stop": ["a"] * 17}, "params.stop has more than 16 entries"),
        ({"reasoning_effort": "Very High"}, "params.reasoning_effort must be a word such as low, medium or high"),
        ({"chat_template": "chatml"}, "params.chat_template must be passthrough, not 'chatml'"),
    ],
)
def test_bad_params(params: dict[str, JsonValue], message: str) -> None:
    assert message in errors(lambda: parse_params(params, "--set"))
