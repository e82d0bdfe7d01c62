"""Which parameters an interface takes: known without its SDK, so that a mistake is found before anything is loaded."""

import re

from gate.domain.model import ModelRef, Params
from gate.providers.addresses import OPENAI_URL, is_openai
from gate.providers.base import Misconfigured

_REASONING = re.compile(r"^(ft:)?(o[1-9]|gpt-([5-9]|\d\d))")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_REFUSED = ("temperature", "top_p", "seed", "chat_template")


def refusal(model: ModelRef, params: Params) -> Misconfigured | None:
    """What a service would refuse of these parameters; None where it takes all of them, or is no service.

    Args:
        model: of any provider.
        params: what is to be sent, to `base_url` or to the maker's own address.
    """
    try:
        if model.provider == "openai":
            check_openai(model.name, params, own=is_openai(params.base_url or OPENAI_URL))
        elif model.provider == "anthropic":
            check_anthropic(model.name, params)
    except Misconfigured as error:
        return error
    return None


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
