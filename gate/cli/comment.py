"""`gate comment`: a finished run becomes the comment of a pull request."""

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN.json")
@click.option("--pull", type=click.IntRange(1), metavar="NUMBER", help="The pull request; a workflow's own by default.")
@click.option("--repo", default="", metavar="OWNER/NAME", help="The repository; GITHUB_REPOSITORY by default.")
@click.option(
    "--key",
    default="gate.yaml",
    show_default=True,
    help="Tells the comments of several gates of one repository apart; the action takes the path of its configuration.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def comment(run: Path, pull: int | None, repo: str, key: str, quiet: bool) -> None:
    """Publish RUN.json (or the folder that holds it) as the comment of a pull request.

    For runs that the action did not make, such as one of `gate merge`. There is one comment for each key, kept up to
    date; a run of an older commit than the pull request's head is not published. The token in GITHUB_TOKEN needs
    pull-requests: write. The exit code says whether the comment is there, and nothing of the verdict.

    \b
    Examples:
      gate merge shards --out merged; gate comment merged
      GITHUB_TOKEN=$(gh auth token) gate comment .gate/last --repo acme/support-bot --pull 7
    """
    from gate.bootstrap.commenting import comment_on
    from gate.report.escape import terminal
    from gate.settings.commenting import CommentPlace

    url, note = comment_on(run, CommentPlace.of(repo, pull or 0), key)
    if note:
        click.echo(terminal(note), err=True)
    if not quiet:
        click.echo(terminal(url) if url else "Nothing was touched, so there is nothing to say and no comment.")
