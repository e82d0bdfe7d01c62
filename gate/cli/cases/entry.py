"""A case from the command line or from an editor, as an entry."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from gate.cases.reading import parse_entry
from gate.cases.stored import CaseVersion, Entry
from gate.config.documents import did_you_mean, printable
from gate.config.yaml_editing import dumped
from gate.errors import GateError
from gate.store.case_sets import CaseSet
from gate.values import JsonValue


def slices_of(texts: Sequence[str]) -> dict[str, str]:
    """`tier=free` and the like."""
    return {key: value for key, value in (_pair(text, "--slice tier=free") for text in texts)}


def case_versions(cases: CaseSet, name: str) -> tuple[CaseVersion, ...]:
    """The versions of a case, newest first."""
    found = cases.case(name)
    if not found:
        known = [one.name for one in cases.cases()]
        hint = did_you_mean(name, known) if len(known) <= 20 else f"list them with: gate cases list {cases.label}"
        raise GateError(f"{cases.label} has no case {name!r}", hint)
    return found


def read_entry(path: str) -> dict[str, JsonValue]:
    """A case from a file, or from standard input for `-`."""
    try:
        if path == "-":
            return parse_entry(sys.stdin.read(), "standard input")
        return parse_entry(Path(path).read_text(encoding="utf-8"), path)
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", "name a file with one case") from None
    except UnicodeDecodeError:
        raise GateError(f"{path} is not UTF-8", "save it as UTF-8") from None


def changed_entry(entry: Entry, sets: Sequence[str], unsets: Sequence[str]) -> dict[str, JsonValue]:
    """An entry with other values.

    Args:
        sets: `key=value`; the value is JSON or else text; `slices.tier` is `tier` in `slices`.
    """
    copy: dict[str, JsonValue] = json.loads(json.dumps(dict(entry)))
    for text in sets:
        key, said = _pair(text, "--set threshold=0.8")
        within, last = _within(copy, key, make=True)
        within[last] = _value(said)
    for key in unsets:
        within, last = _within(copy, key, make=False)
        if last not in within:
            raise GateError(f"the case has no {key}", did_you_mean(key, list(entry)))
        del within[last]
    return copy


def edit_entry(entry: Entry) -> str:
    """The entry as a person leaves it in the editor."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = "add --set KEY=VALUE, --unset KEY or --entry FILE; only on a terminal does it open your editor"
        raise GateError("there is nothing to change", hint)
    before = dumped(dict(entry))
    after = click.edit(before, extension=".yaml")
    if after is None or after == before:
        raise GateError("nothing was changed", "change the case in the editor, and save it")
    return after


def lines_of(text: str) -> str:
    """Text of several lines, safe for a terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _pair(text: str, example: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise GateError(f"{text!r} is not KEY=VALUE", f"write {example}")
    return key.strip(), value


def _value(said: str) -> JsonValue:
    try:
        found: JsonValue = json.loads(said)
    except ValueError:
        return said
    return found


def _within(entry: dict[str, JsonValue], key: str, *, make: bool) -> tuple[dict[str, JsonValue], str]:
    """The mapping that contains a key, and the last part of the key."""
    first, dot, rest = key.partition(".")
    if not dot or key in entry:
        return entry, key
    inner = entry.get(first)
    if inner is None and make:
        inner = entry[first] = {}
    if not isinstance(inner, dict):
        raise GateError(
            f"{first!r} of the case is not a mapping, so it has no {rest!r}", "write the whole case with --entry"
        )
    return inner, rest


def given_values(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Without empty values."""
    return {key: value for key, value in values.items() if value not in ("", None) and value != {}}
