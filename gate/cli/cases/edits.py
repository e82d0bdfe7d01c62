"""`gate cases add`, `edit` and `archive`."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from gate.cases.reading import parse_entry, put_of, renamed
from gate.cases.stored import Archive, CaseFilter, CaseVersion, CaseWrite, Change, Entry
from gate.cli.cases.entry import case_versions, changed_entry, edit_entry, given_values, read_entry, slices_of
from gate.cli.options import person_option
from gate.config.documents import printable
from gate.config.values import is_store
from gate.config.yaml_editing import dumped
from gate.engine.run_cases import found_case
from gate.errors import GateError
from gate.files import escapes
from gate.store.case_sets import CaseSet, ChangedMeanwhile, changed_meanwhile, keep_edit, open_cases
from gate.store.run_folder import load_run
from gate.values import JsonValue

ADD_EXAMPLES = """\b
Examples:
  gate cases add evals/support/cases.jsonl --id refund-9 \\
    --input "Where is my money?" --slice tier=free
  gate cases add store:support --from .gate/last refund-7
  gate cases add store:support --entry case.yaml
"""


@click.command(epilog=ADD_EXAMPLES)
@click.argument("source")
@click.option("--id", "name", default="", help="Id of the new case.")
@click.option("--input", "said", default="", help="The user's text.")
@click.option("--expected", default="", help="Reference answer.")
@click.option("--description", default="", help="What the case tests.")
@click.option("--criteria", default="", help="What a judge looks for.")
@click.option("--slice", "slices", multiple=True, metavar="KEY=VALUE", help="Slice of the case; repeatable.")
@click.option("--entry", default="", metavar="FILE", help="The whole case in YAML or JSON; - reads stdin.")
@click.option("--from", "run", nargs=2, default=None, metavar="RUN CASE", help="Copy a case of a finished run.")
@person_option
def add(source: str, name: str, entry: str, run: tuple[str, str] | None, person: str, **said: object) -> None:
    """Add a case.

    SOURCE is a case file, or store:NAME for a suite of the store. A new file or suite is created.
    """
    if entry and run:
        raise GateError("--entry and --from cannot be combined", "use one of them")
    slices = said.pop("slices", ())
    own: dict[str, JsonValue] = {"id": name, "input": str(said.pop("said") or "")}
    own |= {key: str(value) for key, value in said.items()}
    found = read_entry(entry) if entry else _of_run(*run, said=bool(own["input"])) if run else {}
    before = found.get("slices")
    tagged: dict[str, JsonValue] = {**(before if isinstance(before, dict) else {})}
    tagged |= slices_of([str(one) for one in slices] if isinstance(slices, tuple) else [])
    row = {**found, **given_values({**own, "slices": tagged})}
    with _keeping(row, source, str(row.get("id", ""))):
        _added(open_cases(source, person, new=True), row)


EDIT_EXAMPLES = """\b
Examples:
  gate cases edit cases.jsonl refund-1 --set expected="Five days."
  gate cases edit store:support refund-1
  gate cases edit store:support refund-1 --rename refund-twice
"""


@click.command(epilog=EDIT_EXAMPLES)
@click.argument("source")
@click.argument("case")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a key (JSON or text), as slices.tier=x.")
@click.option("--unset", "unsets", multiple=True, metavar="KEY", help="Remove a key.")
@click.option("--entry", default="", metavar="FILE", help="The whole case in YAML or JSON; - reads stdin.")
@click.option("--rename", default="", metavar="NEW", help="Change the id; the history stays.")
@person_option
def edit(source: str, case: str, person: str, rename: str, entry: str, **changes: tuple[str, ...]) -> None:
    """Edit a case.

    Without options, opens your editor. SOURCE is a case file, or store:NAME for a suite of the store.
    """
    sets, unsets = changes["sets"], changes["unsets"]

    if entry and (sets or unsets):
        raise GateError(
            "--entry cannot be combined with --set or --unset", "write the whole case into the --entry file"
        )
    cases = open_cases(source, person)
    known = case_versions(cases, case)
    newest = known[0]
    current = newest.entry if newest.entry is not None else known[1].entry or {}
    again = (case, "--rename", rename) if rename else (case,)
    if entry:
        row = read_entry(entry)
    elif sets or unsets or rename:
        row = changed_entry(current, sets, unsets)
    else:
        text = edit_entry(current)
        with _keeping(text, source, *again):
            _edited(cases, parse_entry(text, "your edit"), newest)
        return
    with _keeping(row, source, *again):
        _edited(cases, renamed(row, rename) if rename else row, newest, rename)


ARCHIVE_EXAMPLES = """\b
Example:
  gate cases archive store:support refund-1 refund-2
"""


@click.command(epilog=ARCHIVE_EXAMPLES)
@click.argument("source")
@click.argument("case", nargs=-1, required=True)
@person_option
def archive(source: str, case: tuple[str, ...], person: str) -> None:
    """Remove cases.

    A suite of the store (store:NAME) keeps them in its history; a case file does not.
    """
    cases = open_cases(source, person)
    changes = [Archive(name, case_versions(cases, name)[0].number) for name in dict.fromkeys(case)]
    label = carry_out_changes(
        cases, changes, f"archived {len(changes)} cases" if len(changes) > 1 else f"archived {case[0]}"
    )
    kept = "they stay in its history" if is_store(source) else "committed versions stay in git"
    click.echo(printable(f"archived {', '.join(change.name for change in changes)} in {label}: {kept}"))


def carry_out_changes(cases: CaseSet, changes: Sequence[Change], what: str) -> str:
    """Make all changes or none; returns the new label of the place."""
    done = cases.change(changes, what)
    if isinstance(done, str):
        return done
    reasons = "; ".join(changed_meanwhile(one) for one in done[:5])
    more = f"; and {len(done) - 5} more" if len(done) > 5 else ""
    raise ChangedMeanwhile(
        f"{reasons}{more}: nothing was written", "read the new version with gate cases show, then repeat the command"
    )


def _added(cases: CaseSet, row: dict[str, JsonValue]) -> None:
    put = put_of(row)
    _check_free(cases, put.name)
    _put(cases, put, f"added {put.name}")


def _edited(cases: CaseSet, row: dict[str, JsonValue], newest: CaseVersion, rename: str = "") -> None:
    put = put_of(row, newest.number)
    if put.name == newest.name:
        _put(cases, put, f"edited {put.name}")
    elif rename:
        _check_free(cases, put.name)
        _put(cases, replace(put, was=newest.name), f"renamed {newest.name} to {put.name}")
    else:
        hint = f"to rename it, add --rename {shlex.quote(put.name)}"
        raise GateError(f"the id of the case {newest.name!r} would become {put.name!r}", hint)


def _check_free(cases: CaseSet, name: str) -> None:
    if cases.case(name):
        archived = name in {one.name for one in cases.cases(CaseFilter(archived=True))}
        old = " (archived)" if archived else ""
        raise GateError(f"the case {name!r} exists already{old}", "choose another id, or run gate cases edit")


def _put(cases: CaseSet, put: CaseWrite, what: str) -> None:
    label = carry_out_changes(cases, [put], what)
    click.echo(printable(f"{what} in {label}"))


@contextmanager
def _keeping(row: Entry | str, source: str, *words: str) -> Iterator[None]:
    """Save what somebody wrote to a file if the case changed meanwhile, or the text from the editor has errors."""
    try:
        yield
    except GateError as error:
        if isinstance(row, str) or isinstance(error, ChangedMeanwhile):
            path = keep_edit(row if isinstance(row, str) else dumped(dict(row)))
            again = shlex.join(["gate", "cases", "edit", source, *words, "--entry", str(path)])
            click.echo(printable(f"Your text is saved in {path}. To use it anyway: {again}"), err=True)
        raise


def _of_run(path: str, case: str, *, said: bool) -> "dict[str, JsonValue]":
    def lookup(where: str, name: str) -> Entry | None:
        if not where or (not is_store(where) and escapes(where)):
            return None
        try:
            found = open_cases(where).case(name)
        except GateError:
            return None
        return found[0].entry if found else None

    return found_case(load_run(Path(path)), case, lookup, said=said)
