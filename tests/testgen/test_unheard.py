"""What a prompt file says beside its words is no promise that anybody reads, and a change of it is told."""

from gate.prompts import reading
from gate.testgen.specdiff.comparison import unread_messages

FILE = """messages:
- {role: system, content: Extract the order.}
- {role: user, content: '{{input}}'}
responseFormat: json_schema
jsonSchema: '{"name": "order", "schema": {"type": "object", "properties": {"price": {}}, "required": ["price", "tax"]}}'
"""


def told(base: str, head: str) -> tuple[str, ...]:
    return unread_messages(*(reading.parse(text, "p.prompt.yml") for text in (base, head)))


def test_a_schema_that_loses_a_required_key() -> None:
    (note,) = told(FILE, FILE.replace(', "tax"', ""))
    assert note.startswith("jsonSchema changed in the prompt file") and "tax" in note
