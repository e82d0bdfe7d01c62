"""A sheet as Markdown."""

from gate.report.markdown.report import template
from gate.report.sheet import Sheet


def render(sheet: Sheet) -> str:
    """The whole sheet; every cell and sentence is escaped."""
    return template("sheet.md.j2").render(sheet=sheet)
