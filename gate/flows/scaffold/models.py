"""Who answers and who judges in a new configuration: the service whose key is there, or else the packaged model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.domain.jsonvalue import JsonValue
from gate.inputs.models import parse_model

PACKAGED = "local:gemma3-270m"
USUAL: Mapping[str, str] = {"openai": "openai:gpt-5-mini", "anthropic": "anthropic:claude-haiku-4-5"}
"""Who answers, by the service."""
JUDGES: Mapping[str, str] = {"openai": "openai:gpt-5", "anthropic": "anthropic:claude-opus-4-5"}
KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


@dataclass(frozen=True, slots=True)
class Models:
    """Models of a configuration.

    Args:
        answering: the default of all suites.
        judge: None where a judge is only made ready.
        params: neutral parameters of the default.
        named: the user says who answers, whatever another tool says.
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
        """Does an answer cost money, and need a key?"""
        return self.provider in KEYS

    @property
    def packaged(self) -> bool:
        return self.answering == PACKAGED

    def keys(self, others: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Variables that hold the keys.

        Args:
            others: models that suites name themselves.
        """
        named = (self.answering, *((self.judge,) if self.judge else ()), *others)
        providers = dict.fromkeys(parse_model(name).provider for name in named)
        return tuple(KEYS[provider] for provider in providers if provider in KEYS)


def chosen(model: str | None, judge: str | None, present: tuple[str, ...]) -> Models:
    """The models.

    Args:
        model: what the user says; None for what the keys suggest.
        judge: the same.
        present: services whose key is in the environment, the preferred one first.

    Raises:
        GateError: no name of a model.
    """
    answering = model or (USUAL[present[0]] if present else PACKAGED)
    provider = parse_model(answering, ()).provider
    if judge is not None:
        parse_model(judge, ())
    elif provider in KEYS:
        # A judge of another family does not prefer its own kind of answers.
        other = next((one for one in present if one != provider), provider)
        judge = JUDGES[other]
    return Models(answering, judge, _params(answering, provider), named=model is not None, served=present)


def label_params(models: Models) -> Mapping[str, JsonValue]:
    """What a base model needs besides where an answer is one word: where to stop."""
    own: Mapping[str, JsonValue] = {"max_output_tokens": 8}
    if models.provider != "local":
        return {}
    return own if models.packaged else {**own, "stop": ["\n"]}


def line_params(models: Models) -> Mapping[str, JsonValue]:
    """What the packaged model needs where an answer has several lines: the first one is no end."""
    return {"stop": ["\n\n"]} if models.packaged else {}


def _params(answering: str, provider: str) -> Mapping[str, JsonValue]:
    if provider == "local":
        own: Mapping[str, JsonValue] = {"max_output_tokens": 60, "temperature": 0}
        # A base model finds no end by itself: it would go on with the next question.
        return {**own, "stop": ["\n"], "chat_template": "passthrough"} if answering == PACKAGED else own
    return {"max_output_tokens": 2048} if provider in KEYS else {}
