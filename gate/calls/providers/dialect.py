"""What a server takes of a request: learnt from its refusals, kept once it has answered."""

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gate.calls.interface import Misconfigured, Request
from gate.calls.providers.failures import ErrorReply, Failure
from gate.config.models import Params

JsonForm: TypeAlias = Literal["json_schema", "json_object", "text"]
"""How a reply in JSON is asked for; whatever the form, the reply is checked when it is read."""

_WORD = {
    "form": re.compile(
        r"response_format|json_schema|json_object|json[ _-]?mode|structured[ _-]?outputs?|output_config\.format|"
        r"output_format|guided[ _-]|grammar|schema|requested parameters",
        re.IGNORECASE,
    ),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "images": re.compile(r"image|vision|multi-?modal|modalit|content", re.IGNORECASE),
    "limit": re.compile(r"max_(completion_)?tokens"),
    "original": re.compile(
        r"\bmessages?\b|\bassistant\b|\binput\b|reasoning|thinking|encrypted|include", re.IGNORECASE
    ),
}
_UNKNOWN = re.compile(
    r"unsupported|not supported|not support\b|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|forbidden|"
    r"\bextra\b|\binstead\b|deprecated|does not (take|accept|exist)|no such",
    re.IGNORECASE,
)
_REFUSED = frozenset({400, 404, 422, 500, 501})
_REFUSED_WITHOUT_A_NAME = frozenset({400, 422, 501})
_OF_THE_INPUT = frozenset({"content_filter", "context_length_exceeded"})

Slot: TypeAlias = Literal["form", "temperature", "limit", "original", "images"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one model of one server is asked; the first of `forms` and `limits` is in use, the others come after it.

    Args:
        forms: of asking for a reply in JSON.
        limits: names of the parameter that limits the tokens of a reply.
        temperature: is a temperature sent that the gate chose?
        original: are the provider's own messages sent back, with the model's reasoning?
        images: are images in results of tools sent?
        asks_reasoning: must the first request of a loop ask for what is sent back?
    """

    forms: tuple[JsonForm, ...]
    limits: tuple[str, ...]
    temperature: bool = True
    original: bool = True
    images: bool = True
    asks_reasoning: bool = False

    @property
    def form(self) -> JsonForm:
        """The form in use."""
        return self.forms[0]

    @property
    def limit(self) -> str:
        """The name in use."""
        return self.limits[0]

    def params(self, params: Params) -> Params:
        """Parameters as they are sent."""
        if self.temperature or "temperature" not in params.chosen:
            return params
        return params.model_copy(update={"temperature": None})

    def sent(self, request: Request) -> frozenset[Slot]:
        """What a request carries that can be asked in another way."""
        carried: dict[Slot, bool] = {
            "form": request.schema is not None and self.form != "text",
            "temperature": self.temperature and "temperature" in request.params.chosen,
            "limit": request.params.max_output_tokens is not None,
            "images": self.images and any(one.images for one in request.messages if one.role == "tool"),
            "original": self.original
            and bool((self.asks_reasoning and request.tools) or any(one.original for one in request.messages)),
        }
        return frozenset(slot for slot, there in carried.items() if there)

    def without(self, slot: Slot) -> "Dialect | None":
        """The next way to ask, for a server that refuses this one; None where there is no other."""
        if slot == "form":
            return replace(self, forms=self.forms[1:]) if len(self.forms) > 1 else None
        if slot == "limit":
            return replace(self, limits=self.limits[1:]) if len(self.limits) > 1 else None
        if slot == "images":
            return replace(self, images=False)
        return replace(self, original=False) if slot == "original" else replace(self, temperature=False)

    def merged(self, other: "Dialect") -> "Dialect":
        """With what both have learnt."""
        return replace(
            self,
            forms=min(self.forms, other.forms, key=len),
            limits=min(self.limits, other.limits, key=len),
            temperature=self.temperature and other.temperature,
            original=self.original and other.original,
            images=self.images and other.images,
        )

    def notes(self, request: Request, usual: "Dialect", server: str) -> tuple[str, ...]:
        """What the reader should know of a request that was not sent as it was meant."""
        notes = []
        if request.schema is not None and self.form != usual.form:
            form = "as a JSON object without a schema" if self.form == "json_object" else "in plain text"
            notes.append(f"{request.model} ({server}) refuses a JSON schema: its replies were asked for {form}.")
        if not self.temperature and "temperature" in request.params.chosen:
            chosen = f"temperature {request.params.temperature:g}"
            notes.append(f"{request.model} ({server}) refuses {chosen}, which the gate chose: it was called without.")
        if not self.images and any(one.images for one in request.messages if one.role == "tool"):
            notes.append(
                f"{request.model} ({server}) takes no images: those in results of tools were only described to it."
            )
        if not self.original and request.tools:
            said = "does not take back the reasoning of its own replies"
            notes.append(f"{request.model} ({server}) {said}: after a call of a tool it went on without it.")
        return tuple(notes)


def blamed_slot(error: ErrorReply, failure: Failure, sent: frozenset[Slot], proven: frozenset[Slot]) -> Slot | None:
    """What to ask in another way after a refusal: what it names, or else what this server has not taken yet.

    Args:
        sent: what the refused request carried.
        proven: what the server has taken in this dialect.
    """
    if error.status not in _REFUSED or error.codes & _OF_THE_INPUT:
        return None
    text = f"{error.param} {error.message}"
    for slot in ("limit", "temperature", "form", "images", "original"):
        unnamed = slot in ("limit", "original") and not _is_unknown(error)
        if slot in sent and _WORD[slot].search(text) and not unnamed:
            return slot
    if error.status not in _REFUSED_WITHOUT_A_NAME or isinstance(failure, Misconfigured):
        return None
    return next(
        (slot for slot in ("form", "temperature", "images", "original") if slot in sent and slot not in proven), None
    )


def _is_unknown(error: ErrorReply) -> bool:
    """Is the parameter itself refused, and not its value?"""
    return bool(error.codes & {"unsupported_parameter", "unknown_parameter", "extra_forbidden"}) or bool(
        _UNKNOWN.search(error.message)
    )
