"""The three forms of a case in a file: plain case, golden transcript, and test of an agent."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from gate.cases.case import Case, Persona, Round
from gate.config.documents import quoted
from gate.config.scorer import CaseScorers, Scorers, ScorerSpec
from gate.config.validation import (
    DRAFT,
    FileModel,
    describe_attributes,
    file_schema,
    missing,
    value_error,
    value_errors,
)
from gate.config.values import dimension_complaint, not_blank, value_complaint
from gate.limits import CASES, LINE_CHARS, NAME_CHARS, PROMPT_CHARS, WORDS
from gate.messages import ROLES, ContentPart, Message, ToolCall
from gate.prompts.images import PARTS_SCHEMA, content_of
from gate.prompts.reading import Content, Turn, message_of
from gate.values import JsonValue

EXPECTATION_WEIGHT = 0.25
"""Of each expectation of a transcript, beside the suite's scorers, which weigh 1 unless they say otherwise."""
ROUNDS = 50
"""Of one case."""
_RESERVED = ("input", "id", "slices", "expected")
"""Words of a case that no variable may be called by."""


def _as_text(value: object) -> object:
    """Numbers and booleans as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _label(text: str) -> str:
    if complaint := value_complaint(text):
        raise value_error(complaint)
    return text


def check_question(text: object, messages: Sequence[Turn] | None, given: Mapping[str, Any] | None) -> None:
    """Check that the question is given in exactly one way."""
    if text is not None and messages is not None:
        raise value_errors((("messages",), "and 'input' cannot be combined", "remove one of the two"))
    if messages and (last := messages[-1].role) != "user":
        raise value_errors((("messages",), f"must end with the user's turn, not the {last}'s", ""))
    if text is not None or messages is not None:
        return
    if not given:
        raise missing("input", 'input: "Where is my order?"')
    if all(value is None for value in given.values()):
        raise value_errors((("vars",), "has no value", "fill it in, or delete the row"))


def check_vars(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Check that no variable has a reserved name."""
    if reserved := [name for name in given or {} if name in _RESERVED]:
        raise value_errors(*(((name,), "is reserved and cannot be a variable", "rename it") for name in reserved))
    return given


def check_slices(given: dict[str, str] | None) -> dict[str, str] | None:
    """Check the names of slice dimensions."""
    bad = [(name, complaint) for name in given or {} if (complaint := dimension_complaint(name))]
    if bad:
        raise value_errors(*(((name,), f"is not a dimension: it {complaint}", "rename it") for name, complaint in bad))
    return given


def _first(error: ValidationError) -> str:
    return str(error.errors(include_url=False)[0]["msg"])


_SHORT: dict[str, Any] = {"type": ["string", "number", "boolean"], "maxLength": NAME_CHARS}
Label: TypeAlias = Annotated[str, BeforeValidator(_as_text), AfterValidator(_label), WithJsonSchema(_SHORT)]
"""A short text; numbers and booleans become text."""
Word: TypeAlias = Annotated[str, AfterValidator(_label)]
Line: TypeAlias = Annotated[str, Field(max_length=LINE_CHARS), AfterValidator(not_blank)]
_LINE: TypeAdapter[str] = TypeAdapter(Line, config={"strict": True})


def _input(value: Any) -> str | tuple[ContentPart, ...]:
    if isinstance(value, list):
        return content_of(value)
    return value if value == "" else _LINE.validate_python(value)


Input: TypeAlias = Annotated[
    str | tuple[ContentPart, ...],
    PlainValidator(_input),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": LINE_CHARS}, dict(PARTS_SCHEMA)]}),
]
"""What the user says in a case: a text, which may be empty, or texts and images."""
Text: TypeAlias = Annotated[str, Field(max_length=PROMPT_CHARS), AfterValidator(not_blank)]
Passing: TypeAlias = Annotated[float, Field(gt=0, le=1)]
"""A score at which something passes; with a threshold of 0 nothing could fail."""
ExpectedTools: TypeAlias = list[Any] | dict[str, Any]
"""Names of tools that have to be called (none: no call), or the options of the scorer `tools`."""


_SCORERS: TypeAdapter[tuple[ScorerSpec, ...]] = TypeAdapter(Scorers)


class CaseModel(FileModel):
    """Base of all parts of a case."""

    model_config = ConfigDict(json_schema_extra=describe_attributes)


class CommonFields(CaseModel):
    """Fields of a case in every form."""

    slices: dict[str, Label] | None = None
    """Dimension to value: {tier: enterprise, lang: de}."""
    slice: Label | None = None
    """Short for the dimension slice."""
    cluster: Label | None = None
    """Cases with the same value are variants of one source."""
    vars: dict[str, Any] | None = None
    """Further values for the template of the prompt."""
    scorers: CaseScorers | None = None
    """In place of the suite's scorers."""
    extra_scorers: CaseScorers = ()
    """Beside the suite's scorers."""
    criteria: Text | None = None
    """Replaces the criteria of the suite's judges."""
    threshold: Passing | None = None
    """The score at which an answer to this case passes."""
    obsolete: bool = False
    """true: it tests a rule that no longer exists, so it is not run."""

    _vars = field_validator("vars")(check_vars)
    _slices = field_validator("slices")(check_slices)

    @model_validator(mode="after")
    def _one_slice(self) -> "CommonFields":
        if self.slice is not None and "slice" in (self.slices or {}):
            raise value_errors((("slice",), "and 'slices.slice' are the same dimension", "remove one of the two"))
        return self

    @abstractmethod
    def case(self, where: str) -> Case:
        """What is asked, and how it is scored."""

    def common(self) -> dict[str, Any]:
        """The common fields as arguments of `Case`."""
        tagged = {} if self.slice is None else {"slice": self.slice}
        return {
            "slices": {**(self.slices or {}), **tagged},
            "cluster": self.cluster,
            "vars": self.vars or {},
            "scorers": self.scorers,
            "extra_scorers": self.extra_scorers,
            "criteria": self.criteria,
            "threshold": self.threshold,
            "obsolete": self.obsolete,
        }


class PlainCase(CommonFields):
    """One question: a text, a conversation that ends with the user's turn, or variables alone."""

    meant = {
        **dict.fromkeys(("question", "prompt", "query", "text"), "input"),
        **dict.fromkeys(("answer", "expected_output", "output", "ideal", "label", "target"), "expected"),
        **dict.fromkeys(("tags", "metadata"), "slices"),
        **{"group": "cluster", "variables": "vars", "name": "id"},
    }

    id: Label
    """Unique in the file."""
    input: Input | None = None
    """The user's text; "" where the user says nothing; or a list of parts, {type: text, text: …} and {type: image_url,
    image_url: {url: …}}, whose url is a data URL or the path of a file. May be missing where there are vars."""
    messages: Annotated[list[Turn], Field(min_length=1)] | None = None
    """A conversation that ends with the user's turn, in place of input."""
    expected: Any = None
    """The answer that you want; no prompt sees it."""
    description: Text | None = None
    """For readers."""

    @model_validator(mode="after")
    def _one_question(self) -> "PlainCase":
        check_question(self.input, self.messages, self.vars)
        return self

    def case(self, where: str) -> Case:
        """What is asked, and how it is scored."""
        messages = tuple(turn.message for turn in self.messages or ())
        if self.input == "" or isinstance(self.input, tuple):
            messages = (message_of("user", self.input),)
        return Case(
            id=self.id,
            input=self.input if isinstance(self.input, str) else "",
            messages=messages,
            expected=self.expected,
            description=self.description or "",
            where=where,
            **self.common(),
        )


class Expectations(CaseModel):
    """What the next reply of a transcript has to be like; what is null is not expected."""

    meant = {
        **dict.fromkeys(("paraphrases", "paraphrase"), "must_paraphrase"),
        **dict.fromkeys(("asks", "must_ask"), "should_ask"),
        **{"sentences": "max_sentences", "banned_words": "forbidden_words"},
    }

    max_sentences: Annotated[int, Field(ge=1, le=100)] | None = None
    """At most so many sentences."""
    must_paraphrase: bool | None = None
    """It does not play the user's last turn back."""
    forbidden_words: Annotated[list[Word], Field(max_length=WORDS)] | None = None
    """Words that must not occur."""
    should_ask: Word | Annotated[list[Word], Field(max_length=WORDS)] | None = None
    """Topics that it asks about."""

    @field_validator("forbidden_words", "should_ask")
    @classmethod
    def _check_unique(cls, words: str | list[str] | None) -> str | list[str] | None:
        if isinstance(words, list) and len(set(words)) < len(words):
            twice = next(word for at, word in enumerate(words) if word in words[:at])
            raise value_error(f"lists {twice!r} twice")
        return words

    @model_validator(mode="after")
    def _check_scorers(self) -> "Expectations":
        try:
            self.scorers  # noqa: B018
        except ValidationError as error:  # a word may contain an invalid template
            raise value_error(_first(error)) from None
        return self

    @cached_property
    def scorers(self) -> tuple[ScorerSpec, ...]:
        """One scorer per expectation, with its key as name."""
        about = [self.should_ask] if isinstance(self.should_ask, str) else self.should_ask
        wanted: list[tuple[str, str, dict[str, Any]]] = []
        if self.max_sentences is not None:
            wanted.append(("max_sentences", "sentences", {"max": self.max_sentences}))
        if self.must_paraphrase:
            wanted.append(("must_paraphrase", "paraphrases", {}))
        if self.forbidden_words:
            wanted.append(("forbidden_words", "forbidden_words", {"words": self.forbidden_words}))
        if about:
            wanted.append(("should_ask", "asks", {"about": about}))
        found = [{kind: options, "name": name, "weight": EXPECTATION_WEIGHT} for name, kind, options in wanted]
        return _SCORERS.validate_python(found) if found else ()


class CalledFunction(CaseModel):
    """The function of a call, as OpenAI's interface writes it."""

    name: Word
    """Name of the tool."""
    arguments: dict[str, Any] | str = ""
    """A mapping, or the same as JSON text."""


class CalledTool(CaseModel):
    """A call of a tool in a conversation."""

    id: Label | None = None
    """The turn with the result names the call by it."""
    type: Literal["function"] = "function"
    """As OpenAI's interface writes it."""
    name: Word | None = None
    """Name of the tool."""
    arguments: dict[str, Any] | str = ""
    """A mapping, or the same as JSON text."""
    function: CalledFunction | None = None
    """In place of name and arguments: both, as OpenAI's interface writes them."""

    @model_validator(mode="after")
    def _one_name(self) -> "CalledTool":
        if (self.name is None) == (self.function is None):
            raise value_error("needs a name, or function with a name", "for example {name: get_slots, arguments: {}}")
        return self

    def call(self, number: int) -> ToolCall:
        """The call; without an id it gets one of its place."""
        of = self.function or CalledFunction(name=str(self.name), arguments=self.arguments)
        text = of.arguments if isinstance(of.arguments, str) else json.dumps(of.arguments, ensure_ascii=False)
        return ToolCall(self.id or f"call_{number}", of.name, text or "{}")


class TranscriptTurn(CaseModel):
    """One turn of a recorded conversation: a message, calls of tools, or the result of one."""

    meant = Turn.meant

    role: Literal["system", "developer", "user", "assistant", "tool"]
    """Who speaks; `tool` gives the result of a call."""
    content: Content | Literal[""] = ""
    """The text of the message; may be empty where tools are called, and in the result of one."""
    tool_calls: Annotated[list[CalledTool], Field(max_length=WORDS)] = []
    """The assistant's calls of tools: {name: …, arguments: {…}}, or as OpenAI's interface writes them."""
    tool_call_id: Label | None = None
    """The id of the call that this turn answers. Default: the first call that has no result yet."""

    @model_validator(mode="after")
    def _check_calls(self) -> "TranscriptTurn":
        if self.tool_calls and self.role != "assistant":
            raise value_errors((("tool_calls",), "belong to a turn of the assistant", ""))
        if self.tool_call_id is not None and self.role != "tool":
            raise value_errors((("tool_call_id",), "belongs to a turn of the role tool", ""))
        if self.content == "" and not self.tool_calls and self.role != "tool":
            raise value_errors((("content",), "is missing", "write what is said"))
        if not isinstance(self.content, str) and self.role != "user":
            raise value_errors((("content",), "has an image, and only messages of the user can have one", ""))
        return self


def transcript_messages(turns: Sequence[TranscriptTurn]) -> tuple[Message, ...]:
    """The messages of a recorded conversation. Raises value errors: a call without a result, or one without a call."""
    found: list[Message] = []
    waiting: list[str] = []
    calls = 0
    for at, turn in enumerate(turns):
        if turn.role == "tool":
            answered = turn.tool_call_id or next(iter(waiting), "")
            if answered not in waiting:
                raise value_errors(((at,), "is the result of a tool, and no call before it waits for one", ""))
            waiting.remove(answered)
            found.append(replace(message_of("tool", turn.content), answers=answered))
            continue
        if waiting:
            break
        own = tuple(one.call(calls + number) for number, one in enumerate(turn.tool_calls, 1))
        calls += len(own)
        waiting = [one.id for one in own]
        found.append(replace(message_of(ROLES[turn.role], turn.content), tool_calls=own))
    if waiting:
        hint = "add a turn with its result: {role: tool, content: …}"
        raise value_error(f"has a call of a tool without a result ({quoted(waiting[0])})", hint)
    return tuple(found)


class GoldenTranscript(CommonFields):
    """A conversation so far, the state that the agent is in, and what its next reply has to be like."""

    meant = {
        **dict.fromkeys(("messages", "turns", "transcript", "input"), "conversation"),
        **dict.fromkeys(("expected", "expectations"), "expect"),
        **dict.fromkeys(("tags", "metadata"), "slices"),
        **{"group": "cluster", "variables": "vars", "name": "id"},
    }

    id: Label
    """Unique in the file."""
    state: Word
    """The point that the conversation is at."""
    session: dict[str, Any] | None = None
    """What the prompt is built from."""
    conversation: Annotated[list[TranscriptTurn], Field(min_length=1)]
    """The conversation so far; its last turn is the user's, or the result of a tool."""
    expect: Expectations | None = None
    """What the next reply has to be like."""

    @field_validator("conversation")
    @classmethod
    def _ends_with_the_user(cls, turns: list[TranscriptTurn]) -> list[TranscriptTurn]:
        if turns[-1].role not in ("user", "tool") and not turns[-1].tool_calls:
            raise value_error(
                f"must end with the user's turn, not the {turns[-1].role}'s", "end it with what the reply answers"
            )
        transcript_messages(turns)
        return turns

    @model_validator(mode="after")
    def _check_one_state(self) -> "GoldenTranscript":
        if "state" in (self.session or {}) and (self.session or {})["state"] != self.state:
            raise value_errors((("session", "state"), f"is not the state {self.state!r}", "remove one of the two"))
        for where, given, own in (("slices", self.slices, ("state",)), ("vars", self.vars, ("state", "session"))):
            for name in own:
                if name in (given or {}):
                    raise value_errors(((where, name), f"and {name!r} are the same", "remove one of the two"))
        return self

    def case(self, where: str) -> Case:
        """The case: state becomes a slice and a variable, session a variable."""
        common = self.common()
        common["slices"] |= {"state": self.state}
        common["vars"] = {**common["vars"], "state": self.state, "session": self.session or {}}
        common["extra_scorers"] = (*(self.expect.scorers if self.expect else ()), *self.extra_scorers)
        return Case(id=self.id, messages=transcript_messages(self.conversation), where=where, **common)


class AgentInstructions(CaseModel):
    """The tools that an agent should call, and what a judge looks for."""

    expected_tools: ExpectedTools | None = None
    """Tools that the agent should call; an empty list: none."""
    judge_prompt: Text | None = None
    """What the judge looks for in this case."""
    judge_threshold: Passing | None = None
    """The score at which the judge passes it."""

    @model_validator(mode="after")
    def _check_tools(self) -> "AgentInstructions":
        try:
            self.tools  # noqa: B018
        except ValidationError as error:
            raise value_errors((("expected_tools",), f"cannot be: {_first(error)}", "")) from None
        return self

    @cached_property
    def tools(self) -> tuple[ScorerSpec, ...]:
        """The scorer for the expected tools."""
        if self.expected_tools is None:
            return ()
        listed = {"all": self.expected_tools} if self.expected_tools else {"max_calls": 0}
        options = self.expected_tools if isinstance(self.expected_tools, dict) else listed
        return _SCORERS.validate_python([{"tools": options, "name": self.tools_name()}])

    @classmethod
    def tools_name(cls) -> str:
        """Name of the scorer for tools."""
        return "expected_tools"


class AgentRound(AgentInstructions):
    """One round of a test of an agent."""

    meant = {"input": "prompt", "user": "prompt", "criteria": "judge_prompt", "threshold": "judge_threshold"}

    prompt: Line
    """What the agent is asked."""

    @classmethod
    def tools_name(cls) -> str:
        """Name of the scorer for tools."""
        return "expected_tools of rounds"

    @property
    def round(self) -> Round:
        """The round of a `Case`."""
        return Round(self.prompt, self.judge_prompt, self.judge_threshold, self.tools)


class SimulatedUser(CaseModel):
    """A person whom a model plays."""

    persona: Text | None = None
    """Who the person is."""
    goal: Text
    """What the person wants; the conversation ends when it is reached."""
    max_turns: Annotated[int, Field(ge=1, le=50)] = 6
    """Messages to the agent at most."""


class AgentTest(AgentInstructions, CommonFields):
    """What an agent is asked, in one or more rounds, the tools that it should call, and what a judge looks for."""

    meant = {**PlainCase.meant, **dict.fromkeys(("input", "question", "query"), "prompt"), "prompts": "rounds"}

    id: Label | None = None
    """Unique in the file. Default: the name."""
    name: Label | None = None
    """In place of id: unique in the file."""
    description: Text | None = None
    """For readers."""
    prompt: Line | None = None
    """What the agent is asked."""
    rounds: Annotated[list[AgentRound], Field(min_length=1, max_length=ROUNDS)] | None = None
    """What the agent is asked, round by round."""
    test_agent_revival: bool = False
    """The session is closed and opened again between rounds."""
    facts: Text | dict[str, Any] | None = None
    """What the simulated user knows."""
    user: SimulatedUser | None = None
    """A person whom a model plays."""
    expected: Any = None
    """The answer that you want; no prompt sees it."""

    @model_validator(mode="after")
    def _check_combination(self) -> "AgentTest":
        if self.criteria is not None and self.judge_prompt is not None:
            raise value_errors((("criteria",), "and 'judge_prompt' are the same", "remove one of the two"))
        if self.id is None and self.name is None:
            raise missing("name", "name: refund-1")
        if self.prompt is None and self.rounds is None and self.user is None:
            raise missing("prompt", 'prompt: "What are my listings?"')
        if self.rounds is not None:
            for key in ("prompt", "user"):
                if getattr(self, key) is not None:
                    raise value_errors(((key,), "and 'rounds' cannot be combined", "remove one of the two"))
        if self.test_agent_revival and len(self.rounds or ()) < 2:
            hint = "add a second round that depends on the first"
            raise value_errors((("test_agent_revival",), "needs two rounds or more", hint))
        return self

    def case(self, where: str) -> Case:
        """The case: its first prompt is the question, and expected tools become the first, required scorer."""
        common = self.common()
        common["criteria"] = self.judge_prompt if self.criteria is None else self.criteria
        common["extra_scorers"] = (*self.tools, *self.extra_scorers)
        user = self.user
        return Case(
            id=(self.id if self.id is not None else self.name) or "",
            input=self.rounds[0].prompt if self.rounds else self.prompt or "",
            expected=self.expected,
            judge_threshold=self.judge_threshold,
            rounds=tuple(one.round for one in self.rounds or ()),
            revival=self.test_agent_revival,
            facts=_facts_text(self.facts),
            user=Persona(user.persona or "a customer", user.goal, user.max_turns) if user else None,
            description=self.description or "",
            where=where,
            **common,
        )


CaseForm: TypeAlias = PlainCase | GoldenTranscript | AgentTest
_TRANSCRIPT = frozenset({"conversation", "session", "state"})
_AGENT = frozenset(
    {"expected_tools", "judge_prompt", "judge_threshold", "rounds", "test_agent_revival", "facts", "user"}
)
_NAMED_ONLY = frozenset({"name", "description", "slices", "cluster"})
"""With nothing else than these it has a name as tests of agents do, and lacks what the agent is asked."""


def form_of(entry: Mapping[str, object]) -> type[CommonFields]:
    """The form of an entry, by its keys."""
    has_question = bool({"input", "messages"} & entry.keys())
    if "conversation" in entry or (_TRANSCRIPT & entry.keys() and not has_question):
        return GoldenTranscript
    is_agent_test = "name" in entry and ("prompt" in entry or entry.keys() <= _NAMED_ONLY)
    return AgentTest if (is_agent_test or _AGENT & entry.keys()) and not has_question else PlainCase


def _facts_text(facts: str | dict[str, JsonValue] | None) -> str:
    """Facts as text; a mapping becomes one line per entry."""
    return "\n".join(f"{name}: {value}" for name, value in facts.items()) if isinstance(facts, dict) else facts or ""


ID = "https://prompt-gate.dev/schemas/cases/1"
"""A name, not an address that is fetched."""


def case_schema() -> dict[str, Any]:
    """The JSON Schema of one case in any form: a line of a `.jsonl` file."""
    return file_schema(TypeAdapter(CaseForm), "a case", f"{ID}/case")


def cases_schema() -> dict[str, Any]:
    """The JSON Schema of a JSON or YAML file: a list of cases, or a single case."""
    case = TypeAdapter(CaseForm).json_schema()
    definitions = {**case.pop("$defs", {}), "case": case}
    one = {"$ref": "#/$defs/case"}
    listed = {"type": "array", "minItems": 1, "maxItems": CASES, "items": one}
    return {"$schema": DRAFT, "$id": ID, "title": "cases", "anyOf": [listed, one], "$defs": definitions}
