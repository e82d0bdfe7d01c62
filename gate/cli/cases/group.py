"""`gate cases`, with `list`, `show` and `lint`."""

import difflib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click

from gate.cases.reading import case_of
from gate.cases.stored import CaseFilter, CaseVersion
from gate.cli.cases.edits import add, archive, edit
from gate.cli.cases.entry import case_versions, lines_of, slices_of
from gate.cli.cases.files import convert, export, import_
from gate.cli.options import json_option
from gate.config.documents import printable
from gate.config.values import is_store
from gate.config.yaml_editing import dumped
from gate.errors import GateError, InputErrors, Problem
from gate.resolve.case_lint import LintRemark, advice
from gate.store.case_sets import open_cases
from gate.values import clipped, counted, listed

_ID, _QUESTION = 28, 80
"""Widths in columns."""


LIST_EXAMPLES = """\b
Examples:
  gate cases list evals/support/cases.jsonl --search refund --slice tier=free
  gate cases list store:support --archived
"""


@click.command("list", epilog=LIST_EXAMPLES)
@click.argument("source")
@click.option("--search", default="", metavar="WORDS", help="Only cases that contain all these words.")
@click.option("--slice", "slices", multiple=True, metavar="KEY=VALUE", help="Only cases of this slice; repeatable.")
@click.option("--archived", is_flag=True, help="Archived cases instead (store only).")
@json_option
def list_(source: str, search: str, slices: tuple[str, ...], archived: bool, as_json: bool) -> None:
    """List cases.

    SOURCE is a case file, or store:NAME for a suite of the store.
    """
    found = open_cases(source)
    wanted = CaseFilter(tuple(search.split()), slices_of(slices), archived)
    versions = found.cases(wanted)
    if as_json:
        _print_json({"source": found.label, "cases": [_plain(one) for one in versions]})
        return

    for one in versions:
        entry = found.case(one.name)[1].entry if one.entry is None else one.entry
        click.echo(printable(_line(one.name, entry or {})))
    more = " archived" if archived else ""
    click.echo(f"{len(versions)}{more} {'case' if len(versions) == 1 else 'cases'} in {printable(found.label)}")


SHOW_EXAMPLES = """\b
Examples:
  gate cases show evals/support/cases.jsonl refund-1
  gate cases show store:support refund-1 --history
"""


@click.command(epilog=SHOW_EXAMPLES)
@click.argument("source")
@click.argument("case")
@click.option("--history", is_flag=True, help="Show every version and its changes, newest first.")
@json_option
def show(source: str, case: str, history: bool, as_json: bool) -> None:
    """Show a case.

    SOURCE is a case file, or store:NAME for a suite of the store.
    """
    if history and not is_store(source):
        raise GateError("--history is for suites of the store", f"for a file, run: git log -p -- {source}")
    versions = case_versions(open_cases(source), case)
    shown = versions if history else versions[:1]
    if as_json:
        _print_json([_plain(one) for one in shown] if history else _plain(shown[0]))
        return
    if history:
        for one, before in zip(versions, (*versions[1:], None), strict=True):
            click.echo("\n".join(_changed(one, before)))
        return
    newest = versions[0]
    if newest.author:
        click.echo(lines_of(f"# {_version_line(newest)}"))
    click.echo(
        lines_of(dumped(dict(newest.entry))) if newest.entry is not None else "# archived", nl=newest.entry is None
    )


LINT_EXAMPLES = """\b
Example:
  gate cases lint evals/*/cases.jsonl
"""


@click.command(epilog=LINT_EXAMPLES)
@click.argument("source", nargs=-1, required=True)
@json_option
def lint(source: tuple[str, ...], as_json: bool) -> None:
    """Check cases for errors, and suggest improvements.

    SOURCE is a case file, or store:NAME for a suite of the store.

    Exit codes: 0 no errors (suggestions do not count), 2 errors.
    """
    problems: list[Problem] = []
    looks: list[_Linted] = []
    for one in source:
        try:
            looks.append(_linted(one))
        except InputErrors as errors:
            problems += errors.problems
        except GateError as error:
            if len(source) == 1:
                raise
            problems.append(Problem(printable(one), 0, error.message, error.hint))
    if problems and as_json:
        raise InputErrors(problems)
    if as_json:
        documents = [{"source": look.label, "advice": [asdict(a) for a in look.advice]} for look in looks]
        _print_json(documents if len(source) > 1 else documents[0])
        return
    for look in looks:
        _tell(look)
    if problems:
        raise InputErrors(problems)


@dataclass(frozen=True, slots=True)
class _Linted:
    """The result for one place without errors."""

    label: str
    cases: int
    advice: Sequence[LintRemark]


def _linted(source: str) -> _Linted:
    found = open_cases(source)
    cases = [one.entry for one in found.cases() if one.entry is not None]
    return _Linted(found.label, len(cases), advice(cases, stored=is_store(source)))


def _tell(look: _Linted) -> None:
    for one in look.advice:
        click.echo(printable(f"suggestion: {listed(one.cases)}: {one.message}"))
    pieces = len(look.advice)
    suggestions = counted(pieces, "suggestion") if pieces else "no suggestions"
    click.echo(printable(f"{look.label}: {counted(look.cases, 'case')}, no errors, {suggestions}"))


def _line(name: str, entry: object) -> str:
    assert isinstance(entry, dict)  # noqa: S101
    case = case_of(entry)
    slices = " ".join(f"{dimension}={value}" for dimension, value in case.slices.items())
    question = clipped(" ".join(case.question.split()), _QUESTION)
    return f"{name:<{_ID}} {question}{f'  [{slices}]' if slices else ''}"


def _version_line(version: CaseVersion) -> str:
    return f"version {version.number} by {version.author}, {version.made:%Y-%m-%d %H:%M %Z}"


def _changed(version: CaseVersion, before: CaseVersion | None) -> list[str]:
    """The changes of a version as lines."""
    old = dumped(dict(before.entry)).splitlines() if before is not None and before.entry is not None else []
    new = dumped(dict(version.entry)).splitlines() if version.entry is not None else []
    done = "archived" if version.entry is None else "created" if not old else "edited"
    head = f"{_version_line(version)}, {done} in version {version.first} of the suite"
    if version.entry is None:
        return [lines_of(head), ""]
    lines = list(difflib.unified_diff(old, new, lineterm="", n=2))[2:] if old else [f"+{line}" for line in new]
    return [lines_of(line) for line in (head, *lines, "")]


def _plain(version: CaseVersion) -> dict[str, object]:
    entry = None if version.entry is None else dict(version.entry)
    known = {"version": version.number, "author": version.author, "made": version.made.isoformat()}
    return {"id": version.name, "entry": entry, **(known if version.author else {})}


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2))


@click.group()
def cases() -> None:
    """Manage test cases in files and in the store.

    SOURCE is a case file, store:NAME for a suite of the store, or store:NAME@VERSION for an earlier version. The store
    is the database in GATE_DATABASE_URL, or the file .gate/gate.db of this repository.
    """


for command in (list_, show, lint, add, edit, archive, import_, export, convert):
    cases.add_command(command)
