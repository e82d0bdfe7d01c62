"""The folder of a run, with every report that belongs in it."""

from pathlib import Path

from gate.domain.record import RunRecord
from gate.report import markdown
from gate.store.run_folder import RunFolder


def run_folder(path: Path) -> RunFolder:
    """A folder for `run.json`, `samples.jsonl`, `report.md` and `report.html`."""
    return RunFolder(path, {"report.md": markdown.render, "report.html": _preview})


def _preview(run: RunRecord) -> str:
    from gate.report import preview  # its Markdown parser is not needed before the end

    return preview.render(run)
