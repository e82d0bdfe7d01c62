"""The tools of one conversation, wherever they come from."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gate.config.documents import described
from gate.domain.jsonvalue import JsonValue
from gate.domain.toolname import is_tool_name, model_name
from gate.domain.tools import Tool
from gate.domain.transcript import ToolUse
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.limits import TOOL_SCHEMA_CHARS, TOOL_TEXT_CHARS, TOOLS
from gate.inputs.problems import quoted
from gate.targets.port import AgentFailed
from gate.targets.tools.inject import Injection
from gate.targets.tools.masks import Masks, cleaned
from gate.targets.tools.port import Given, Opened, Source
from gate.targets.tools.recorded import Recorded

SHOWN_TOOLS = 20
"""Named in a message; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for all calls.

    Args:
        only: names of the tools that a model is told of; empty for all.
        injection: arguments that it is not told of.
        masks: secrets.
        timeout_s: seconds for one call.
        clock: seconds that only grow.
    """

    only: tuple[str, ...] = ()
    injection: Injection = Injection()
    masks: Masks = Masks()
    timeout_s: float = 30.0
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class _Offer:
    """A tool that a model is told of.

    Args:
        tool: as its source has it.
        told: as the model is told of it.
        source: where it comes from.
        label: of the source.
        injection: arguments that the model is not told of.
    """

    tool: Tool
    told: Tool
    source: Opened
    label: str
    injection: Injection


@dataclass(slots=True)
class Box:
    """See `gate.targets.port.Toolbox`. It keeps to the servers that it began with: what they knew ends with them.

    Args:
        sources: where tools come from.
        rules: what holds for all calls.
    """

    sources: tuple[Source, ...]
    rules: Rules
    _offers: dict[str, _Offer] = field(default_factory=dict, init=False)

    async def tools(self) -> tuple[Tool, ...]:
        pairs = zip(self.sources, await self._opened(), strict=True)
        found = [(tool, source.label, one) for source, one in pairs for tool in one.tools]
        self._check([(tool, label) for tool, label, _ in found])
        offers: dict[str, _Offer] = {}
        for tool, label, source in found:
            if self.rules.only and tool.name not in self.rules.only:
                continue
            offer = _Offer(tool, self._told(tool, label), source, label, self.rules.injection.at(label))
            before = offers.setdefault(offer.told.name, offer)
            if before is not offer:
                raise _refused(_twice(before, offer))
        if len(offers) > TOOLS:
            raise _refused(f"there are {len(offers):,} tools, and a model is told of {TOOLS}: name them under 'only'")
        self._check_shared(offers.values())
        self._offers = offers
        return tuple(offer.told for offer in offers.values())

    async def _opened(self) -> list[Opened]:
        """All sources; one that cannot be had cuts no other short, for the next conversation needs those as well.

        Raises:
            AgentFailed: with what is wrong with each.
        """
        found = await asyncio.gather(*(source.open() for source in self.sources), return_exceptions=True)
        failures = [one for one in found if isinstance(one, BaseException)]
        for failure in failures:
            if not isinstance(failure, AgentFailed):
                raise failure
        if failures:
            raise _refused("; ".join(dict.fromkeys(map(str, failures))))
        return [one for one in found if not isinstance(one, BaseException)]

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        masks = self.rules.masks
        known = session if self.rules.injection.tells_session else ""
        offer = self._offers.get(name)
        injection = offer.injection if offer else self.rules.injection
        name = masks.masked(name, known)
        try:
            written = _read(arguments)
        except BadJson as error:
            result = masks.reason(f"the arguments are no JSON object: {error.message}")
            return ToolUse(name, masks.result(arguments, known), result, failed=True, missing=offer is None)
        kept = injection.without(written)
        text = arguments if len(kept) == len(written) else json.dumps(kept, ensure_ascii=False)
        text = masks.masked(text, known)
        if offer is None:
            said = f"there is no tool {quoted(name)}; {self._there_are()}"
            return ToolUse(name, text, said, failed=True, missing=True)
        begun = self.rules.clock()
        given = await self._given(offer, injection.filled(offer.tool, kept, session))
        seconds = self.rules.clock() - begun
        return ToolUse(offer.tool.name, text, masks.result(given.text, known), given.failed, seconds)

    async def close(self) -> None:
        self._offers = {}

    async def _given(self, offer: _Offer, arguments: dict[str, JsonValue]) -> Given:
        try:
            async with asyncio.timeout(self.rules.timeout_s):
                return await offer.source.call(offer.tool.name, arguments)
        except TimeoutError:
            return Given(f"the tool took longer than {self.rules.timeout_s:g} s", failed=True)

    def _check(self, found: list[tuple[Tool, str]]) -> None:
        """Words of the configuration that stand for nothing are mistakes."""
        names = {tool.name for tool, _ in found}
        missing = [name for name in self.rules.only if name not in names]
        if missing:
            there = self.rules.masks.masked(_listed(names))
            raise _refused(f"'only' names {_listed(missing)}, and no source has such a tool; there are: {there}")
        injection = self.rules.injection
        for whose, put in (("", injection), *injection.apart.items()):
            taken = {name for tool, label in found if whose in ("", label) for name in put.of(tool)}
            if idle := put.names - taken:
                of = f" of {whose}" if whose else ""
                raise _refused(f"'inject' names {_listed(idle)}, and no tool{of} takes such an argument")

    def _check_shared(self, offers: Iterable[_Offer]) -> None:
        """The value of a variable is for one server: any other gets it that has an argument of that name."""
        for argument in sorted(self.rules.injection.values):
            mine = [one for one in offers if argument in one.injection.of(one.tool)]
            own = {label for label, put in self.rules.injection.apart.items() if argument in put.names}
            labels = {one.label for one in mine if not isinstance(one.source, Recorded)} - own
            if len(labels) > 1:
                said = (
                    f"'inject' has a secret for {quoted(argument)}, which tools of {' and '.join(sorted(labels))} take"
                )
                raise _refused(f"{said}; put the name of the server before it that may have it: name.{argument}")

    def _told(self, tool: Tool, label: str) -> Tool:
        if self.rules.masks.told(tool.name):
            raise _refused(f"{label} has a tool whose name holds a secret")
        if len(tool.description) > TOOL_TEXT_CHARS:
            said = f"the description of its tool {quoted(tool.name)} is longer than {TOOL_TEXT_CHARS:,} characters"
            raise _refused(f"{label}: {said}")
        if len(tool.schema) > TOOL_SCHEMA_CHARS:
            said = f"the schema of its tool {quoted(tool.name)} is longer than {TOOL_SCHEMA_CHARS:,} characters"
            raise _refused(f"{label}: {said}")
        hidden = self.rules.injection.at(label).hidden(tool)
        name = tool.name if is_tool_name(tool.name) else model_name(tool.name)
        if not name:
            raise _refused(f"{label} has a tool without a name")
        masked = self.rules.masks.masked
        return Tool(name, masked(cleaned(tool.description)), masked(hidden.schema))

    def _there_are(self) -> str:
        return f"there are: {_listed(self._offers)}" if self._offers else "there are none"


def _read(arguments: str) -> dict[str, JsonValue]:
    """What a model wrote; nothing at all are no arguments.

    Raises:
        BadJson: it is no object.
    """
    found = parse_json(arguments) if arguments.strip() else {}
    if not isinstance(found, dict):
        raise BadJson(f"it is {described(found)}")
    return found


def _twice(one: _Offer, other: _Offer) -> str:
    name = quoted(one.tool.name)
    if one.tool.name != other.tool.name:
        names = f"{name} of {one.label} and {quoted(other.tool.name)} of {other.label}"
        return f"two tools have one name for the model, {quoted(one.told.name)}: {names}"
    if one.label == other.label:
        return f"{one.label} has two tools named {name}"
    return f"both {one.label} and {other.label} have a tool named {name}; leave one out"


def _listed(names: "set[str] | frozenset[str] | list[str] | dict[str, _Offer]") -> str:
    shown = [quoted(name) for name in sorted(names)]
    rest = len(shown) - SHOWN_TOOLS
    return ", ".join(shown[:SHOWN_TOOLS]) + (f" and {rest:,} more" if rest > 0 else "")


def _refused(reason: str) -> AgentFailed:
    return AgentFailed(reason, attempts=0)
