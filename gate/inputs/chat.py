"""Messages with roles, as chat files, prompt files of other tools and cases list them."""

from collections.abc import Mapping

from gate.domain.prompt import Message, Role
from gate.inputs.fields import Fields
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.nodes import Node, described
from gate.inputs.problems import Problems, did_you_mean

ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def read_messages(node: Node, problems: Problems, name: str = "messages") -> tuple[tuple[int, Message], ...]:
    """A list of `{role, content}`, each with its line; also how cases give a conversation.

    Args:
        node: the list.
        problems: gets every mistake.
        name: of the list, for messages.
    """
    if not isinstance(node.value, tuple) or not node.value:
        found = "an empty list" if node.value == () else described(node.value)
        problems.add(node.line, f"{name} must be a list of {{role, content}}, not {found}")
        return ()
    return tuple((item.line, _message(item, f"message {i}", problems)) for i, item in enumerate(node.value, start=1))


def _message(node: Node, name: str, problems: Problems) -> Message:
    fields = Fields(node, name, problems)
    if not isinstance(node.value, Mapping):
        if node.value is None:
            problems.add(node.line, f"{name} must be a mapping, not nothing")
        return Message("user", "")
    fields.only(("role", "content"), later=("name", "tool_calls", "tool_call_id"), meant={"text": "content"})
    fields.require("role", "role: user")
    fields.require("content", 'content: "Hello"')
    role = fields.text("role", "user")
    if role not in ROLES:
        problems.add(fields.line_of("role"), f"{name} has the unknown role {role[:60]!r}", did_you_mean(role, ROLES))
    content = fields.text("content", most=PROMPT_CHARS)
    return Message(ROLES.get(role, "user"), content)
