"""Parameters of another tool's file that the model which will answer does not take."""

from collections.abc import Mapping
from dataclasses import replace

from gate.domain.jsonvalue import JsonValue
from gate.flows.scaffold.models import Models
from gate.flows.scaffold.proposing import Seen
from gate.formats.bundle import Bundle, BundleSuite, Loss
from gate.inputs.models import parse_model, parse_params
from gate.providers.parameters import refusal


def fitted(seen: Seen, models: Models) -> Seen:
    """The same without such parameters; each is a loss of the file that names it.

    Args:
        seen: what was found.
        models: who answers where the other tool does not say it, or the user does.
    """
    return replace(seen, bundles={path: _fitted(path, bundle, models) for path, bundle in seen.bundles.items()})


def _fitted(path: str, bundle: Bundle, models: Models) -> Bundle:
    suites: list[BundleSuite] = []
    losses: dict[Loss, None] = dict.fromkeys(bundle.losses)
    for suite in bundle.suites:
        own = None if models.named else suite.model
        kept, refused = _taken(suite.params, own or models.answering, path)
        suites.append(replace(suite, params=kept))
        losses |= dict.fromkeys(Loss(path, f"{name} is left out: {why}") for name, why in refused.items())
    return replace(bundle, suites=tuple(suites), losses=tuple(losses))


def _taken(params: Mapping[str, JsonValue], model: str, path: str) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """What the model takes; and of the rest why it does not."""
    kept: dict[str, JsonValue] = {}
    refused: dict[str, str] = {}
    # It decides whether others are taken.
    for name in sorted(params, key=lambda one: one != "reasoning_effort"):
        with_it = {**kept, name: params[name]}
        if error := refusal(parse_model(model), parse_params(with_it, path)):
            refused[name] = error.message
        else:
            kept = with_it
    return kept, refused
