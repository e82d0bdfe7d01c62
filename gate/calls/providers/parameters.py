"""What each interface takes: parameters, JSON Schemas and seeds, and from what length a prefix is cached."""

import hashlib
import re
from dataclasses import dataclass

from gate.calls.endpoints import OPENAI_URL, Api, is_openai
from gate.calls.interface import Misconfigured, Request
from gate.config.models import SERVICES, ModelRef, Params
from gate.record.comparison import CacheTerms
from gate.values import JsonValue

PACKAGED_MODEL = "gemma3-270m"
"""`local:gemma3-270m` names the model of the extra `demo`."""

_REASONING = re.compile(r"^(ft:)?(o[1-9]|gpt-([5-9]|\d\d))")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_REFUSED = ("temperature", "top_p", "seed", "chat_template")


def refused_parameters(
    model: ModelRef, params: Params, interface: Api | None = None, address: str | None = None
) -> Misconfigured | None:
    """What a service would refuse of these parameters; None where it takes all of them, or is no service. Without an
    interface or an address the maker's own are meant."""
    spoken = interface or SERVICES.get(model.provider)
    try:
        check_parameters(model, params, spoken, OPENAI_URL if address is None else address)
    except Misconfigured as error:
        return error
    return None


def check_parameters(model: ModelRef, params: Params, interface: Api | None, address: str) -> None:
    """Raise `Misconfigured` for a parameter that a service does not take; see `refused_parameters`."""
    if interface == "openai":
        check_openai(model.name, params, own=model.provider == "azure" or is_openai(address))
    elif interface == "anthropic":
        check_anthropic(model.name, params)


def check_openai(model: str, params: Params, *, own: bool) -> None:
    """Raise `Misconfigured` for a parameter that Chat Completions does not take; `own` where OpenAI itself is asked."""
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
    """Raise `Misconfigured` for a parameter that the Messages interface does not take."""
    for name in _REFUSED:
        if getattr(params, name) is not None:
            raise Misconfigured(f"anthropic:{model} takes no {name}", f"remove {name}; the current interface has none")
    if params.reasoning_effort is not None and params.reasoning_effort not in _EFFORTS:
        known = ", ".join(_EFFORTS)
        raise Misconfigured(
            f"anthropic:{model} knows no reasoning_effort {params.reasoning_effort!r}", f"choose from {known}"
        )


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """Limits for a model whose replies follow a grammar.

    Args:
        chars: of a text without a bound of its own.
        items: of a list without a bound of its own.
        most_items: of any list, unless its schema needs more.
        part: the bound that a schema sets to a text is divided by this.
    """

    chars: int
    items: int
    most_items: int
    part: int


PACKAGED = ReplyLimits(chars=160, items=3, most_items=3, part=5)
"""It does not know when to stop, and fills whatever it is given, which takes minutes."""
LARGER = ReplyLimits(chars=1_200, items=20, most_items=200, part=1)
"""Of any model file that the user brings."""


def reply_limits(model: ModelRef) -> ReplyLimits:
    """The limits of a local model."""
    return PACKAGED if model.name == PACKAGED_MODEL else LARGER


def list_room(model: ModelRef, wanted: int | None = None) -> int | None:
    """How many items one list of a model's reply can hold, `wanted` being the schema's bound; None where unbounded."""
    if model.provider != "local":
        return None
    limits = reply_limits(model)
    return limits.items if wanted is None else min(wanted, limits.most_items)


_BOUNDS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "prefixItems"})


def schema_without_bounds(schema: JsonValue) -> JsonValue:
    """The schema without its bounds, some of which the strict modes of remote interfaces refuse."""
    return _without(schema, frozenset())


def schema_with_bounds(schema: JsonValue, limits: ReplyLimits) -> JsonValue:
    """The schema for a grammar, with a bound on each text and each list: a small model does not know when to stop.

    A text is not empty. A list whose items are given one by one (`prefixItems`) holds exactly these.
    """
    if isinstance(schema, list):
        return [schema_with_bounds(item, limits) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: schema_with_bounds(value, limits) for key, value in schema.items()}
    if told.get("type") == "string" and "enum" not in told:
        own = told.get("maxLength")
        told = {"minLength": 1, **told, "maxLength": own // limits.part if isinstance(own, int) else limits.chars}
    if told.get("type") == "array" and "prefixItems" in told:
        # llama.cpp takes `items` alone where both are there.
        return {"type": "array", "prefixItems": told["prefixItems"]}
    if told.get("type") == "array":
        least, own = told.get("minItems"), told.get("maxItems")
        most = min(own, limits.most_items) if isinstance(own, int) else limits.items
        told["maxItems"] = max(most, least if isinstance(least, int) else 0)
    return told


def _without(schema: JsonValue, names: frozenset[str]) -> JsonValue:
    """Without the bounds; `names` are the keys that name properties here."""
    if isinstance(schema, list):
        return [_without(item, frozenset()) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties" and key not in names and isinstance(value, dict):
            kept[key] = _without(value, frozenset(value))
        elif key in names or key not in _BOUNDS:
            kept[key] = _without(value, frozenset())
    return kept


_BITS = 31


def seed_of(request: Request) -> int:
    """A number below 2^31, made of the user's seed, the sample index and the messages.

    One seed for every case would make all cases share one draw of a sampling model: they would not be independent,
    which the statistics assume.
    """
    parts = [str(request.params.seed or 0), str(request.index)]
    parts += [part for message in request.messages for part in message.told]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> (32 - _BITS)


_OPENAI = re.compile(r"(ft:)?(gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|o[1-9])")
_OPENAI_MINIMUM = 1024

_ANTHROPIC = (
    (512, ("claude-opus-5", "claude-opus-5-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5")),
    (
        1024,
        (
            "claude-opus-4-8",
            "claude-opus-4-1",
            "claude-opus-4-0",
            "claude-opus-4",
            "claude-3-opus",
            "claude-sonnet-5",
            "claude-sonnet-4-6",
            "claude-sonnet-4-5",
            "claude-sonnet-4-0",
            "claude-sonnet-4",
            "claude-3-7-sonnet",
            "claude-3-5-sonnet",
        ),
    ),
    (2048, ("claude-3-5-haiku", "claude-3-haiku")),
    (4096, ("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5")),
)
_DATE = re.compile(r"-(\d{8}|latest)$")


def caching_terms(model: ModelRef, params: Params, *, known: bool, interface: Api | None = None) -> CacheTerms:
    """On what terms the requests of an arm are cached; its price is left open. `known` where the requests go to the
    model's own seller, so its figures hold."""
    if (interface or SERVICES.get(model.provider)) == "anthropic":
        return CacheTerms(_anthropic(model.name) if known else None, asked=params.prompt_cache, marked=True)
    if model.provider == "openai" and known and _OPENAI.match(model.name):
        return CacheTerms(_OPENAI_MINIMUM)
    return CacheTerms()


def _anthropic(name: str) -> int | None:
    bare = _DATE.sub("", name)
    return next((minimum for minimum, names in _ANTHROPIC if bare in names), None)
