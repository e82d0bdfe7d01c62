"""Show the golden reports as pull requests do: `python -m tests.golden.render FOLDER`; open `FOLDER/index.html`."""

import sys
from pathlib import Path

from gate.report.markdown import report
from tests.golden.runs import runs
from tests.support.github_page import page

CONTEXT = report.CommentContext(
    "a81d06c3f2" * 4, "origin/main", "https://github.com/acme/support-bot/actions/runs/4711", "skip-prompt-diff"
)


def main(folder: Path) -> None:
    """Write a page for each run, and one with all of them.

    Args:
        folder: is made where it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shown = {name: report.render_comment(run, CONTEXT) for name, run in runs().items()}
    for name, text in shown.items():
        (folder / f"{name}.html").write_text(page({name: text}), encoding="utf-8")
    (folder / "index.html").write_text(page(shown), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
