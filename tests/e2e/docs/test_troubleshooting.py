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
    running = [text for text in re.findall(r"`([^`]+)`", PAGE) if "…" in text.strip("…")]
    return [text for text in dict.fromkeys([*cells, *running]) if text not in FOREIGN]


def said(program: str) -> Iterator[str]:
    """Its texts; an ellipsis stands for each name and number."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
        elif isinstance(node, ast.Tuple):
            yield "".join(
                one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else "…" for one in node.elts
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_quoted_message_exists() -> None:
    missing = {message: re.findall(r"\w+", message) for message in quoted()}
    assert len(missing) >= 20
    for path in (ROOT / "gate").rglob("*.py"):
        program = path.read_text(encoding="utf-8")
        # To parse each file takes long.
        likely = [message for message, words in missing.items() if all(word in program for word in words)]
        texts = list(said(program)) if likely else []
        for message in likely:
            if any(message in text for text in texts):
                del missing[message]
    assert not missing
