"""Every message quoted on the troubleshooting page exists in the program."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8")
FOREIGN = {"gate: command not found"}
"""Messages of the shell."""


def quoted() -> list[str]:
    """Messages in the first column of a table, and those that hold the ellipsis of a name elsewhere."""
    cells = re.findall(r"^- `([^`]+)`[:,]", PAGE, re.MULTILINE)
    running = [text for text in re.findall(r"`([^`]+)`", PAGE) if "…" in text]
    return [text for text in dict.fromkeys([*cells, *running]) if text not in FOREIGN]


def said(folder: Path) -> Iterator[str]:
    """The texts of the program, with an ellipsis for each name and number."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "".join(one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_quoted_message_exists() -> None:
    texts = tuple(said(ROOT / "gate"))
    found = quoted()
    assert len(found) > 20
    for message in found:
        assert any(message in text for text in texts), message
