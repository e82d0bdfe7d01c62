"""`gate cases`: the cases of a file, or of a suite of the store."""

import click

from gate.cli.cases_edit import add, archive, edit
from gate.cli.cases_look import lint, list_, show
from gate.cli.cases_move import convert, export, import_


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
