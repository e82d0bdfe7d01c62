"""Write the reference that comes from the code: `python -m tests.support.docsite.reference`, or `make reference`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from ruamel.yaml import YAML

from gate.cli.app import cli
from gate.config.gatefile import config_schema
from gate.config.models import Params
from gate.config.scorer_options import KINDS, VALIDATORS
from gate.record.findings.catalogue import KINDS as KINDS_OF_FINDINGS
from gate.record.findings.catalogue import meaning, severities
from gate.record.run import run_schema
from gate.resolve.case_keys import CASE_KEYS
from tests.support.docsite.schemawords import Row, rows, takes

FOLDER = Path(__file__).parents[3] / "docs" / "reference"
RECORD = Path(__file__).parent / "run_json.yaml"
_RANGE = re.compile(r";?\s*[\d.]*<?=?x[<>=\d.]*$")
_DEFAULT = re.compile(r"\s*\[default: ([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command.

    Args:
        name: all of its forms, as code.
        takes: its values; empty for a flag.
        default: empty where it has none.
        meaning: its help.
    """

    name: str
    takes: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Args:
        name: with the groups that it is in, as `gate cases list`.
        usage: its arguments and options in short.
        text: its help, in paragraphs.
        options: those that only few commands have.
        also: those that several commands have, described once.
    """

    name: str
    usage: str
    text: tuple[str, ...]
    options: tuple[Option, ...]
    also: tuple[Option, ...] = ()


def commands(group: click.Group, path: str = "gate") -> Iterator[Command]:
    """All commands below a group, in the order of their names.

    Args:
        group: of commands.
        path: how it is called.
    """
    for name, command in sorted(group.commands.items()):
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield _command(command, f"{path} {name}")


def _command(command: click.Command, path: str) -> Command:
    context = click.Context(command, info_name=path)
    told = "\n\n".join(filter(None, (command.help, command.epilog)))
    blocks = [block for block in told.split("\n\n") if block.strip()]
    examples = [block for block in blocks if block.lstrip().startswith("\b")]
    return Command(
        name=path,
        usage=" ".join(command.collect_usage_pieces(context)),
        text=tuple(" ".join(block.split()) for block in blocks if block not in examples),
        options=tuple(
            _option(one, context) for one in command.params if isinstance(one, click.Option) and not one.hidden
        ),
    )


_SEVERAL = 3
"""As many commands as have an option for it to be described once."""


def shared(several: tuple[Command, ...]) -> tuple[tuple[Option, ...], tuple[Command, ...]]:
    """The options that several commands have, and the commands without them.

    Args:
        several: all commands.
    """
    counts = Counter(option for one in several for option in one.options)
    # A name has one meaning there, the most frequent.
    meanings = {one.name: one for one, count in reversed(counts.most_common()) if count >= _SEVERAL}
    common = tuple(meanings[name] for name in sorted(meanings))
    return common, tuple(
        replace(
            one,
            options=tuple(option for option in one.options if option not in common),
            also=tuple(option for option in one.options if option in common),
        )
        for one in several
    )


def _line(option: Option) -> str:
    """An option as an item of a list."""
    values = f"{option.takes}; " if option.takes and not option.takes.startswith("`") else ""
    name = option.name if values or not option.takes else f"{option.name} {option.takes}"
    more = f"{values}default {option.default}" if option.default else values.removesuffix("; ")
    return f"- {name}: {_cell(option.meaning)}{f' ({_cell(more)})' if more else ''}"


def _option(one: click.Option, context: click.Context) -> Option:
    record = one.get_help_record(context)
    told = record[1] if record else ""
    default = _DEFAULT.search(told)
    flag = one.is_flag or one.count
    name = ", ".join(f"`{each}`" for each in (*one.opts, *one.secondary_opts))
    meaning = re.sub(r"\s*\[(?:default|required|x|\d)[^\]]*\]", "", told)
    shown = _RANGE.sub("", default[1]) if default else ""
    return Option(name, "" if flag else _values(one), shown, meaning)


def _values(one: click.Parameter) -> str:
    if isinstance(one.type, click.Choice):
        return ", ".join(map(str, one.type.choices))
    if isinstance(one.type, click.IntRange | click.FloatRange):
        return _range(one.type)
    return f"`{one.metavar or one.type.name.upper()}`"


def _range(kind: click.IntRange | click.FloatRange) -> str:
    low = "" if kind.min is None else f"{'above ' if kind.min_open else ''}{kind.min:,g}"
    high = "" if kind.max is None else f"{'below ' if kind.max_open else ''}{kind.max:,.10g}"
    return f"{low} to {high}" if low and high else f"from {low}" if low else f"to {high}"


def pages() -> dict[str, str]:
    """The pages, by the names of their files."""
    templates = Environment(  # noqa: S701 - Markdown of our own
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["cell"], templates.filters["line"] = _cell, _line
    config = _inlined(config_schema(), config_schema()["$defs"])
    views: dict[str, dict[str, object]] = {
        "commands.md": dict(zip(("common", "commands"), shared(tuple(commands(cli))), strict=True)),
        "gate-yaml.md": {
            "keys": list(rows(config)),
            "parameters": list(rows(_inlined(Params.model_json_schema(), {}))),
            "scorers": {name: _scorer(name) for name in KINDS if name not in VALIDATORS},
        },
        "case-keys.md": {"keys": CASE_KEYS},
        "run-json.md": run_record(run_schema()),
        "findings.md": {"severities": SEVERITIES, "findings": [_finding(code) for code in KINDS_OF_FINDINGS]},
    }
    found = {name: templates.get_template(f"{name}.j2").render(view) for name, view in views.items()}
    for link, place in (("[Params](#params)", "[parameters](#parameters)"), ("[Scorer](#scorer)", _SCORER)):
        found["gate-yaml.md"] = found["gate-yaml.md"].replace(link, place)
    return found


_SCORER = "[scorers](#options-of-scorers)"


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the record of a run.

    Args:
        title: its heading.
        rows: its keys, as a table has them, and what they mean.
    """

    title: str
    rows: tuple[tuple[str, str], ...]


def run_record(schema: Mapping[str, Any]) -> dict[str, object]:
    """The keys of `run.json` that a reader needs, in the words of run_json.yaml.

    Args:
        schema: of the record.

    Raises:
        ValueError: a key is described that the schema does not have, or one is missing where all are described.
    """
    told = YAML(typ="safe").load(RECORD)
    sections = []
    for section in told["sections"]:
        name = section["record"]
        known = set((schema["$defs"][name] if name else schema)["properties"])
        named = [key for keys in section["keys"] for key in keys.split(", ")]
        wrong = set(named) - known | (known - set(named) if name in told["whole"] else set())
        if wrong or len(named) != len(set(named)):
            raise ValueError(f"{RECORD.name}, {section['title']}: {sorted(wrong)}")
        sections.append(Section(section["title"], _keys(section["keys"])))
    return {"common": _keys(told["common"]), "sections": sections}


def _keys(described: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((", ".join(f"`{key}`" for key in keys.split(", ")), text) for keys, text in described.items())


SEVERITIES = (
    ("block", "the change got worse; the verdict is BLOCK"),
    ("undecided", "without an answer there is no verdict: INCONCLUSIVE"),
    ("hold", "a person should look before the merge: HOLD"),
    ("note", "decides nothing"),
)


def _finding(code: str) -> dict[str, object]:
    """One kind of finding, as the page shows it."""
    kind = KINDS_OF_FINDINGS[code]
    own = [name for name in kind.model_fields if name not in ("code", "severity")]
    return {
        "code": code,
        "severities": severities(kind),
        "meaning": meaning(kind),
        "remedy": kind.remedy,
        "settings": kind.settings,
        "fields": own,
    }


def _scorer(name: str) -> list[Row]:
    whole = KINDS[name].model_json_schema()
    schema = _inlined(whole, whole.get("$defs", {}))
    needed = schema.get("required", [])
    own = {
        key: about for key, about in schema["properties"].items() if key not in ("name", "weight", "required", "negate")
    }
    return [Row(key, takes(about), key in needed) for key, about in own.items()]


def _inlined(node: Any, parts: dict[str, Any]) -> Any:
    """A schema without references, but for those to what has a place of its own on the page."""
    if isinstance(node, list):
        return [_inlined(one, parts) for one in node]
    if not isinstance(node, dict):
        return node
    name = node.get("$ref", "").rpartition("/")[2]
    if name and name not in _APART:
        return _inlined({**parts[name], **{key: value for key, value in node.items() if key != "$ref"}}, parts)
    found = {key: _inlined(value, parts) for key, value in node.items() if key != "$defs"}
    if isinstance(named := found.pop("patternProperties", None), dict):
        found["additionalProperties"] = next(iter(named.values()))
    if isinstance(several := found.get("anyOf"), list):
        found["anyOf"] = [one for one in several if one != {"type": "null"}] or several
    usual = found.get("default")
    if isinstance(found.get("description"), str) and isinstance(usual, (bool, int, float, str)) and usual != "":
        shown = str(usual).lower() if isinstance(usual, bool) else f"{usual:g}" if isinstance(usual, float) else usual
        found["description"] += f" Default: `{shown}`."
    return found


_APART = ("Params", "Scorer")


def _cell(text: str) -> str:
    """Text as a cell of a table: one line, and no bar that would end it."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
