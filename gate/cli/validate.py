"""`gate validate`: is the configuration, and all that it names, as the gate needs it?"""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.flows.validate import Looked

SCHEMA = "prompt-gate/validation/1"

EPILOG = """\b
Examples:
  gate validate
  gate validate --ref origin/main
  gate validate --config services/bot/gate.yaml --json
Exit codes: 0 all is well, 2 there are mistakes.
"""


@click.command(epilog=EPILOG)
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--ref", metavar="REF", help="Look at a commit.  [default: the working tree]")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON, mistakes among it.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where all is well.")
def validate(config: str, ref: str | None, as_json: bool, quiet: bool) -> None:
    """Check gate.yaml, prompts, cases, scorers, rubrics and judge prompts.

    All mistakes are told at once, each with its file and line. Every case is put into its prompt and its scorers.
    Needs no key, no network and no commit, and sends nothing.
    """
    from gate.bootstrap.validating import validated
    from gate.errors import InputErrors

    found = validated(config, ref)
    if as_json:
        click.echo(json.dumps(_document(found), indent=2, ensure_ascii=False))
        raise click.exceptions.Exit(2 if found.problems else 0)
    if found.problems:
        raise InputErrors(found.problems)
    if not quiet:
        for line in told(found):
            click.echo(line)


def told(found: "Looked") -> list[str]:
    """Lines on what was looked at, and on what is worth a look."""
    from gate.domain.words import counted
    from gate.inputs.problems import printable

    suites = found.suites
    cases = sum(one.count for one in suites)
    scorers = len({(one.name, name) for one in suites for name in one.scorers})
    whole = (
        f"{counted(len(suites), 'suite')}, {counted(found.prompts, 'prompt')}, {counted(cases, 'case')}, "
        f"{counted(scorers, 'scorer')}"
    )
    lines = [f"{found.config} ({found.label}): {whole}; no mistakes."]
    for one in suites[:_SHOWN]:
        what = f"{counted(one.count, 'case')} of {one.cases}, {counted(one.slices, 'slice')}"
        lines.append(f"  {one.name}: {one.prompt}, {what}, {', '.join(one.scorers)}; {one.model}")
    if len(suites) > _SHOWN:
        lines.append(f"  and {len(suites) - _SHOWN:,} more suites")
    gathered = _gathered(found.remarks)
    remarks = [f"note: {remark}" for remark in gathered[:_SHOWN]]
    if len(gathered) > _SHOWN:
        remarks.append(f"and {len(gathered) - _SHOWN:,} more notes")
    return [printable(line) for line in (*lines, *remarks)]


def _gathered(remarks: "Sequence[str]") -> list[str]:
    """The same said of several files is said once."""
    files: dict[str, list[str]] = {}
    for remark in remarks:
        file, _, said = remark.partition(": ")
        # What stands before a colon is no file where it is a sentence.
        known, said = ([file], said) if said and " " not in file else ([], remark)
        files.setdefault(said, []).extend(known)
    found = []
    for said, of in files.items():
        more = f" and {len(of) - _NAMED:,} more" if len(of) > _NAMED else ""
        found.append(f"{', '.join(of[:_NAMED])}{more}: {said}" if of else said)
    return found


_NAMED = 3
_SHOWN = 20


def _document(found: "Looked") -> dict[str, object]:
    document = asdict(found)
    problems = [{**asdict(one), "where": one.where} for one in found.problems]
    return {"schema": SCHEMA, "valid": not found.problems, **document, "problems": problems}
