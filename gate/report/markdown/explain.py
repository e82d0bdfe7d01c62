"""One case as Markdown."""

from gate.report.differences.answers import Diff, difference
from gate.report.explain.case import Explained
from gate.report.markdown.report import template
from gate.report.parts.sidebyside import Pair


def render(shown: Explained) -> str:
    """The text, with a line break at its end.

    Args:
        shown: one case.
    """
    return template("explain.md.j2").render(view=shown, changed=_changed)


def _changed(pair: Pair) -> Diff | None:
    """Both answers as one, as a comment has them; None where there is nothing to compare."""
    before, after = pair.baseline, pair.candidate
    if pair.how in ("", "same", "texts") or before is None or after is None:
        return None
    return difference(before.text or "", after.text or "")
