"""One case on its own: held against the gate's reader, and made ready for a store."""

from collections.abc import Iterator
from dataclasses import replace

from gate.casefiles.jsonlines import line_of
from gate.casefiles.yamlout import entries
from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry, Put
from gate.errors import GateError, InputErrors
from gate.inputs import cases
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems, printable
from gate.inputs.yamltext import parse_yaml

_ANY = "the case"


def case_of(entry: Entry) -> Case:
    """The case that an entry stands for, whatever its form.

    Raises:
        InputErrors: every mistake.
    """
    named = entry.get("id", entry.get("name"))
    file = f"case {printable(named)[:60]}" if isinstance(named, str) and named else _ANY
    try:
        # By its name a reader would take `faq.csv` for a table.
        found = cases.parse(line_of(entry), _ANY)[0]
        return replace(found, where=found.where.replace(_ANY, file, 1))
    except InputErrors as error:
        # All of it is on one line, which nobody has seen.
        raise InputErrors([replace(problem, file=file, line=0) for problem in error.problems]) from None


def put_of(entry: Entry, base: int = 0) -> Put:
    """The entry as a change of a suite.

    Args:
        entry: a case of any form.
        base: the version of the case that it follows; 0 for a new one.

    Raises:
        InputErrors: every mistake of the case.
    """
    case = case_of(entry)
    return Put(case.id, entry, case.slices, words_of(entry), base)


def renamed(entry: Entry, name: str) -> dict[str, JsonValue]:
    """The entry under another name.

    Args:
        entry: a case of any form, which says `id`, or else `name`.
        name: the new one.
    """
    key = "name" if "id" not in entry and "name" in entry else "id"
    return {**entry, key: name}


def words_of(entry: Entry) -> str:
    """What people search in: every text of a case."""
    return "\n".join(_texts(dict(entry)))


def as_yaml(entry: Entry) -> str:
    """An entry as people like to read and edit it."""
    return "\n".join(entries(entry)) + "\n"


def parse_entry(text: str, file: str) -> dict[str, JsonValue]:
    """One case in YAML or JSON.

    Args:
        text: a mapping.
        file: where it comes from, for messages.

    Raises:
        GateError: it is none.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            found = parse_json(text.removeprefix("\ufeff"))
        except BadJson as error:
            raise GateError(f"{file} is no JSON: {error.message}", "write one case") from None
    else:
        problems = Problems(file)
        root = parse_yaml(text, problems)
        problems.check()
        found = None if root is None else plain(root)
    if not isinstance(found, dict):
        raise GateError(f"{file} holds no case", "write one mapping, for example 'id: refund-1' and 'input: …'")
    return found


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
