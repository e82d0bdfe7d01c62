"""The sample of a `.prompty` file as a case: its values are the variables of the messages."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from gate.cases.case import Entry
from gate.cases.losses import Losses
from gate.cases.promptfoo_context import Context, no_file, parsed, values
from gate.cases.rows import Draft, RowPlace
from gate.config.documents import Document, one_problem, read_yaml
from gate.values import JsonValue

_FILE = re.compile(r"(?:\$\{file:)?([^${}]+?\.(?:json|ya?ml))\}?", re.IGNORECASE)
_SAMPLES = ("sample", "example", "default")
"""Keys under which an input may have a value, by the version of the format."""


def front_matter(text: str, file: str) -> Mapping[str, Document]:
    """What stands between the first two lines of `---`; empty where there is nothing."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return {}
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), len(lines))
    return read_yaml("\n".join(["", *lines[1:end]]), file).entries()


def sample_of(text: str, file: str, tell: Losses, other: Callable[[str], str | None] = no_file) -> Entry:
    """The case of the sample.

    Args:
        other: reads another file by its path from the root.
    """
    front = front_matter(text, file)
    given: dict[str, JsonValue] = {}
    for name, known in _inputs(front.get("inputs")):
        found = next((known[key] for key in _SAMPLES if key in known), None)
        if found is not None:
            given[name] = found
    sample = front.get("sample")
    if sample is not None and isinstance(sample.data, dict):
        given |= sample.data
    elif sample is not None and sample.data is not None:
        given |= _of_file(sample, Context(tell, posixpath.dirname(file), other))
    draft = Draft(RowPlace(sample.line if sample is not None else 0, 1, tell), "sample")
    said = given.pop("input", None)
    if isinstance(said, str) and said.strip():
        draft.case["input"] = said
    draft.variables(given)
    if len(draft.case) == 1:
        raise one_problem(file, 0, "has no sample", "write sample: {name: value} into its front matter")
    return draft.done()


def _inputs(node: Document | None) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """The entries of each input: under its name, or in a list of named inputs."""
    if node is not None and isinstance(node.data, dict):
        for name, inner in node.entries().items():
            yield name, values(inner)
    for item in node.parts() if node is not None else ():
        known = values(item)
        named = known.get("name")
        if isinstance(named, str):
            yield named, known


def _of_file(sample: Document, context: Context) -> dict[str, JsonValue]:
    """What `sample: ${file:chat.json}` names; in older files the name stands alone."""
    named = _FILE.fullmatch(str(sample.data).strip())
    text = context.text(named[1], sample.line, "the sample") if named else None
    found = parsed(text, named[1]) if named and text is not None else None
    if found is None or not isinstance(found.data, dict):
        if text is not None or named is None:
            context.tell.add(sample.line, "the sample holds no mapping, and is left out", "write it into the file")
        return {}
    return found.data
