"""The report as a comment on a pull request: the Markdown report, then where to find more and how to override."""

from dataclasses import dataclass

from gate.domain.record import RunRecord
from gate.report import markdown
from gate.report.parts import Code, Text


@dataclass(frozen=True, slots=True)
class Context:
    """Where a comment stands.

    Args:
        head: the commit that was judged.
        base: what it was compared with, as a ref.
        run_url: the workflow run; empty where there is none. Not escaped: it comes from the runner.
        skip_label: the label that sets the gate aside.
        config: path of the configuration, where a reader has to be told.
    """

    head: str
    base: str
    run_url: str
    skip_label: str
    config: str = ""


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
    way_out: Text = ()
    if run.exit_code:
        label = Code(context.skip_label)
        way_out = ("To merge all the same, set the label ", label, "; this comment will then say who did.")
    rest = template.render(comment=Comment("", about, context.run_url, way_out))
    report = markdown.render(run, limit=limit - len(rest)).rstrip() + "\n"
    return template.render(comment=Comment(report, about, context.run_url, way_out))
