"""One row of an eval set, and how an answer to it is scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.config.documents import one_problem, quoted
from gate.config.scorer import ScorerSpec
from gate.config.values import OVERALL, is_pointer
from gate.errors import InputErrors
from gate.limits import RENDERING_S
from gate.messages import ROLES, Message
from gate.prompts.version import FunctionTexts, Prompt
from gate.record.transcript import Failed
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, digest

Entry: TypeAlias = Mapping[str, JsonValue]
"""A case of any form, as it stands in a case file; the store keeps all of it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One step of a conversation that the case leads.

    Args:
        criteria: of the judges for this round, before those of the suite; None as the case says.
        threshold: least score of each judge in this round; None as the case says.
    """

    said: str
    criteria: str | None = None
    threshold: float | None = None
    scorers: tuple[ScorerSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """A person, played by a model, who talks to the agent in place of the case.

    Args:
        goal: the conversation ends when it is reached.
        max_turns: messages to the agent, 1 or more.
    """

    persona: str
    goal: str
    max_turns: int = 6


@dataclass(frozen=True, slots=True)
class Case:
    """One question of the eval set.

    Args:
        id: unique within the eval set.
        input: the user's text; empty when `messages` are given, or `vars` are all that a template needs.
        messages: a conversation so far, the last turn being the user's.
        expected: the reference answer, never shown to a prompt.
        cluster: cases that are variants of one source carry the same cluster.
        scorers: in place of the suite's, when not None.
        extra_scorers: beside the suite's scorers, or beside `scorers`.
        criteria: before the criteria of the suite's judges, when not None.
        threshold: least score of a sample that passes; None as the exam says.
        where: `file:line`, or `file:cases[3]` in a JSON file.
        rounds: a conversation that goes on after the agent's answers; empty for one question.
        revival: after the first round the session is closed and opened again.
        facts: what the person knows, to answer the agent's questions.
        user: talks to the agent; None where the case itself does.
        obsolete: what it asks for is no longer promised, so it is not part of an exam.
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
        """The scorers of its rounds, the first of each name."""
        found: dict[str, ScorerSpec] = {}
        for spec in (spec for one in self.rounds for spec in one.scorers):
            found.setdefault(spec.name, spec)
        return tuple(found.values())

    @property
    def steps(self) -> tuple[Round, ...]:
        """Its rounds; a case without them has one, in which its question is asked."""
        asked = self.messages[-1].content if self.messages else self.input
        return self.rounds or (Round(asked, self.criteria, self.threshold),)

    @property
    def turns(self) -> int:
        """Messages that are sent for one sample, at least: one for each round."""
        return max(1, len(self.rounds))

    @property
    def only_vars(self) -> bool:
        """Nobody says anything: variables, put into a template, are the whole question."""
        return bool(self.vars) and not (self.input or self.messages or self.rounds or self.user)

    @property
    def question(self) -> str:
        """The text that a reader, and a judge, see as the question."""
        if self.rounds:
            return "\n".join(f"user: {one.said}" for one in self.rounds)
        if self.only_vars:
            told = {
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in self.vars.items()
            }
            return "\n".join(f"{name}: {value}" for name, value in told.items())
        if not self.messages:
            return self.input
        return "\n".join(f"{message.role}: {message.content}" for message in self.messages)


def place_of(where: str) -> tuple[str, int]:
    """File and line of `Case.where`; line 0 for a JSON file, whose cases have a position in its list."""
    file, _, place = where.rpartition(":")
    return file or where or "cases", int(place) if place.isdigit() else 0


def shows_turns(question: str) -> bool:
    """Does a question, as readers see it, begin like a conversation?"""
    return question.startswith(("user: ", "assistant: ", "system: "))


LENGTH = "length"
"""The automatic dimension."""


def length_edges(cases: Sequence[Case]) -> tuple[int, int]:
    """The terciles of the questions' lengths, in characters: the longest `short` and the longest `medium`.

    Args:
        cases: the base exam; (0, 0) when it is empty.
    """
    lengths = sorted(len(case.question) for case in cases)
    if not lengths:
        return 0, 0
    third, two_thirds = -(-len(lengths) // 3), -(-2 * len(lengths) // 3)
    return lengths[third - 1], lengths[two_thirds - 1]


def with_length(cases: Sequence[Case], edges: tuple[int, int]) -> tuple[Case, ...]:
    """The cases, each with `length` short, medium or long; a case that brings its own keeps it.

    Args:
        cases: also those that the edges were not taken from.
    """
    return tuple(
        case if LENGTH in case.slices else replace(case, slices={**case.slices, LENGTH: _band(case, edges)})
        for case in cases
    )


def _band(case: Case, edges: tuple[int, int]) -> str:
    length = len(case.question)
    if length <= edges[0]:
        return "short"
    return "medium" if length <= edges[1] else "long"


def members(cases: Sequence[Case], dimensions: Sequence[str]) -> dict[str, list[int]]:
    """Indices into `cases` per slice: `overall` first, then `dimension=value`.

    Args:
        cases: with `length` already added.
        dimensions: in this order; their values are sorted.
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
    """The argument of a prompt function: the case's `session`, and its `state` where the session has none."""
    session = case.vars.get("session", {})
    if not isinstance(session, dict):
        message = f"the session of case {quoted(case.id)} must be a mapping: a Python prompt is called with it"
        raise one_problem(*place_of(case.where), message)
    state: dict[str, JsonValue] = {"state": case.vars["state"]} if "state" in case.vars else {}
    return {**state, **session}


class NotBuilt(InputErrors):
    """A Python function gave no text for this case."""

    def __init__(self, file: str, failed: Failed) -> None:
        super().__init__(one_problem(file, 0, failed.reason).problems)
        self.failed = failed


class SlowTemplate(InputErrors):
    """Rendering took too long; other cases of the same template would, too."""


def render(prompt: Prompt, case: Case, file: str = "the prompt", seconds: float = RENDERING_S) -> tuple[Message, ...]:
    """The messages for one case.

    Plain text is the system message and the case's turns follow; a case of variables alone has none, and then a
    template is the user message. A template sees `input`, `id`, `slices` and the case's `vars`, never `expected`. A
    message that uses `input` holds the last question, so only the turns before it are put in, ahead of that message; a
    plain template that uses it is a user message.

    Args:
        seconds: of processor time for each message.

    Raises:
        SlowTemplate: it takes longer.
        NotBuilt: the prompt's Python function gave no text for this case.
    """
    turns = _turns(case)
    if prompt.built is not None:
        return _asking((*_built(prompt.built, case, file), *turns), case, file)
    if not prompt.template:
        return _asking(prompt.messages + turns, case, file)
    return _asking(tuple(message for _, message in _written(prompt, case, file, seconds)), case, file)


def _written(prompt: Prompt, case: Case, file: str, seconds: float) -> list[tuple[Message | None, Message]]:
    """The messages of a template, each with the message of the prompt that it was made from."""
    turns, variables = _turns(case), variables_of(case, prompt)
    found: list[tuple[Message | None, Message]] = []
    asked = False
    for at, message in enumerate(prompt.messages):
        if at in prompt.threads:
            found += ((None, turn) for turn in _conversation(prompt.threads[at], variables, case, file))
            continue
        try:
            compiled = compile_template(message.content, prompt.parts)
            content = compiled.render(variables, seconds)
        except BadTemplate as error:
            raise _template_problem(error, case, file) from None
        if not content.strip():
            if prompt.defaults:
                continue  # what depends on an input that may be absent
            raise one_problem(file, 0, f"is empty for case {_named(case)}")
        uses_input = "input" in compiled.names
        if uses_input and not asked:
            found += ((None, turn) for turn in turns[:-1])
            asked = True
        role = message.role if prompt.chat else ("user" if uses_input or not turns else "system")
        found.append((message, Message(role, content)))
    if not asked:
        found += ((None, turn) for turn in turns)
    if prompt.chat and found and not any(message.role == "user" for _, message in found):
        # Other tools send instructions that hold the whole task alone; a service wants a message of the user.
        writer, last = found[-1]
        found[-1] = writer, replace(last, role="user")
    return found


def writers(prompt: Prompt, case: Case) -> tuple[Message | None, ...]:
    """For each message of `render`, the message of the prompt that it was made from; None for a turn of the case.

    Raises:
        InputErrors: a template that cannot be read or rendered.
    """
    turns = [None] * len(_turns(case))
    if prompt.built is not None:
        return (*_built(prompt.built, case, "the prompt"), *turns)
    if not prompt.template:
        return (*prompt.messages, *turns)
    return tuple(writer for writer, _ in _written(prompt, case, "the prompt", RENDERING_S))


def fill(text: str, case: Case, seconds: float = RENDERING_S) -> str:
    """A scorer's text with the case's fields filled in; text without `{{` stays as it is.

    Args:
        text: may hold `{{ expected }}`, `{{ input }}`, `{{ id }}`, `{{ slices.tier }}` and the case's `vars`; what is
            not a string becomes JSON.

    Raises:
        SlowTemplate: it takes longer.
    """
    if "{{" not in text:
        return text
    if text == "{{ expected }}" and isinstance(case.expected, str) and case.expected.isascii():
        # What nearly every scorer says; the template would give the same, at thirty times the cost.
        return case.expected
    variables = variables_of(case)
    if case.expected is not None:
        variables["expected"] = case.expected
    try:
        return compile_template(text).render(variables, seconds)
    except BadTemplate as error:
        file, line = place_of(case.where)
        hint = "add the field to the case, or change the scorer" if error.undefined else ""
        message = f"the template of the scorer cannot be filled in for case {case.id!r}: {error.message}"
        raise _told(error, one_problem(file, line, message, hint)) from None


def variables_of(case: Case, prompt: Prompt | None = None) -> dict[str, JsonValue]:
    """What a template sees of a case, with what its prompt sets for it."""
    slices: Mapping[str, JsonValue] = dict(case.slices)
    turns = _turns(case)
    asked: Mapping[str, JsonValue] = {"input": turns[-1].content} if turns else {}
    defaults = {} if prompt is None else prompt.defaults
    return {**defaults, **case.vars, **asked, "id": case.id, "slices": dict(slices)}


def _conversation(name: str, variables: Mapping[str, JsonValue], case: Case, file: str) -> list[Message]:
    """The turns that a variable holds, as messages with their own roles."""
    value = variables.get(name) or []
    turns = value if isinstance(value, list) else [None]
    messages: list[Message] = []
    for turn in turns:
        role = ROLES.get(str(turn.get("role")).lower()) if isinstance(turn, dict) else None
        content = _said(turn) if isinstance(turn, dict) else None
        if role is None or content is None:
            hint = f"write {name}: [{{role: user, content: …}}] under its vars; roles are {', '.join(ROLES)}"
            raise one_problem(file, 0, f"{quoted(name)} of case {_named(case)} must be a list of messages", hint)
        if content.strip():
            messages.append(Message(role, content))
    return messages


def _said(turn: Mapping[str, JsonValue]) -> str | None:
    """The text of a turn: its content, or the texts among its parts."""
    content = turn.get("content", turn.get("parts"))
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    texts = [one.get("text", one.get("value")) if isinstance(one, dict) else one for one in content]
    return "\n".join(map(str, texts)) if all(isinstance(one, str) for one in texts) else None


def _turns(case: Case) -> tuple[Message, ...]:
    if case.only_vars:
        return ()
    return case.messages or (Message("user", case.input),)


def _asking(messages: tuple[Message, ...], case: Case, file: str) -> tuple[Message, ...]:
    """The messages, checked; InputErrors where they hold no question."""
    if case.only_vars and not any(message.role == "user" for message in messages):
        hint = "add an input to the case, or a user message to the prompt"
        raise one_problem(file, 0, f"case {_named(case)} has no input, and the prompt has no user message", hint)
    return messages


def _built(built: FunctionTexts, case: Case, file: str) -> tuple[Message, ...]:
    """The text of a function as the system message, or as the user's where the case says nothing; or its messages."""
    text = built.texts.get(digest(session_of(case)), Failed("the prompt was not built for this case", attempts=0))
    if isinstance(text, Failed):
        raise NotBuilt(file, text)
    return _roled(text) or (Message("user" if case.only_vars else "system", text),)


def _roled(text: str) -> tuple[Message, ...]:
    """The messages of a text that is a list of them in JSON; none for any other."""
    if not text.startswith("["):
        return ()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    turns = [(ROLES.get(str(one.get("role"))), one.get("content")) for one in rows]
    messages = tuple(Message(role, said) for role, said in turns if role is not None and isinstance(said, str))
    return messages if len(messages) == len(found) else ()


def _template_problem(error: BadTemplate, case: Case, file: str) -> InputErrors:
    hint = ""
    if error.undefined and "'expected'" in error.message:
        hint = "the expected answer is never shown to a prompt"
    elif error.undefined:
        other = "if it is not a placeholder, set template: false in the suite"
        hint = f"add it under 'vars' of the case, or {other if is_pointer(file) else 'remove it from the template'}"
    return _told(error, one_problem(error.file or file, error.line, f"{error.message} (case {_named(case)})", hint))


def _told(error: BadTemplate, problem: InputErrors) -> InputErrors:
    return SlowTemplate(problem.problems) if error.slow else problem


def _named(case: Case) -> str:
    return f"{case.id!r} at {case.where}" if case.where else repr(case.id)
