"""Test cases: one row of an eval set, its messages, and its scoring settings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pydantic import ValidationError

from gate.config.documents import one_problem, quoted
from gate.config.scorer import ScorerSpec
from gate.config.values import OVERALL, is_pointer
from gate.errors import InputErrors
from gate.limits import RENDERING_S
from gate.messages import ROLES, Message, Role
from gate.prompts.images import content_of
from gate.prompts.reading import message_of
from gate.prompts.version import FunctionTexts, Prompt
from gate.record.transcript import Failed
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, digest

Entry: TypeAlias = Mapping[str, JsonValue]
"""A case of any form, as it stands in a case file; the store keeps all of it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a conversation that the case leads.

    Args:
        criteria: for judges in this round, instead of those of the suite; None to use those of the case.
        threshold: minimum score of each judge in this round; None to use that of the case.
    """

    said: str
    criteria: str | None = None
    threshold: float | None = None
    scorers: tuple[ScorerSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """A person, played by a model, who talks to the agent.

    Args:
        goal: the conversation ends when it is reached.
        max_turns: limit of messages to the agent, at least 1.
    """

    persona: str
    goal: str
    max_turns: int = 6


@dataclass(frozen=True, slots=True)
class Case:
    """One test case.

    Args:
        id: unique within the eval set.
        input: the user's text; empty with `messages`, or if a template needs only `vars`.
        messages: a conversation that ends with the user's turn; also an input with images, or one that is deliberately
            empty.
        expected: the reference answer; never part of a prompt.
        cluster: the same for all cases that are variants of one source.
        scorers: replace those of the suite, if not None.
        extra_scorers: in addition to `scorers` or those of the suite.
        criteria: replace the criteria of the suite's judges.
        threshold: minimum score of a sample that passes; None to use that of the suite.
        where: `file:line`, or `file:cases[3]` in a JSON file.
        rounds: for a conversation that continues after the agent's answers; else empty.
        revival: close and reopen the session after the first round.
        facts: knowledge of the user, to answer the agent's questions.
        user: simulated user; None if the case contains the messages.
        obsolete: it tests a rule that no longer exists, so it is not run.
    """

    id: str
    input: str = ""
    messages: tuple[Message, ...] = ()
    expected: JsonValue = None
    slices: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    scorers: tuple[ScorerSpec, ...] | None = None
    extra_scorers: tuple[ScorerSpec, ...] = ()
    criteria: str | None = None
    threshold: float | None = None
    judge_threshold: float | None = None
    vars: Mapping[str, JsonValue] = field(default_factory=dict)
    where: str = ""
    rounds: tuple[Round, ...] = ()
    revival: bool = False
    facts: str = ""
    user: Persona | None = None
    description: str = ""
    obsolete: bool = False

    @property
    def round_scorers(self) -> tuple[ScorerSpec, ...]:
        """The scorers of all rounds; the first one of each name."""
        found: dict[str, ScorerSpec] = {}
        for spec in (spec for one in self.rounds for spec in one.scorers):
            found.setdefault(spec.name, spec)
        return tuple(found.values())

    @property
    def templates(self) -> tuple[str, ...]:
        """Its texts that may contain `{{ expected }}` and other fields, apart from those of scorers."""
        user = (self.user.persona, self.user.goal) if self.user else ()
        return tuple(filter(None, (self.criteria, *(one.criteria for one in self.rounds), *user, self.facts)))

    @property
    def steps(self) -> tuple[Round, ...]:
        """Its rounds; a case without rounds has one, with its question."""
        question = self.messages[-1].content if self.messages else self.input
        return self.rounds or (Round(question, self.criteria, self.threshold),)

    @property
    def turns(self) -> int:
        """Minimum of messages that are sent for one sample."""
        return max(1, len(self.rounds))

    @property
    def only_vars(self) -> bool:
        """The case has no message; a template builds the question from variables."""
        return bool(self.vars) and not (self.input or self.messages or self.rounds or self.user)

    @property
    def says_nothing(self) -> bool:
        """The user's message is deliberately empty."""
        return bool(self.messages) and not self.messages[-1].content

    @property
    def question(self) -> str:
        """The question as text, for reports and judges."""
        if self.rounds:
            return "\n".join(f"user: {one.said}" for one in self.rounds)
        if self.only_vars:
            texts = {
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in self.vars.items()
            }
            return "\n".join(f"{name}: {value}" for name, value in texts.items())
        if not self.messages:
            return self.input
        return "\n".join(f"{message.role}: {message.shown}" for message in self.messages)


def place_of(where: str) -> tuple[str, int]:
    """File and line of `Case.where`; line 0 for a JSON file."""
    file, _, place = where.rpartition(":")
    return file or where or "cases", int(place) if place.isdigit() else 0


def shows_turns(question: str) -> bool:
    """Does a question from `Case.question` begin like a conversation?"""
    return question.startswith(("user: ", "assistant: ", "system: "))


LENGTH = "length"
"""The automatic dimension."""


def length_edges(cases: Sequence[Case]) -> tuple[int, int]:
    """The terciles of the lengths of questions, in characters: the upper limits of `short` and `medium`.

    Args:
        cases: those of the base branch; the result is (0, 0) if empty.
    """
    lengths = sorted(len(case.question) for case in cases)
    if not lengths:
        return 0, 0
    third, two_thirds = -(-len(lengths) // 3), -(-2 * len(lengths) // 3)
    return lengths[third - 1], lengths[two_thirds - 1]


def with_length(cases: Sequence[Case], edges: tuple[int, int]) -> tuple[Case, ...]:
    """The cases with a slice `length` (short, medium or long); an existing `length` stays.

    Args:
        cases: need not be those of `length_edges`.
    """
    return tuple(
        case if LENGTH in case.slices else replace(case, slices={**case.slices, LENGTH: _length_of(case, edges)})
        for case in cases
    )


def _length_of(case: Case, edges: tuple[int, int]) -> str:
    length = len(case.question)
    if length <= edges[0]:
        return "short"
    return "medium" if length <= edges[1] else "long"


def members(cases: Sequence[Case], dimensions: Sequence[str]) -> dict[str, list[int]]:
    """Indices of cases per slice: `overall` first, then `dimension=value`.

    Args:
        cases: with `length`.
        dimensions: the order of the result; values are sorted.
    """
    found = {OVERALL: list(range(len(cases)))}
    for dimension in dimensions:
        values: dict[str, list[int]] = {}
        for index, case in enumerate(cases):
            if dimension in case.slices:
                values.setdefault(case.slices[dimension], []).append(index)
        found.update({f"{dimension}={value}": values[value] for value in sorted(values)})
    return found


def session_of(case: Case) -> dict[str, JsonValue]:
    """The argument of a prompt function: the `session` of the case, with its `state` as a default."""
    session = case.vars.get("session", {})
    if not isinstance(session, dict):
        message = f"the session of case {quoted(case.id)} must be a mapping: a Python prompt is called with it"
        raise one_problem(*place_of(case.where), message)
    state: dict[str, JsonValue] = {"state": case.vars["state"]} if "state" in case.vars else {}
    return {**state, **session}


class NotBuilt(InputErrors):
    """A prompt function returned no text for a case."""

    def __init__(self, file: str, failed: Failed) -> None:
        super().__init__(one_problem(file, 0, failed.reason).problems)
        self.failed = failed


class SlowTemplate(InputErrors):
    """Rendering exceeded the time limit; other cases of the template would, too."""


def render(prompt: Prompt, case: Case, file: str = "the prompt", seconds: float = RENDERING_S) -> tuple[Message, ...]:
    """Build the messages for one case.

    Plain text becomes the system message, followed by the turns of the case. A case with only variables has no turns,
    and a template becomes the user message. A template can use `input`, `id`, `slices` and the case's `vars`, but not
    `expected`. A message that uses `input` contains the last question, so only earlier turns are added, before that
    message, and the images of the question follow its text; a plain template that uses `input` becomes a user message.
    An empty question is not added to a prompt with a user message of its own.

    Args:
        seconds: limit of processor time per message.

    Raises:
        SlowTemplate: the limit is exceeded.
        NotBuilt: the prompt function returned no text for this case.
    """
    turns = _turns(case)
    if prompt.built is not None:
        return _with_question(_with_turns(_built(prompt.built, case, file), turns), case, file)
    if not prompt.template:
        return _with_question(_with_turns(prompt.messages, turns), case, file)
    return _with_question(tuple(message for _, message in _written(prompt, case, file, seconds)), case, file)


def _written(prompt: Prompt, case: Case, file: str, seconds: float) -> list[tuple[Message | None, Message]]:
    """The messages of a template, each with its source message in the prompt."""
    turns, variables = _turns(case), variables_of(case, prompt)
    images = turns[-1].images if turns else ()
    found: list[tuple[Message | None, Message]] = []
    has_question = False
    for at, message in enumerate(prompt.messages):
        if at in prompt.threads:
            found += ((None, turn) for turn in _conversation(prompt.threads[at], variables, case, file))
            continue
        try:
            rendered, uses_input = _filled_in(message, prompt, variables, seconds)
        except BadTemplate as error:
            raise _template_problem(error, case, file) from None
        role = message.role if prompt.chat else ("user" if uses_input or not turns else "system")
        if uses_input and role == "user":
            rendered, images = rendered.with_images(images), ()
        if not rendered.content.strip() and not (uses_input and case.says_nothing):
            if prompt.defaults:
                continue  # it depends on an input that may be missing
            raise one_problem(file, 0, f"is empty for case {_named(case)}")
        if uses_input and not has_question:
            found += ((None, turn) for turn in turns[:-1])
            has_question = True
        found.append((message, replace(rendered, role=role)))
    if not has_question:
        written = [message for _, message in found]
        found += ((None, turn) for turn in _with_turns(written, turns)[len(written) :])
    if prompt.chat and found and not any(message.role == "user" for _, message in found):
        # Other tools send only a system message with the whole task, but model APIs require a user message.
        writer, last = found[-1]
        found[-1] = writer, replace(last, role="user")
    return found


def _filled_in(
    message: Message, prompt: Prompt, variables: Mapping[str, JsonValue], seconds: float
) -> tuple[Message, bool]:
    """A message of a template with its variables, and whether it uses the input. Raises BadTemplate."""
    uses_input = any("input" in compile_template(text, prompt.parts).names for text in message.texts)
    return message.with_texts(lambda text: compile_template(text, prompt.parts).render(variables, seconds)), uses_input


def writers(prompt: Prompt, case: Case) -> tuple[Message | None, ...]:
    """For each message of `render`, its source message in the prompt; None for a turn of the case.

    Raises:
        InputErrors: a template that cannot be read or rendered.
    """
    if not prompt.template or prompt.built is not None:
        own = prompt.messages if prompt.built is None else _built(prompt.built, case, "the prompt")
        return (*own, *(None for _ in _with_turns(own, _turns(case))[len(own) :]))
    return tuple(writer for writer, _ in _written(prompt, case, "the prompt", RENDERING_S))


def fill(text: str, case: Case, seconds: float = RENDERING_S) -> str:
    """A text of a scorer or of `Case.templates`, with the fields of the case; text without `{{` does not change.

    Args:
        text: may use `{{ expected }}`, `{{ input }}`, `{{ id }}`, `{{ slices.tier }}` and the case's `vars`; values
            that are not strings become JSON.

    Raises:
        SlowTemplate: it takes longer.
    """
    if "{{" not in text:
        return text
    if text == "{{ expected }}" and isinstance(case.expected, str) and case.expected.isascii():
        # The common case: a template would give the same result at thirty times the cost.
        return case.expected
    variables = variables_of(case)
    if case.expected is not None:
        variables["expected"] = case.expected
    try:
        return compile_template(text).render(variables, seconds)
    except BadTemplate as error:
        file, line = place_of(case.where)
        hint = "add the field to the case, or change the template" if error.undefined else ""
        message = f"a template cannot be filled in for case {case.id!r}: {error.message}"
        raise _rendering_error(error, one_problem(file, line, message, hint)) from None


def variables_of(case: Case, prompt: Prompt | None = None) -> dict[str, JsonValue]:
    """The variables of a template for a case, with the defaults of the prompt.

    Args:
        prompt: None for scorers and judges, who see a text in place of each image.
    """
    slices: Mapping[str, JsonValue] = dict(case.slices)
    turns = _turns(case)
    texts = () if not turns else (turns[-1].content,) if prompt is None else turns[-1].texts
    question: Mapping[str, JsonValue] = {"input": "\n".join(texts)} if turns else {}
    defaults = {} if prompt is None else prompt.defaults
    return {**defaults, **case.vars, **question, "id": case.id, "slices": dict(slices)}


def _conversation(name: str, variables: Mapping[str, JsonValue], case: Case, file: str) -> list[Message]:
    """The turns in a variable, as messages with their roles."""
    value = variables.get(name) or []
    turns = value if isinstance(value, list) else [None]
    messages: list[Message] = []
    for turn in turns:
        role = ROLES.get(str(turn.get("role")).lower()) if isinstance(turn, dict) else None
        content = _turn_text(turn) if isinstance(turn, dict) else None
        if role is None or content is None:
            hint = f"write {name}: [{{role: user, content: …}}] under its vars; roles are {', '.join(ROLES)}"
            raise one_problem(file, 0, f"{quoted(name)} of case {_named(case)} must be a list of messages", hint)
        if content.strip():
            messages.append(Message(role, content))
    return messages


def _turn_text(turn: Mapping[str, JsonValue]) -> str | None:
    """The text of a turn: its content, or its text parts joined."""
    content = turn.get("content", turn.get("parts"))
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    texts = [one.get("text", one.get("value")) if isinstance(one, dict) else one for one in content]
    return "\n".join(map(str, texts)) if all(isinstance(one, str) for one in texts) else None


def _turns(case: Case) -> tuple[Message, ...]:
    if case.only_vars:
        return ()
    return case.messages or (Message("user", case.input),)


def _with_turns(own: Sequence[Message], turns: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of a prompt and the turns of a case; a prompt that asks itself needs no empty question."""
    asks = any(message.role == "user" for message in own)
    return (*own, *(turn for turn in turns if turn.content or not asks))


def _with_question(messages: tuple[Message, ...], case: Case, file: str) -> tuple[Message, ...]:
    """The messages; InputErrors if they contain no question, or not its images."""
    sent = {image for message in messages for image in message.images}
    if any(image not in sent for message in case.messages for image in message.images):
        hint = "use {{ input }} in a user message"
        raise one_problem(file, 0, f"has no user message for the image of case {_named(case)}", hint)
    if case.only_vars and not any(message.role == "user" for message in messages):
        hint = "add an input to the case, or a user message to the prompt"
        raise one_problem(file, 0, f"case {_named(case)} has no input, and the prompt has no user message", hint)
    return messages


def _built(built: FunctionTexts, case: Case, file: str) -> tuple[Message, ...]:
    """The text of a function as the system message (as the user's if the case has no turns), or its messages."""
    text = built.texts.get(digest(session_of(case)), Failed("the prompt was not built for this case", attempts=0))
    if isinstance(text, Failed):
        raise NotBuilt(file, text)
    return _messages_in(text, file) or (Message("user" if case.only_vars else "system", text),)


def _messages_in(text: str, file: str) -> tuple[Message, ...]:
    """The messages in a text that is a JSON list of messages; else empty. Raises NotBuilt: a bad part."""
    if not text.startswith("["):
        return ()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    turns = [(ROLES.get(str(one.get("role"))), one.get("content")) for one in rows]
    messages: list[Message] = []
    for role, said in turns:
        if role is not None and isinstance(said, list):
            messages.append(_built_message(role, said, file))
        elif role is not None and isinstance(said, str):
            messages.append(Message(role, said))
    return tuple(messages) if len(messages) == len(found) else ()


def _built_message(role: Role, content: list[JsonValue], file: str) -> Message:
    try:
        message = message_of(role, content_of(content))
    except ValidationError as error:
        reason = str(error.errors(include_url=False)[0]["msg"])
        raise NotBuilt(file, Failed(f"a part of a message of the prompt {reason}", attempts=0)) from None
    if any(not image.sha256 for image in message.images):
        reason = "an image in a message of the prompt must be a data URL: a function knows where its files are"
        raise NotBuilt(file, Failed(reason, attempts=0))
    return message


def _template_problem(error: BadTemplate, case: Case, file: str) -> InputErrors:
    hint = ""
    if error.undefined and "'expected'" in error.message:
        hint = "the expected answer is never shown to a prompt"
    elif error.undefined:
        other = "if it is not a placeholder, set template: false in the suite"
        hint = f"add it under 'vars' of the case, or {other if is_pointer(file) else 'remove it from the template'}"
    return _rendering_error(
        error, one_problem(error.file or file, error.line, f"{error.message} (case {_named(case)})", hint)
    )


def _rendering_error(error: BadTemplate, problem: InputErrors) -> InputErrors:
    return SlowTemplate(problem.problems) if error.slow else problem


def _named(case: Case) -> str:
    return f"{case.id!r} at {case.where}" if case.where else repr(case.id)


def all_texts(value: object) -> Iterator[str]:
    """All texts inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from all_texts(inner)
