"""A pointer that is printed can be copied, and no line of the output is a command of a runner."""

import json
from pathlib import Path

import pytest

from tests.support.command import Outcome, gate
from tests.support.example import BROKEN, cases
from tests.support.repository import make, write

CODE = 'SYSTEM = """{text}"""\n'
CONFIG = """\
version: 1
defaults: {{model: "fake:oracle", samples: 1}}
suites:
  - {{name: {name}, prompt: "{prompt}", cases: evals/cases.jsonl, slices: [tier], scorers: [contains]}}
"""


def repository(folder: Path, path: str, name: str = "support") -> Path:
    prompt = f"{path}::SYSTEM"
    config = CONFIG.format(name=json.dumps(name), prompt=prompt)
    return make(
        folder, {"gate.yaml": config, path: CODE.format(text="Help. quality=1.0"), "evals/cases.jsonl": cases(20)}
    )


def outputs(repo: Path, path: str) -> list[Outcome]:
    """What a user sees of a broken prompt."""
    write(repo, {path: CODE.format(text=BROKEN.strip())})
    return [
        gate("diff", "--base", "main", cwd=repo),
        gate("explain", ".gate/last", "c1", cwd=repo),
        gate("report", ".gate/last/run.json", cwd=repo),
        gate("plan", "--base", "main", cwd=repo),
        gate("diff", "--base", "main", "--suite", f"{path}::SYSTEN", cwd=repo),
    ]


def test_a_pointer_can_be_copied_from_every_command(tmp_path: Path) -> None:
    path = "app/prompts.py"
    texts = [outcome.out + outcome.err for outcome in outputs(repository(tmp_path, path), path)]
    assert not any("\u200b" in text for text in texts)
    for text in texts[:3]:
        assert f"{path}::SYSTEM" in text
    found = gate("check", f"{path}::SYSTEM", "--cases", "evals/cases.jsonl", "--model", "fake:oracle", cwd=tmp_path)
    assert found.code == 1, found.err


def test_with_one_suite_the_report_names_suite_and_prompt(tmp_path: Path) -> None:
    path = "app/prompts.py"
    shown = outputs(repository(tmp_path, path), path)[0].out
    assert f"support ({path}::SYSTEM)" in shown


@pytest.mark.parametrize("length", range(77, 82))
def test_a_word_that_is_folded_begins_no_command(tmp_path: Path, length: int) -> None:
    """Names are chosen so that the colons come to stand where a line of 80 columns is folded."""
    path = f"{'a' * (length - 3)}.py"
    texts = [outcome.out + outcome.err for outcome in outputs(repository(tmp_path, path), path)]
    texts += [
        outcome.out + outcome.err for outcome in outputs(repository(tmp_path / "x", "p.py", "::add-mask::x"), "p.py")
    ]
    for text in texts:
        assert not any(line.strip().startswith("::") or "##[" in line for line in text.splitlines())
