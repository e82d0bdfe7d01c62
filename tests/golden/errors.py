"""One error of each kind, as `gate` prints it."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import repository
from tests.support.command import gate

CONFIG = """\
version: 1
defaults:
  model: openai:gpt-5-mini
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/cases.jsonl
    scorers: [contains]
"""
CASES = "".join(json.dumps({"id": f"c{number}", "input": "Hi", "expected": "Hello"}) + "\n" for number in range(1, 11))
FILES = {"gate.yaml": CONFIG, "prompts/support.md": "You answer customers.\n", "evals/cases.jsonl": CASES}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A command that fails.

    Args:
        changes: files that differ from those that are committed; None removes one.
    """

    title: str
    command: str
    changes: Mapping[str, str | None] = field(default_factory=dict)
    in_git: bool = True


def _config(old: str, new: str) -> dict[str, str | None]:
    assert old in CONFIG
    return {"gate.yaml": CONFIG.replace(old, new)}


MISTAKES = (
    Mistake("unknown key in gate.yaml", "gate validate", _config("scorers:", "scorer:")),
    Mistake("value of the wrong type", "gate validate", _config("version: 1", "version: 1\nbudget: {max_usd: much}")),
    Mistake("bad YAML", "gate validate", _config("    prompt:", "\tprompt:")),
    Mistake("no gate.yaml", "gate validate", {"gate.yaml": None}),
    Mistake("missing prompt file", "gate validate", {"prompts/support.md": None}),
    Mistake("missing case file", "gate validate", {"evals/cases.jsonl": None}),
    Mistake("case line that is not JSON", "gate validate", {"evals/cases.jsonl": CASES + "{id: c11}\n"}),
    Mistake("unknown key in a case", "gate validate", {"evals/cases.jsonl": CASES + '{"id": "c11", "inputs": "Hi"}\n'}),
    Mistake("case id used twice", "gate validate", {"evals/cases.jsonl": CASES + CASES.splitlines()[0] + "\n"}),
    Mistake(
        "variable without a value",
        "gate validate",
        {**_config("prompt:", "template: jinja2\n    prompt:"), "prompts/support.md": "You serve {{ company }}.\n"},
    ),
    Mistake("unknown scorer", "gate validate", _config("[contains]", "[contans]")),
    Mistake("bad scorer option", "gate validate", _config("[contains]", "[{sentences: {maximum: 2}}]")),
    Mistake("unknown model provider", "gate validate", _config("openai:", "opnai:")),
    Mistake("model without a provider", "gate validate", _config("openai:gpt", "gpt")),
    Mistake("unknown base", "gate diff --base origin/main"),
    Mistake("unknown suite", "gate diff --base HEAD --suite suport --all"),
    Mistake("missing key of a model", "gate diff --base HEAD --all --quiet"),
    Mistake("option that needs another one", "gate diff --head HEAD"),
    Mistake("options that cannot be combined", "gate diff --base HEAD --batch --refresh"),
    Mistake("unknown option", "gate check --sample 3"),
    Mistake("option out of range", "gate check --samples 0"),
    Mistake("file mode without a model", "gate check prompts/support.md --cases evals/cases.jsonl"),
    Mistake("not a git repository", "gate diff --base HEAD", in_git=False),
    Mistake("nothing to set up", "gate init --config other.yaml --prompt prompts/none.md --yes"),
    Mistake("no such run", "gate report .gate/last"),
    Mistake("unknown report format", "gate report .gate/last --format pdf"),
    Mistake("unknown case", "gate cases show evals/cases.jsonl c99"),
    Mistake("empty store", "gate cases list store:support"),
    Mistake("no retention time", "gate store prune"),
    Mistake("not a server", "gate push .gate/last --to example"),
)


def errors(folder: Path) -> str:
    """The text of the golden file."""
    blocks = []
    for number, one in enumerate(MISTAKES):
        root = folder / f"shop-{number}"
        root.mkdir()
        if one.in_git:
            repository.make(root, FILES)
        else:
            repository.write(root, FILES)
        repository.write(root, one.changes)
        ended = gate(*shlex.split(one.command)[1:], cwd=root, env={"OPENAI_API_KEY": ""})
        said = ended.err.replace(str(root), "/shop")
        blocks.append(f"# {one.title}\n$ {one.command}\n{said}exit code {ended.code}\n")
    return "\n".join(blocks)
