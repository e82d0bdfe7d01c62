"""`gate users`: the accounts of a server."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gate.bootstrap.people import People
    from gate.domain.people import Account
    from gate.store.sql.accounts import First

_ROLE = click.Choice(["viewer", "editor", "admin"])
_STDIN = click.option("--password-stdin", is_flag=True, help="Read the password from the first line of standard input.")
_INVITE = click.option("--invite", is_flag=True, help="Print a password that has to be changed at the first login.")


@click.group()
def users() -> None:
    """Who may log in to a server, and what they may do there.

    A viewer sees everything, an editor writes cases, an admin manages people as well. The accounts are in the store:
    .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.
    """


@users.command()
@click.argument("name")
@click.option("--role", type=_ROLE, default="viewer", show_default=True, help="What they may do.")
@_STDIN
@_INVITE
def add(name: str, role: str, password_stdin: bool, invite: bool) -> None:
    """Make an account.

    \b
    Examples:
      gate users add ann --role admin
      gate users add bob --role editor --invite
    """
    from gate.domain.people import Role

    people = _people()
    people.accounts.refuse_taken(name)
    first = _password(stdin=password_stdin, invite=invite)
    made = people.accounts.add(name, Role[role.upper()], first, people.actor())
    _told(f"made the account {made.name}: {role}")
    _shown(first)


@users.command("list")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def list_(as_json: bool) -> None:
    """Show all accounts.

    \b
    Example:
      gate users list --json
    """
    found = _people().accounts.all()
    if as_json:
        click.echo(json.dumps([_row(one) for one in found], indent=2))
        return
    for one in found:
        seen = f"last login {one.seen:%Y-%m-%d %H:%M} UTC" if one.seen else "never logged in"
        _told(f"{one.name}  {one.role.label}{', disabled' if one.disabled else ''}, {seen}")
    if not found:
        click.echo("No account is there yet: gate users add NAME --role admin")


@users.command()
@click.argument("name")
@click.argument("role", type=_ROLE)
def role(name: str, role: str) -> None:
    """Give somebody another role; they have to log in again.

    \b
    Example:
      gate users role bob editor
    """
    from gate.domain.people import Role

    people = _people()
    _told(f"{people.accounts.set_role(people.id(name), Role[role.upper()], people.actor()).name}: {role}")


@users.command()
@click.argument("name")
@_STDIN
@_INVITE
def password(name: str, password_stdin: bool, invite: bool) -> None:
    """Give somebody another password; they are logged out everywhere.

    \b
    Examples:
      gate users password ann
      gate users password bob --invite
    """
    people = _people()
    id = people.id(name)
    first = _password(stdin=password_stdin, invite=invite)
    _told(f"the password of {people.accounts.set_password(id, first, people.actor()).name} is set")
    _shown(first)


@users.command()
@click.argument("name")
def disable(name: str) -> None:
    """Let somebody no longer in; their name stays in the history.

    \b
    Example:
      gate users disable bob
    """
    people = _people()
    _told(f"{people.accounts.set_disabled(people.id(name), True, people.actor()).name} is disabled")


@users.command()
@click.argument("name")
def enable(name: str) -> None:
    """Let somebody in again.

    \b
    Example:
      gate users enable bob
    """
    people = _people()
    _told(f"{people.accounts.set_disabled(people.id(name), False, people.actor()).name} may log in again")


def _people() -> "People":
    from gate.bootstrap.people import people_here

    return people_here(Path())


def _password(*, stdin: bool, invite: bool) -> "First":
    from gate.errors import GateError
    from gate.store.sql.accounts import First
    from gate.store.sql.passwords import made

    if stdin and invite:
        raise GateError("--password-stdin and --invite both say what the password is", "give one of the two")
    if invite:
        return First(made(), must_change=True)
    if stdin:
        return First(sys.stdin.readline().rstrip("\r\n"))
    if not sys.stdin.isatty():
        raise GateError("there is no terminal to ask for the password", "use --password-stdin or --invite")
    return First(click.prompt("Password", hide_input=True, confirmation_prompt="Once more"))


def _shown(first: "First") -> None:
    if first.must_change:
        click.echo(f"Their password until the first login, shown this once: {first.text}")


def _row(account: "Account") -> dict[str, object]:
    return {
        **{"name": account.name, "role": account.role.label, "disabled": account.disabled},
        **{"must_change_password": account.must_change, "made": account.made.isoformat()},
        "last_login": account.seen.isoformat() if account.seen else None,
    }


def _told(text: str) -> None:
    from gate.inputs.problems import printable

    click.echo(printable(text))
