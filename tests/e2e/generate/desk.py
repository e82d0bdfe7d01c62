"""Helpers for tests of `gate generate`: write files, run the command, and read the server's ledger."""

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.cases.case import Case
from gate.cases.reading import parse
from gate.config import specification_file as specfile
from gate.config.specification import Specification
from tests.support.command import Outcome, gate
from tests.support.model_server import ModelServer

MODEL, JUDGE = "openai:gpt-5-mini", "anthropic:claude-haiku-4-5"
PROMPT = (
    "You answer questions of customers of a shop.\n\n"
    "The answer must have at most 80 words. Never name a competitor. Always end with a question.\n"
)
RULES = 3
"""The number of rules in the prompt."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder and a server.

    Args:
        root: where commands run.
        server: answers both interfaces.
    """

    root: Path
    server: ModelServer

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    @property
    def env(self) -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": f"{self.server.url}/v1",
            "ANTHROPIC_BASE_URL": self.server.url,
            "OPENAI_API_KEY": "k",
            "ANTHROPIC_API_KEY": "k",
        }

    def gate(self, *arguments: str) -> Outcome:
        return gate(*arguments, cwd=self.root, env=self.env)

    def generate(self, *arguments: str, prompt: str = "prompts/shop.md", model: str = MODEL) -> Outcome:
        return self.gate("generate", prompt, "--model", model, *arguments)

    @property
    def asked(self) -> int:
        """Requests so far."""
        return self.server.requests

    def paid(self, *arguments: str) -> tuple[int, Outcome]:
        """Run the command again; the number of its requests, and its outcome."""
        before = self.asked
        outcome = self.generate(*arguments)
        return self.asked - before, outcome

    def forget(self) -> None:
        """Delete all cached answers."""
        shutil.rmtree(self.root / ".gate/cache", ignore_errors=True)

    def spec(self, name: str = "evals/shop/spec.yaml") -> Specification:
        return specfile.parse_specification((self.root / name).read_text(encoding="utf-8"), name)

    def cases(self, name: str = "evals/shop/cases.yaml") -> tuple[Case, ...]:
        return parse((self.root / name).read_text(encoding="utf-8"), name)

    def files(self) -> dict[str, bytes]:
        """All files outside `.gate`."""
        found = (path for path in sorted(self.root.rglob("*")) if path.is_file())
        named = ((path.relative_to(self.root).as_posix(), path) for path in found)
        return {name: path.read_bytes() for name, path in named if not name.startswith(".gate/")}


def given(**settings: object) -> list[str]:
    """Settings as options."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def planned(outcome: Outcome) -> int:
    """The planned number of calls in the first line."""
    found = re.search(r"about ([\d,]+) calls?", outcome.out)
    assert found is not None, outcome
    return int(found[1].replace(",", ""))


def counted(cases: tuple[Case, ...]) -> Counter[tuple[str, str]]:
    """Cases by rule and kind."""
    return Counter((case.slices["rule"], case.slices["kind"]) for case in cases)


def document(outcome: Outcome) -> Any:
    """The output of `--json`."""
    return json.loads(outcome.out)
