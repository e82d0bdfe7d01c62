"""Makes the messages for a prompt and a case, and fills the case's fields into a scorer's text."""

from collections.abc import Mapping

from gate.cases.case import Case, place_of
from gate.config.documents import one_problem, quoted
from gate.errors import InputErrors
from gate.limits import RENDERING_S
from gate.messages import Message
from gate.prompts.version import Built, Prompt
from gate.record.transcript import Failed
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, digest


def session_of(case: Case) -> dict[str, JsonValue]:
    """The argument of a prompt function: the case's `session`, and its `state` where the session has none."""
    session = case.vars.get("session", {})
    if not isinstance(session, dict):
        message = f"the session of case {quoted(case.id)} must be a mapping: a Python prompt is called with it"
        raise one_problem(*place_of(case.where), message)
    state: dict[str, JsonValue] = {"state": case.vars["state"]} if "state" in case.vars else {}
    return {**state, **session}


def key_of(session: dict[str, JsonValue]) -> str:
    """A key for the argument of a prompt function: equal sessions are built once."""
    return digest(session)


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
        return (_built(prompt.built, case, file), *turns)
    if not prompt.template:
        return _asking(prompt.messages + turns, case, file)
    variables = variables_of(case)
    messages: list[Message] = []
    asked = False
    for message in prompt.messages:
        try:
            compiled = compile_template(message.content, prompt.parts)
            content = compiled.render(variables, seconds)
        except BadTemplate as error:
            raise _template_problem(error, case, file) from None
        if not content.strip():
            raise one_problem(file, 0, f"renders to nothing for case {_named(case)}")
        uses_input = "input" in compiled.names
        if uses_input and not asked:
            messages.extend(turns[:-1])
            asked = True
        role = message.role if prompt.chat else ("user" if uses_input or not turns else "system")
        messages.append(Message(role, content))
    return _asking(tuple(messages) if asked else (*messages, *turns), case, file)


def writers(prompt: Prompt, case: Case) -> tuple[Message | None, ...]:
    """For each message of `render`, the message of the prompt that it was made from; None for a turn of the case.

    Raises:
        BadTemplate: a template that cannot be read.
    """
    turns = len(_turns(case))
    if prompt.built is not None:
        return (_built(prompt.built, case, "the prompt"), *[None] * turns)
    out: list[Message | None] = []
    asked = False
    for message in prompt.messages:
        if prompt.template and not asked and "input" in compile_template(message.content, prompt.parts).names:
            out += [None] * max(0, turns - 1)
            asked = True
        out.append(message)
    return tuple(out) if asked else (*out, *[None] * turns)


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
        message = f"the scorer's text cannot be filled in for case {case.id!r}: {error.message}"
        raise _told(error, one_problem(file, line, message, hint)) from None


def variables_of(case: Case) -> dict[str, JsonValue]:
    """What a template sees of a case."""
    slices: Mapping[str, JsonValue] = dict(case.slices)
    turns = _turns(case)
    asked: Mapping[str, JsonValue] = {"input": turns[-1].content} if turns else {}
    return {**case.vars, **asked, "id": case.id, "slices": dict(slices)}


def _turns(case: Case) -> tuple[Message, ...]:
    if case.only_vars:
        return ()
    return case.messages or (Message("user", case.input),)


def _asking(messages: tuple[Message, ...], case: Case, file: str) -> tuple[Message, ...]:
    """The messages, checked; InputErrors where they hold no question."""
    if case.only_vars and not any(message.role == "user" for message in messages):
        hint = "give the case an input, or the prompt a message of the user"
        raise one_problem(file, 0, f"case {_named(case)} has no input, and the prompt asks nothing itself", hint)
    return messages


def _built(built: Built, case: Case, file: str) -> Message:
    text = built.texts.get(key_of(session_of(case)), Failed("the prompt was not built for this case", attempts=0))
    if isinstance(text, Failed):
        raise NotBuilt(file, text)
    return Message("system", text)


def _template_problem(error: BadTemplate, case: Case, file: str) -> InputErrors:
    hint = ""
    if error.undefined and "'expected'" in error.message:
        hint = "the expected answer is never shown to a prompt"
    elif error.undefined:
        hint = "give it under 'vars' in the case, or take it out of the template"
    return _told(error, one_problem(error.file or file, error.line, f"{error.message} (case {_named(case)})", hint))


def _told(error: BadTemplate, problem: InputErrors) -> InputErrors:
    return SlowTemplate(problem.problems) if error.slow else problem


def _named(case: Case) -> str:
    return f"{case.id!r} at {case.where}" if case.where else repr(case.id)
