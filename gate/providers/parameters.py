"""Which parameters an interface takes: known without its SDK, so that a mistake is found before anything is loaded."""

import re

from gate.domain.model import ModelRef, Params
from gate.providers.base import Misconfigured
from gate.providers.servers import INTERFACES, OPENAI_URL, Api, is_openai

_REASONING = re.compile(r"^(ft:)?(o[1-9]|gpt-([5-9]|\d\d))")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_REFUSED = ("temperature", "top_p", "seed", "chat_template")


def refusal(
    model: ModelRef, params: Params, interface: Api | None = None, address: str | None = None
) -> Misconfigured | None:
    """What a service would refuse of these parameters; None where it takes all of them, or is no service.

    Args:
        model: of any provider.
        params: what is to be sent.
        interface: that the provider speaks; None for what its name says.
        address: where it is asked; None for the maker's own.
    """
    spoken = interface or INTERFACES.get(model.provider)
    try:
        check(model, params, spoken, OPENAI_URL if address is None else address)
    except Misconfigured as error:
        return error
    return None


def check(model: ModelRef, params: Params, interface: Api | None, address: str) -> None:
    """Raise `Misconfigured` for a parameter that a service does not take; see `refusal`."""
    if interface == "openai":
        check_openai(model.name, params, own=model.provider == "azure" or is_openai(address))
    elif interface == "anthropic":
        check_anthropic(model.name, params)


def check_openai(model: str, params: Params, *, own: bool) -> None:
    """Raise `Misconfigured` for a parameter that Chat Completions does not take for this model.

    Args:
        model: the interface's name for the model.
        params: what is to be sent.
        own: OpenAI itself is asked, rather than a compatible server.
    """
    if params.chat_template is not None:
        raise Misconfigured("openai: takes no chat_template", "remove it; it belongs to local: models")
    if not own or params.reasoning_effort == "none" or not is_reasoning(model):
        return
    for name in ("temperature", "top_p"):
        if getattr(params, name) is not None:
            raise Misconfigured(
                f"openai:{model} is a reasoning model and takes no {name}",
                f"remove {name}, or set reasoning_effort: none where the model allows it",
            )


def is_reasoning(model: str) -> bool:
    """Does OpenAI's interface refuse sampling parameters for this model?"""
    return _REASONING.match(model) is not None and "chat" not in model


def check_anthropic(model: str, params: Params) -> None:
    """Raise `Misconfigured` for a parameter that the Messages interface does not take.

    Args:
        model: the interface's name for the model.
        params: what is to be sent.
    """
    for name in _REFUSED:
        if getattr(params, name) is not None:
            raise Misconfigured(f"anthropic:{model} takes no {name}", f"remove {name}; the current interface has none")
    if params.reasoning_effort is not None and params.reasoning_effort not in _EFFORTS:
        known = ", ".join(_EFFORTS)
        raise Misconfigured(
            f"anthropic:{model} knows no reasoning_effort {params.reasoning_effort!r}", f"choose from {known}"
        )
