"""The report as a comment on a pull request: the Markdown report, where to find more, how to override."""

from dataclasses import dataclass

from gate.domain.record import RunRecord
from gate.report.markdown import report as markdown
from gate.report.parts.whole import Code, Text


@dataclass(frozen=True, slots=True)
class Context:
    """Where a comment stands.

    Args:
        head: the commit that was judged.
        base: what it was compared with, as a ref.
        run_url: the workflow run; empty where there is none. Not escaped: it comes from the runner.
        skip_label: the label that sets the gate aside.
        config: path of the configuration, where a reader has to be told.
        pull: there is a pull request, which can have the label.
        comment: the report stands in a comment there, which later runs rewrite.
    """

    head: str
    base: str
    run_url: str
    skip_label: str
    config: str = ""
    pull: bool = True
    comment: bool = True


@dataclass(frozen=True, slots=True)
class Comment:
    """What the template shows.

    Args:
        report: Markdown.
        about: which commit against what.
        run_url: see `Context`.
        way_out: how to merge all the same; empty where nothing is in the way.
    """

    report: str
    about: Text
    run_url: str
    way_out: Text


def render(run: RunRecord, context: Context, *, limit: int = markdown.GITHUB_LIMIT) -> str:
    """The comment, without its marker.

    Args:
        run: a finished run.
        context: where it stands.
        limit: characters at most.
    """
    template = markdown.template("comment.md.j2")
    by: Text = (" by ", Code(context.config)) if context.config else ()
    about: Text = ("Commit ", Code(context.head[:12]), " against ", Code(context.base), *by)
    way_out = _way_out(run, context)
    rest = template.render(comment=Comment("", about, context.run_url, way_out))
    report = markdown.render(run, limit=limit - len(rest)).rstrip() + "\n"
    return template.render(comment=Comment(report, about, context.run_url, way_out))


def _way_out(run: RunRecord, context: Context) -> Text:
    label = Code(context.skip_label)
    if not run.exit_code:
        return ()
    if run.override is not None:
        return ("To merge all the same, the label ", label, " has to count; above is why it does not.")
    if not context.pull or run.kind == "setup":
        return ()
    then = "; this comment will then say who did." if context.comment else "."
    return ("To merge all the same, set the label ", label, then)
