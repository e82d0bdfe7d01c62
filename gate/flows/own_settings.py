"""Prompt files that name a model of their own: the gate's configuration counts, and a report says so."""

import json
from collections.abc import Iterable

from gate.domain.suite import Arm, Suite
from gate.inputs.ownsettings import own_model

_SAME = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_tokens": "max_output_tokens",
    "maxTokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "maxCompletionTokens": "max_output_tokens",
    "seed": "seed",
}
"""Parameters of such files, and what `gate.yaml` calls them."""


def settings_notes(suites: Iterable[Suite]) -> list[str]:
    """A sentence for each prompt file with such settings; another where the change edits them.

    Args:
        suites: every suite whose files differ, those without anything to compare among them.
    """
    notes: list[str] = []
    for suite in suites:
        new = dict(suite.candidate.version.prompt.unused)
        old = new if suite.baseline is None else dict(suite.baseline.version.prompt.unused)
        path = suite.candidate.version.path
        if edited := [key for key in {**old, **new} if old.get(key) != new.get(key)]:
            notes.append(
                f"{path} edits {_listed(edited)}, which the gate does not use: only a change of the suite's model and "
                "params is evaluated."
            )
        elif told := [key for key in new if not _agrees(key, new, suite.candidate)]:
            settings = _listed(told)
            notes.append(f"{path} sets {settings}, which the gate does not use: the suite's model and params count.")
    return list(dict.fromkeys(notes))


def _agrees(key: str, settings: dict[str, str], arm: Arm) -> bool:
    """Does `gate.yaml` say the same, so that there is nothing to tell?"""
    if key == "model" and (own := own_model(settings.items())) is not None:
        # What else a mapping says of the model is not looked into.
        return own == arm.model and settings[key].startswith('"')
    value = json.loads(settings[key])
    if key != "modelParameters" or not isinstance(value, dict):
        return False
    return all(name in _SAME and getattr(arm.params, _SAME[name]) == told for name, told in value.items())


def _listed(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else f"{', '.join(keys[:-1])} and {keys[-1]}"
