"""`gate tokens`: by which programs use a server."""

import click

SCOPES = ("runs:read", "runs:write", "cases:read", "cases:write", "metrics:read")


@click.group()
def tokens() -> None:
    """Make and revoke the tokens by which programs use a server.

    They are in the store: the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Example, for a workflow that pushes its runs:
      gate tokens create ci --scope runs:write
    """


@tokens.command()
@click.argument("name")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True, help="What it allows.")
@click.option("--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="That it is good for.")
@click.option("--never", is_flag=True, help="It never expires.")
@click.option("--owner", default="", help="Whose it is.  [default: the name that git knows]")
def create(name: str, scopes: tuple[str, ...], days: int, never: bool, owner: str) -> None:
    """Make a token, and show it this once.

    Only the token is written to standard output, so that it can be handed on.

    \b
    Examples:
      gate tokens create ci --scope runs:write
      gate tokens create nightly --scope cases:read --scope cases:write --days 365 | gh secret set GATE_TOKEN
    """
    from gate.bootstrap.tokens import desk_here
    from gate.report.escape import terminal

    with desk_here(owner) as desk:
        issued = desk.create(name, scopes, None if never else days)
        token = issued.token
        until = f"until {token.expires:%Y-%m-%d}" if token.expires else "for good"
        said = f"Token {token.id} of {token.owner}, named {token.name}, is good {until} in the store {desk.store}."
    click.echo(terminal(f"{said} It is shown this once:"), err=True)
    click.echo(issued.secret)


@tokens.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def show(as_json: bool) -> None:
    """List all tokens of the store, the newest first.

    \b
    Example:
      gate tokens list --json
    """
    import json

    from gate.bootstrap.tokens import desk_here
    from gate.report.escape import terminal

    with desk_here() as desk:
        found, now = desk.tokens.all(), desk.now
    if as_json:
        rows = [
            {
                **{"id": one.id, "name": one.name, "owner": one.owner, "scopes": sorted(one.scopes)},
                "good": not one.over(now),
                **{
                    name: None if (moment := getattr(one, name)) is None else moment.isoformat()
                    for name in ("created", "expires", "revoked", "used")
                },
            }
            for one in found
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for one in found:
        state = "revoked" if one.revoked else f"until {one.expires:%Y-%m-%d}" if one.expires else "for good"
        used = f"last used {one.used:%Y-%m-%d %H:%M} UTC" if one.used else "never used"
        state = "expired" if one.over(now) and not one.revoked else state
        click.echo(terminal(f"{one.id}  {one.name} of {one.owner}: {' '.join(sorted(one.scopes))}; {state}, {used}"))
    if not found:
        click.echo("There are no tokens.", err=True)


@tokens.command()
@click.argument("number", type=click.IntRange(1))
def revoke(number: int) -> None:
    """Refuse a token from now on; NUMBER is what the list shows first.

    \b
    Example:
      gate tokens revoke 3
    """
    from gate.bootstrap.tokens import desk_here
    from gate.report.escape import terminal

    with desk_here() as desk:
        gone = desk.revoke(number)
    click.echo(terminal(f"Token {gone.id}, {gone.name} of {gone.owner}, is refused from now on."))
