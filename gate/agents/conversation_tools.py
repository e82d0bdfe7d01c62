"""The tools of one conversation: where they come from, recorded tools, and arguments that are put in."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from gate.agents.interface import AgentFailed, SessionEnded
from gate.agents.masks import Masks, cleaned
from gate.config.documents import BadJson, described, parse_json, quoted
from gate.config.targets import RecordedTool
from gate.limits import TOOL_SCHEMA_CHARS, TOOL_TEXT_CHARS, TOOLS
from gate.messages import Image, Tool, is_tool_name, model_name
from gate.record.transcript import ToolUse
from gate.values import JsonValue, is_subset, listed


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The result of a tool.

    Args:
        text: with a note for each image, and for whatever is no text.
        unseen: kinds of content that no model gets, such as `audio`.
    """

    text: str
    failed: bool = False
    images: tuple[Image, ...] = ()
    unseen: tuple[str, ...] = ()


class OpenToolSource(Protocol):
    """A source of tools that is ready for calls."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools, under their original names, which providers may not accept."""
        ...

    @property
    def unusable(self) -> tuple[tuple[str, str], ...]:
        """Names of further tools that cannot be used, each with the reason, which continues after the name."""
        ...

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Call a tool with all its arguments; the caller sets the time limit.

        Raises:
            SessionEnded: the source has to be opened again; the tool was not called.
            AgentFailed: the source is gone.
        """
        ...


class ToolSource(Protocol):
    """A server, or a file of recorded tools."""

    @property
    def name(self) -> str:
        """Its name in front of a tool's, where another source has a tool of the same name."""
        ...

    @property
    def label(self) -> str:
        """Its name for readers, such as `the MCP server weather`."""
        ...

    async def open(self) -> OpenToolSource:
        """Prepare it for one conversation, within a limited time.

        Raises:
            AgentFailed: it is not available, or has no tools.
        """
        ...


SESSION = "$session"
"""Instead of the name of an environment variable: the id of the session."""


@dataclass(frozen=True, slots=True)
class Injection:
    """The arguments that the gate sets in place of the model.

    Args:
        sessions: arguments set to the id of the session.
        apart: by the label of a source, arguments for its tools only.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    sessions: frozenset[str] = frozenset()
    apart: "Mapping[str, Injection]" = field(default_factory=dict)

    def at(self, label: str) -> "Injection":
        """The arguments for tools of one source."""
        own = self.apart.get(label, Injection())
        return Injection({**self.values, **own.values}, (self.sessions - own.values.keys()) | own.sessions)

    @property
    def tells_session(self) -> bool:
        """Does any tool get the id of the session?"""
        return bool(self.sessions) or any(own.sessions for own in self.apart.values())

    @property
    def names(self) -> frozenset[str]:
        """All argument names."""
        return self.sessions | self.values.keys()

    def of(self, tool: Tool) -> frozenset[str]:
        """Those that a tool takes."""
        properties = tool.parameters.get("properties")
        return self.names & properties.keys() if isinstance(properties, dict) else frozenset()

    def hidden(self, tool: Tool) -> Tool:
        """The tool without these arguments, for the model."""
        mine = self.of(tool)
        if not mine:
            return tool
        schema = tool.parameters
        properties, required = schema["properties"], schema.get("required")
        assert isinstance(properties, dict)  # noqa: S101 or none would be among them
        schema["properties"] = {key: value for key, value in properties.items() if key not in mine}
        if isinstance(required, list):
            schema["required"] = [key for key in required if key not in mine]
        return replace(tool, schema=json.dumps(schema, ensure_ascii=False))

    def without(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The model's arguments without these."""
        return {key: value for key, value in arguments.items() if key not in self.names}

    def filled(self, tool: Tool, arguments: Mapping[str, JsonValue], session: str) -> dict[str, JsonValue]:
        """All arguments of a call."""
        properties = tool.parameters.get("properties")
        known = properties if isinstance(properties, dict) else {}
        put = {
            key: session if key in self.sessions else _typed(self.values[key], known[key])
            for key in sorted(self.of(tool))
        }
        return {**arguments, **put}


def _typed(value: str, schema: JsonValue) -> JsonValue:
    """The value of a variable as a number where the argument needs one; text where it is none."""
    wanted = schema.get("type") if isinstance(schema, dict) else None
    try:
        if wanted == "integer":
            return int(value)
        return float(value) if wanted == "number" else value
    except ValueError:
        return value


NOT_RECORDED = "there is no recorded answer for these arguments"


@dataclass(frozen=True, slots=True)
class RecordedTools:
    """A source of recorded tools; always ready, and without state between conversations."""

    tools: tuple[Tool, ...]
    answers: Mapping[str, tuple[tuple[JsonValue, ToolOutput], ...]]

    @classmethod
    def of(cls, tools: tuple[RecordedTool, ...]) -> "RecordedTools":
        """The tools of a file."""
        told = (Tool(one.name, one.description, json.dumps(one.parameters, ensure_ascii=False)) for one in tools)
        answers = {
            tool.name: tuple((one.arguments, ToolOutput(one.text, one.error)) for one in tool.answers) for tool in tools
        }
        return cls(tuple(told), answers)

    @property
    def name(self) -> str:
        return "fixtures"

    @property
    def label(self) -> str:
        return "the recorded tools"

    @property
    def unusable(self) -> tuple[tuple[str, str], ...]:
        return ()

    async def open(self) -> "RecordedTools":
        return self

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        fitting = (given for wanted, given in self.answers[name] if is_subset(wanted, arguments))
        return next(fitting, ToolOutput(NOT_RECORDED, failed=True))


SHOWN_TOOLS = 20
"""Named in a message; the rest is counted."""


@dataclass(frozen=True, slots=True)
class ToolRules:
    """Rules for all calls of a conversation."""

    only: tuple[str, ...] = ()
    injection: Injection = Injection()
    masks: Masks = Masks()
    timeout_s: float = 30.0
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class _Offer:
    """A tool that is offered to the model.

    Args:
        name: for readers; that of the tool, with its source in front where two sources have one of that name.
    """

    tool: Tool
    name: str
    told: Tool
    source: ToolSource
    injection: Injection

    @property
    def label(self) -> str:
        """The source, for readers."""
        return self.source.label


class _Unusable(Exception):
    """A tool cannot be offered; the message continues after `the MCP server shop: `."""


@dataclass(slots=True)
class ConversationToolbox:
    """See `gate.agents.interface.Toolbox`. It reopens a server only where that has ended the session."""

    sources: tuple[ToolSource, ...]
    rules: ToolRules
    _offers: dict[str, _Offer] = field(default_factory=dict, init=False)
    _open: dict[str, OpenToolSource] = field(default_factory=dict, init=False)
    _notes: dict[str, None] = field(default_factory=dict, init=False)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    async def tools(self) -> tuple[Tool, ...]:
        self._open = {source.label: one for source, one in zip(self.sources, await self._opened(), strict=True)}
        found = [(tool, source) for source in self.sources for tool in self._open[source.label].tools]
        names = self._names()
        self._check(found, names)
        offers: dict[str, _Offer] = {}
        unusable: list[str] = []
        for tool, source in found:
            name = names[source.label, tool.name]
            if not self._is_wanted(source, tool.name):
                continue
            try:
                told = self._told(tool, name, source.label)
            except _Unusable as error:
                unusable.append(f"{source.label}: {error}")
                continue
            offer = _Offer(tool, name, told, source, self.rules.injection.at(source.label))
            before = offers.setdefault(told.name, offer)
            if before is not offer:
                raise _refused(_twice(before, offer))
        for source in self.sources:
            others = self._open[source.label].unusable
            unusable += [
                f"{source.label}: its tool {quoted(name)} {why}"
                for name, why in others
                if self._is_wanted(source, name)
            ]
        if unusable and (self.rules.only or not offers):
            raise _refused(self.rules.masks.reason("; ".join(unusable)))
        if len(offers) > TOOLS:
            raise _refused(
                f"there are {len(offers):,} tools, and the limit is {TOOLS}: list the ones to use under 'only'"
            )
        self._check_shared(offers.values())
        self._offers = offers
        self._notes.update((f"Left out a tool. {_sentence(self.rules.masks.reason(why))}", None) for why in unusable)
        return tuple(offer.told for offer in offers.values())

    def _names(self) -> dict[tuple[str, str], str]:
        """The name of each tool for readers, by the label of its source and its own name."""
        owners: dict[str, list[ToolSource]] = {}
        for source in self.sources:
            one = self._open[source.label]
            for name in dict.fromkeys([*(tool.name for tool in one.tools), *(name for name, _ in one.unusable)]):
                owners.setdefault(name, []).append(source)
        return {
            (source.label, name): f"{source.name}.{name}" if len(mine) > 1 else name
            for name, mine in owners.items()
            for source in mine
        }

    def _is_wanted(self, source: ToolSource, name: str) -> bool:
        only = self.rules.only
        return not only or name in only or f"{source.name}.{name}" in only

    async def _opened(self) -> list[OpenToolSource]:
        """All sources; each is tried even if another fails, because the next conversation needs it."""
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
            result = masks.reason(f"the arguments are not a JSON object: {error.message}")
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
        for kind in given.unseen:
            about = f"a result of its tool {quoted(offer.tool.name)} has {kind}"
            said = f"{_sentence(offer.label)}: {about}, which was only described."
            self._notes[said] = None
        result = masks.result(given.text, known)
        return ToolUse(offer.name, text, result, given.failed, seconds, images=given.images)

    async def close(self) -> None:
        self._offers, self._open = {}, {}

    async def _given(self, offer: _Offer, arguments: dict[str, JsonValue]) -> ToolOutput:
        try:
            async with asyncio.timeout(self.rules.timeout_s):
                try:
                    return await self._open[offer.label].call(offer.tool.name, arguments)
                except SessionEnded:
                    self._open[offer.label] = again = await offer.source.open()
                said = f"{_sentence(offer.label)} ended its session, so a new one was opened; what it knew is lost."
                self._notes[said] = None
                return await again.call(offer.tool.name, arguments)
        except TimeoutError:
            return ToolOutput(f"the tool took longer than {self.rules.timeout_s:g} s", failed=True)

    def _check(self, found: list[tuple[Tool, ToolSource]], names: Mapping[tuple[str, str], str]) -> None:
        """Refuse tool and argument names of the configuration that match nothing."""
        known = {name for source in self.sources for label, name in names if label == source.label}
        known |= {f"{one.name}.{name}" for one in self.sources for label, name in names if label == one.label}
        missing = [name for name in self.rules.only if name not in known]
        if missing:
            there = self.rules.masks.masked(_listed(set(names.values())))
            raise _refused(f"'only' lists {_listed(missing)}, which no source has; there are: {there}")
        injection = self.rules.injection
        for whose, put in (("", injection), *injection.apart.items()):
            taken = {name for tool, source in found if whose in ("", source.label) for name in put.of(tool)}
            if idle := put.names - taken:
                of = f" of {whose}" if whose else ""
                raise _refused(f"'inject' sets {_listed(idle)}, and no tool{of} has such an argument")

    def _check_shared(self, offers: Iterable[_Offer]) -> None:
        """A variable's value is for one server: refuse it where another server's tool has an argument of that name."""
        for argument in sorted(self.rules.injection.values):
            mine = [one for one in offers if argument in one.injection.of(one.tool)]
            own = {label for label, put in self.rules.injection.apart.items() if argument in put.names}
            labels = {one.label for one in mine if not isinstance(one.source, RecordedTools)} - own
            if len(labels) > 1:
                said = (
                    f"'inject' has a secret for {quoted(argument)}, which tools of {' and '.join(sorted(labels))} take"
                )
                raise _refused(f"{said}; write the server that may get the secret in front: SERVER.{argument}")

    def _told(self, tool: Tool, shown: str, label: str) -> Tool:
        """The tool for the model. Raises AgentFailed: its name contains a secret; _Unusable: no model can use it."""
        if self.rules.masks.told(tool.name):
            raise _refused(f"{label} has a tool whose name contains a secret")
        if len(tool.description) > TOOL_TEXT_CHARS:
            said = f"the description of its tool {quoted(tool.name)} is longer than {TOOL_TEXT_CHARS:,} characters"
            raise _Unusable(said)
        if len(tool.schema) > TOOL_SCHEMA_CHARS:
            said = f"the schema of its tool {quoted(tool.name)} is longer than {TOOL_SCHEMA_CHARS:,} characters"
            raise _Unusable(said)
        hidden = self.rules.injection.at(label).hidden(tool)
        if not tool.name:
            raise _Unusable("it has a tool without a name")
        name = shown if is_tool_name(shown) else model_name(shown)
        masked = self.rules.masks.masked
        return Tool(name, masked(cleaned(tool.description)), masked(hidden.schema))

    def _there_are(self) -> str:
        return f"there are: {_listed(self._offers)}" if self._offers else "there are none"


def _read(arguments: str) -> dict[str, JsonValue]:
    """The arguments that a model wrote; empty text is no arguments. Raises BadJson: it is not an object."""
    found = parse_json(arguments) if arguments.strip() else {}
    if not isinstance(found, dict):
        raise BadJson(f"it is {described(found)}")
    return found


def _twice(one: _Offer, other: _Offer) -> str:
    name = quoted(one.tool.name)
    if one.tool.name != other.tool.name:
        names = f"{name} of {one.label} and {quoted(other.tool.name)} of {other.label}"
        return f"two tools have the same name for the model, {quoted(one.told.name)}: {names}"
    if one.label == other.label:
        return f"{one.label} has two tools named {name}"
    raise AssertionError("two sources have names of their own for it")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _listed(names: "set[str] | frozenset[str] | list[str] | dict[str, _Offer]") -> str:
    return listed([quoted(name) for name in sorted(names)], SHOWN_TOOLS)


def _refused(reason: str) -> AgentFailed:
    return AgentFailed(reason, attempts=0)
