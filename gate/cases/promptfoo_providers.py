"""Providers of promptfoo as models and parameters of the gate."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.cases.losses import Losses
from gate.cases.promptfoo_files import FILE, PromptfooFile, items
from gate.config.documents import Document, quoted
from gate.config.models import foreign_model, parse_params
from gate.errors import InputErrors
from gate.values import JsonValue

_DATA = (".yaml", ".yml", ".json")
_SETTINGS = frozenset({"id", "label", "config", "prompts", "delay"})
PARAMS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "maxTokens": "max_output_tokens",
    "maxOutputTokens": "max_output_tokens",
    "maxCompletionTokens": "max_output_tokens",
    "topP": "top_p",
    "seed": "seed",
    "stop": "stop",
    "stopSequences": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoningEffort": "reasoning_effort",
}
"""Names of parameters in other tools, and here."""
_INTERFACES = {"openai": ("chat", "responses"), "anthropic": ("messages",), "azure": ("chat",)}
"""Words between the name of a provider and its model."""
_OTHER_MODELS = ("embedding", "moderation", "realtime", "agent", "-sdk", "image", "transcri")
_NAMES_SHOWN = 3


@dataclass(slots=True)
class PromptfooProvider:
    """An entry of `providers`.

    Args:
        settings: empty for a name alone.
        model: None if it is not a model of the gate.
        prompts: labels of the prompts that it answers.
        other_prompts: labels of the prompts that an earlier provider answers.
    """

    name: str
    settings: Mapping[str, JsonValue]
    line: int
    model: str | None
    prompts: list[str] = field(default_factory=list)
    other_prompts: list[str] = field(default_factory=list)
    params: dict[str, JsonValue] = field(default_factory=dict)

    def answers(self, names: Collection[str]) -> bool:
        """Does its filter `prompts` let a prompt with these names through?"""
        filters = self.settings.get("prompts")
        return not isinstance(filters, list) or any(_matches(str(text), names) for text in filters)


def _matches(wanted: str, names: Collection[str]) -> bool:
    """Is it one of the names, or `group:*` for names that begin with the group?"""
    group = wanted.removesuffix("*").removesuffix(":")
    return any(name in (wanted, group) or name.startswith(f"{group}:") for name in names)


def read_providers(node: Document | None, file: PromptfooFile) -> list[PromptfooProvider]:
    """All providers; those that are not models of the gate become losses."""
    providers: list[PromptfooProvider] = []
    for item in _provider_nodes(node, file):
        name, settings = _name_and_settings(item.data)
        model = model_of(name)
        if model is None:
            problem = f"the provider {quoted(name or 'without an id')} is not a model of the gate"
            hint = "name a model: openai:…, anthropic:…, or one of a server under providers: in gate.yaml"
            file.losses.add(item.line, problem, hint)
        providers.append(PromptfooProvider(name, settings, item.line, model))
    return providers


def _provider_nodes(node: Document | None, file: PromptfooFile) -> Iterator[Document]:
    """The providers, also those of named files."""
    for item in items(node):
        if isinstance(item.data, str) and item.data.startswith(FILE) and item.data.endswith(_DATA):
            loaded = items(file.load(item.data, item.line, "a provider"))
            yield from (replace(provider, line=item.line) for provider in loaded)
        else:
            yield item


def _name_and_settings(value: JsonValue) -> tuple[str, Mapping[str, JsonValue]]:
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict):
        return "", {}
    if "id" in value:
        return str(value["id"]), value
    name, inner = next(iter(value.items()), ("", None))
    return (name, inner) if len(value) == 1 and isinstance(inner, dict) else ("", {})


def choose_provider(
    providers: Sequence[PromptfooProvider], label: str, names: Collection[str], losses: Losses
) -> PromptfooProvider | None:
    """The first model that answers a prompt, without a model if only others do; None and a loss if none does.

    Args:
        names: what a filter may call the prompt.
    """
    answering = [provider for provider in providers if provider.answers(names)]
    if providers and not answering:
        losses.add(0, f"the prompt {quoted(label)} is left out: no provider answers it", "name it in its prompts:")
        return None
    models = [provider for provider in answering if provider.model is not None]
    for provider in models[1:]:
        provider.other_prompts.append(label)
    if not models:
        return PromptfooProvider("", {}, 0, None)
    models[0].prompts.append(label)
    return models[0]


def set_params(providers: Sequence[PromptfooProvider], losses: Losses) -> None:
    """Read the parameters of each chosen provider; what is left out becomes a loss."""
    for provider in providers:
        if provider.other_prompts:
            labels = ", ".join(map(quoted, provider.other_prompts[:_NAMES_SHOWN]))
            where = f" for {labels}" if provider.prompts else ""
            problem = f"the provider {quoted(provider.name)} is left out{where}: a suite has one model"
            losses.add(provider.line, problem, "gate diff --model")
        if provider.prompts:
            provider.params = params_of(provider.settings.get("config"), provider.line, losses)
            if others := sorted(provider.settings.keys() - _SETTINGS):
                losses.add(provider.line, f"{', '.join(others)} of the provider {quoted(provider.name)} are left out")


def params_of(config: JsonValue, line: int, losses: Losses) -> dict[str, JsonValue]:
    """The supported parameters; the others become losses."""
    params: dict[str, JsonValue] = {}
    for key, value in config.items() if isinstance(config, dict) else ():
        if key not in PARAMS:
            hint = "name its server under providers: in gate.yaml" if key == "apiBaseUrl" else ""
            losses.add(line, f"{quoted(key)} of the model is left out", hint)
            continue
        try:
            parse_params({PARAMS[key]: value}, "params")
        except InputErrors as errors:
            losses.add(line, f"{quoted(key)} of the model is left out: {errors.problems[0].message}")
        else:
            params[PARAMS[key]] = value
    return params


def model_of(provider: JsonValue) -> str | None:
    """Convert `openai:chat:gpt-5-mini` to `openai:gpt-5-mini`; None for an unknown provider."""
    if isinstance(provider, dict):
        provider = provider.get("id") or (next(iter(provider), None) if len(provider) == 1 else None)
    if not isinstance(provider, str):
        return None
    owner, _, name = provider.partition(":")
    if owner in _INTERFACES:
        interface, mark, rest = name.partition(":")
        if mark and interface not in _INTERFACES[owner]:
            return None
        name = rest if mark else name
        if name in ("chat", "completion", "responses", "messages"):
            return None
    elif owner not in ("bedrock", "vertex"):
        return None
    if any(word in name for word in _OTHER_MODELS):
        return None
    model = foreign_model(f"{owner}:{name}")
    return f"{model.provider}:{model.name}" if model is not None else None
