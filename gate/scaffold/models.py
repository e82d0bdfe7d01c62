"""The models of a new configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.config.models import parse_model
from gate.values import JsonValue

PACKAGED = "local:gemma3-270m"
USUAL: Mapping[str, str] = {"openai": "openai:gpt-5-mini", "anthropic": "anthropic:claude-haiku-4-5"}
"""Default model by service."""
JUDGES: Mapping[str, str] = {"openai": "openai:gpt-5", "anthropic": "anthropic:claude-opus-4-5"}
KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


@dataclass(frozen=True, slots=True)
class ConfigurationModels:
    """Models of a configuration.

    Args:
        answering: the default of all suites.
        judge: None if no service has one.
        params: neutral parameters of the default.
        named: the user named the model, so it replaces another tool's.
        served: services whose key is set.
    """

    answering: str
    judge: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    named: bool = False
    served: tuple[str, ...] = ()

    @property
    def provider(self) -> str:
        return parse_model(self.answering, ()).provider

    @property
    def hosted(self) -> bool:
        """Does the model cost money and need a key?"""
        return self.provider in KEYS

    @property
    def packaged(self) -> bool:
        return self.answering == PACKAGED

    def keys(self, others: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Environment variables with the keys, also for models of single suites."""
        named = (self.answering, *((self.judge,) if self.judge else ()), *others)
        providers = dict.fromkeys(parse_model(name).provider for name in named)
        return tuple(KEYS[provider] for provider in providers if provider in KEYS)


def chosen_models(model: str | None, present: tuple[str, ...]) -> ConfigurationModels:
    """Choose the models.

    Args:
        model: None to choose by the keys.
        present: services whose key is set, the preferred one first.

    Raises:
        GateError: not the name of a model.
    """
    answering = model or USUAL[present[0] if present else "openai"]
    provider = parse_model(answering, ()).provider
    # A judge of another family does not prefer its own kind of answers.
    other = next((one for one in present if one != provider), provider)
    judge = JUDGES.get(other)
    return ConfigurationModels(answering, judge, _params(answering, provider), named=model is not None, served=present)


def label_params(models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Additional parameters of a base model for answers of one word: where to stop."""
    own: Mapping[str, JsonValue] = {"max_output_tokens": 8}
    if models.provider != "local":
        return {}
    return own if models.packaged else {**own, "stop": ["\n"]}


def line_params(models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Parameters of the packaged model for answers of several lines: the first line is not the end."""
    return {"stop": ["\n\n"]} if models.packaged else {}


def _params(answering: str, provider: str) -> Mapping[str, JsonValue]:
    if provider == "local":
        own: Mapping[str, JsonValue] = {"max_output_tokens": 60, "temperature": 0}
        # A base model finds no end by itself: it would go on with the next question.
        return {**own, "stop": ["\n"], "chat_template": "passthrough"} if answering == PACKAGED else own
    return {"max_output_tokens": 2048} if provider in KEYS else {}
