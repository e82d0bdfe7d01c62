"""Write the golden reports again: `python -m tests.golden.regenerate`; look at the difference before it is kept."""

import io
import tempfile
from pathlib import Path

from rich.console import Console

from gate.cli.output import LogStream
from gate.record.run import RunRecord
from gate.report.exports import junit, sarif
from gate.report.markdown import report as markdown
from gate.report.terminal import report as terminal
from tests.golden import generating, sheets, web_pages
from tests.golden.errors import errors
from tests.golden.runs import runs

HERE = Path(__file__).parent
OUTPUTS = HERE / "outputs"
TERMINAL_COLUMNS = 80


def markdown_of(run: RunRecord) -> str:
    """The Markdown report with GitHub's limit."""
    return markdown.render_report(run)


def text_of(run: RunRecord) -> str:
    """The terminal report as plain lines of 80 columns, whatever the environment says."""
    out = io.StringIO()
    console = Console(file=LogStream(out), width=TERMINAL_COLUMNS, color_system=None, force_terminal=False, _environ={})
    terminal.render_report(run, console)
    return out.getvalue()


def outputs() -> dict[str, str]:
    """What programs read of a few runs, by the names of their files."""
    lines = {"prompts/support.md": [(3, 5), (9, 9)]}
    found, made = {}, runs()
    for name in ("block", "check-block", "inconclusive", "override-run"):
        found[f"{name}.junit.xml"] = junit.render(made[name])
        found[f"{name}.sarif"] = sarif.render(made[name], lines)
    return found


def main() -> None:
    """Write all golden files."""
    for name, text in outputs().items():
        (OUTPUTS / name).write_text(text, encoding="utf-8", newline="\n")
    for name, run in runs().items():
        (HERE / f"{name}.md").write_text(markdown_of(run), encoding="utf-8", newline="\n")
        (HERE / f"{name}.txt").write_text(text_of(run), encoding="utf-8", newline="\n")
    for name, text in generating.generated().items():
        (generating.FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    with tempfile.TemporaryDirectory() as folder:
        (HERE / "errors.txt").write_text(errors(Path(folder)), encoding="utf-8", newline="\n")
    web_pages.write()
    sheets.write()


if __name__ == "__main__":
    main()
