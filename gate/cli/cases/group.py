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
from gate.config.documents import printable
from gate.config.values import is_store
from gate.config.yaml_editing import dumped
from gate.errors import GateError, InputErrors, Problem
from gate.resolve.case_lint import LintRemark, advice
from gate.store.case_sets import open_cases
from gate.values import clipped

_ID, _QUESTION = 28, 80
"""Columns at most."""
_NAMED = 5
"""Cases that a piece of advice names; more are counted."""


@click.command("list")
@click.argument("source")
@click.option("--search", default="", metavar="WORDS", help="Only cases in which all these words occur.")
@click.option("--slice", "slices", multiple=True, metavar="DIMENSION=VALUE", help="Only cases of this slice.")
@click.option("--archived", is_flag=True, help="The archived cases of a suite instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the cases as JSON, whole.")
def list_(source: str, search: str, slices: tuple[str, ...], archived: bool, as_json: bool) -> None:
    """List the cases of SOURCE.

    \b
    Examples:
      gate cases list evals/support/cases.jsonl --search refund --slice tier=free
      gate cases list store:support --archived
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


@click.command()
@click.argument("source")
@click.argument("case")
@click.option("--history", is_flag=True, help="Every version with what it changed, the newest first.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(source: str, case: str, history: bool, as_json: bool) -> None:
    """Show CASE of SOURCE.

    \b
    Examples:
      gate cases show evals/support/cases.jsonl refund-1
      gate cases show store:support refund-1 --history
    """
    if history and not is_store(source):
        raise GateError("a file does not know its history", f"git does: git log -p -- {source}")
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
        click.echo(lines_of(f"# {_told(newest)}"))
    click.echo(
        lines_of(dumped(dict(newest.entry))) if newest.entry is not None else "# archived", nl=newest.entry is None
    )


@click.command()
@click.argument("source", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the advice as JSON; that of several sources as a list.")
def lint(source: tuple[str, ...], as_json: bool) -> None:
    """Look for mistakes in the cases of SOURCE, and for what could be better.

    Mistakes end in exit code 2, each with file and line; of several sources all are told. Advice does not: the cases
    can be run.

    \b
    Examples:
      gate cases lint evals/support/cases.yaml
      gate cases lint evals/*/cases.jsonl
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
    """What was found in one place without mistakes."""

    label: str
    cases: int
    advice: Sequence[LintRemark]


def _linted(source: str) -> _Linted:
    found = open_cases(source)
    cases = [one.entry for one in found.cases() if one.entry is not None]
    return _Linted(found.label, len(cases), advice(cases, stored=is_store(source)))


def _tell(look: _Linted) -> None:
    for one in look.advice:
        more = f" and {len(one.cases) - _NAMED} more" if len(one.cases) > _NAMED else ""
        click.echo(printable(f"advice: {', '.join(one.cases[:_NAMED])}{more}: {one.message}"))
    pieces = len(look.advice)
    advised = f"{pieces} {'piece' if pieces == 1 else 'pieces'} of advice" if pieces else "no advice"
    count = f"{look.cases} {'case' if look.cases == 1 else 'cases'}"
    click.echo(printable(f"{look.label}: {count}, no mistakes, {advised}"))


def _line(name: str, entry: object) -> str:
    assert isinstance(entry, dict)  # noqa: S101
    case = case_of(entry)
    slices = " ".join(f"{dimension}={value}" for dimension, value in case.slices.items())
    question = clipped(" ".join(case.question.split()), _QUESTION)
    return f"{name:<{_ID}} {question}{f'  [{slices}]' if slices else ''}"


def _told(version: CaseVersion) -> str:
    return f"version {version.number} by {version.author}, {version.made:%Y-%m-%d %H:%M %Z}"


def _changed(version: CaseVersion, before: CaseVersion | None) -> list[str]:
    """What a version did to the one before it, in lines."""
    old = dumped(dict(before.entry)).splitlines() if before is not None and before.entry is not None else []
    new = dumped(dict(version.entry)).splitlines() if version.entry is not None else []
    done = "archived" if version.entry is None else "written" if not old else "edited"
    head = f"{_told(version)}, {done} in version {version.first} of the suite"
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
    """Look at cases, write them, and move them between files and the store.

    SOURCE is a case file, or store:NAME for a suite of the store, or store:NAME@VERSION for one of its versions, which
    never change. The store is the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Examples:
      gate cases list evals/support/cases.jsonl --slice tier=free
      gate cases lint evals/support/cases.yaml
      gate cases import evals/support/cases.jsonl store:support
      gate cases edit store:support refund-1 --set threshold=0.8
      gate cases export store:support evals/support/cases.jsonl
    """


for command in (list_, show, lint, add, edit, archive, import_, export, convert):
    cases.add_command(command)
