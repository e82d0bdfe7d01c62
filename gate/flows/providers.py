"""The servers that `providers:` of gate.yaml names: which of them count, and whether every model's provider is known.

They are read from the base alone: a pull request cannot have a key sent to an address of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gate.config.gatefile import Config
from gate.domain.model import ModelRef, ProviderServer
from gate.domain.suite import Suite
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.inputs.models import parse_model


def with_servers(resolved: Resolved, counting: Config | None, head: Config | None = None, base: str = "") -> Resolved:
    """The same, with the servers that count.

    Args:
        resolved: what there is to evaluate.
        counting: whose servers count; None where there is none.
        head: the change's configuration, in a comparison of two refs.
        base: the name of the ref that counts, for a reader.

    Raises:
        GateError: a model's provider is unknown, or only the change names it.
    """
    servers = counting.providers if counting else {}
    own = head.providers if head else {}
    for suite in resolved.asked:
        for model in _models(suite):
            if model.provider not in servers and model.provider in own:
                said = f"the provider {model.provider!r} of {model} is in gate.yaml of this change alone"
                why = f"providers are read from {base}, so that a change cannot send a key to an address of its own"
                raise GateError(f"{said}: {why}", "merge its entry first, and then the change that asks it")
            parse_model(str(model), servers)
    notes = (*resolved.notes, *_edited(servers, own, base)) if head else resolved.notes
    return replace(resolved, servers=servers, notes=notes)


def _edited(servers: Mapping[str, ProviderServer], own: Mapping[str, ProviderServer], base: str) -> Iterator[str]:
    if names := sorted(name for name in {*servers, *own} if servers.get(name) != own.get(name)):
        yield f"The change edits providers ({', '.join(names)}), which are those of {base} until it is merged."


def _models(suite: Suite) -> Iterator[ModelRef]:
    for arm in suite.arms.values():
        yield arm.model
    for spec in suite.exam.all_scorers():
        yield from map(parse_model, spec.models)
    yield from (model for model, _ in suite.exam.conversing.models)
    if suite.promises is not None:
        yield from (suite.promises.model, suite.promises.judge)
