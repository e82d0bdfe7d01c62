"""A shop with one prompt, the output of `gate init`, and the files that it writes."""

from pathlib import Path

from gate.cli.init import InitOptions
from gate.cli.setup import init
from gate.config.documents import read_yaml

PROMPT = {"prompts/support.md": "You help the customers of a shop.\nAnswer in at most two sentences.\n"}
WRITTEN = [
    "gate.yaml",
    "evals/support/cases.yaml",
    ".github/workflows/prompt-gate.yml",
    "evals/schemas/gate.schema.json",
    "evals/schemas/cases.schema.json",
]
CASES = "".join(f'{{"id": "{n}", "input": "Question {n}?", "expected": "Question {n}?"}}\n' for n in range(12))


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def yaml(path: Path) -> object:
    return read_yaml(path.read_text(encoding="utf-8"), path.name).data


def options(*arguments: str) -> InitOptions:
    """As click makes them of a command line."""
    context = init.make_context("init", ["--yes", *arguments])
    return InitOptions(**context.params)
