"""The settings that a prompt file brings, such as `model` in a `.prompt.yml`: used where a change edits them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gate.config.models import SERVICES, ModelRef, parse_params
from gate.errors import CannotEvaluate
from gate.prompts.reading import own_model
from gate.record.findings.finding import Finding, distinct
from gate.record.findings.notes import SettingsEdited, SettingsUnused
from gate.suite import Arm, Suite
from gate.values import JsonValue

_PARAMETERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_tokens": "max_output_tokens",
    "maxTokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "maxCompletionTokens": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "maxOutputTokens": "max_output_tokens",
    "seed": "seed",
    "stop": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoningEffort": "reasoning_effort",
}
"""Parameters of such files, and their names in `gate.yaml`."""
_NAMES_OF_A_MODEL = frozenset("model id name type provider azure_deployment".split())


def arms_with_edits(baseline: Arm, candidate: Arm) -> tuple[Arm, Arm]:
    """The arms, each with the settings of its own file that the change edits; all others are those of the suite.

    Raises:
        CannotEvaluate: a setting that the gate cannot send.
        InputErrors: a value that no model takes.
    """
    before, after = _leaves(baseline), _leaves(candidate)
    edited = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    model = any(_names_model(name) for name in edited)
    parameters = [name for name in edited if _parameter(name)]
    unsent = [name for name in edited if not _names_model(name) and not _parameter(name)]
    arms = [_with_parameters(arm, leaves, parameters) for arm, leaves in ((baseline, before), (candidate, after))]
    models = [_model(arm, baseline) for arm in (baseline, candidate)] if model else [arm.model for arm in arms]
    unsent += ["model"] if None in models else []
    if unsent:
        message = f"{candidate.version.path} edits {_listed(unsent)}, which the gate cannot send, so nothing tests it"
        raise CannotEvaluate(message, "test it in another way, and set the override label")
    old, new = (replace(arm, model=found) for arm, found in zip(arms, models, strict=True) if found is not None)
    return old, new


def _leaves(arm: Arm) -> dict[str, JsonValue]:
    """The settings of an arm's file, with dots between the keys."""
    leaves: dict[str, JsonValue] = {}
    waiting: list[tuple[str, JsonValue]] = [(key, json.loads(text)) for key, text in arm.version.prompt.unused]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{name}.{key}", inner) for key, inner in value.items()]
        else:
            leaves[name] = value
    return leaves


def _names_model(name: str) -> bool:
    parts = name.split(".")
    return parts[0] == "model" and parts[-1] in _NAMES_OF_A_MODEL


def _parameter(name: str) -> str:
    """The name in `gate.yaml`; empty for any other setting."""
    parts = name.split(".")
    return (
        _PARAMETERS.get(parts[-1], "") if parts[0] in (*_PARAMETERS, "model", "modelParameters", "parameters") else ""
    )


def _with_parameters(arm: Arm, leaves: Mapping[str, JsonValue], names: Iterable[str]) -> Arm:
    own = {_parameter(name): leaves[name] for name in names if name in leaves}
    return replace(arm, params=arm.params.changed_by(parse_params(own, arm.version.path))) if own else arm


def _model(arm: Arm, baseline: Arm) -> ModelRef | None:
    """The model that an arm's file names, at the suite's provider where that has the same names; None for no name."""
    settings = dict(arm.version.prompt.unused)
    if not any(_names_model(name) for name in _leaves(arm)):
        return arm.model
    before, after = (json.loads(dict(one.version.prompt.unused).get("model", "null")) for one in (baseline, arm))
    provider = baseline.model.provider
    if isinstance(after, str) and (before == baseline.model.name or after.startswith(f"{provider}/")):
        return ModelRef(provider, after.removeprefix(f"{provider}/"))
    model = own_model(settings.items())
    return model if model is not None and model.provider in (*SERVICES, provider) else None


def settings_notes(suites: Iterable[Suite], *, of_command: bool = False) -> list[Finding]:
    """A note for each prompt file with settings that are not used, and for each whose edits are.

    Args:
        of_command: model and parameters are those of the command line, whatever the files say.
    """
    notes: list[Finding] = []
    for suite in suites:
        new = dict(suite.candidate.version.prompt.unused)
        old = new if suite.baseline is None else dict(suite.baseline.version.prompt.unused)
        path = suite.candidate.version.path
        if edited := [key for key in {**old, **new} if old.get(key) != new.get(key)]:
            notes.append(SettingsEdited(path=path, edited=edited, overridden=of_command))
        elif unused := [key for key in new if not _agrees(key, suite.candidate)]:
            notes.append(SettingsUnused(path=path, unused=unused))
    return distinct(notes)


def _agrees(key: str, arm: Arm) -> bool:
    """Does `gate.yaml` say the same, so that nothing has to be reported?"""
    if key == "model" and (own := own_model(arm.version.prompt.unused)) is not None:
        # Other values of a mapping about the model are not compared.
        return own == arm.model and dict(arm.version.prompt.unused)[key].startswith('"')
    if key != "modelParameters":
        return False
    values = {name: value for name, value in _leaves(arm).items() if name.startswith("modelParameters.")}
    return all(_parameter(name) and getattr(arm.params, _parameter(name)) == value for name, value in values.items())


def _listed(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else f"{', '.join(keys[:-1])} and {keys[-1]}"
