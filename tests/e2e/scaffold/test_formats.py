"""Real files of other tools: `gate init`, a change, `gate diff`, and a first run without errors."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import gate, git
from tests.support.model_server import ModelServer
from tests.support.repository import make, write

DATA = Path(__file__).parents[2] / "data/formats"


def files(*folders: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in folders:
        place = DATA / folder
        texts = (one for one in sorted(place.rglob("*")) if one.is_file() and "__pycache__" not in one.parts)
        found |= {str(one.relative_to(place)): one.read_text() for one in texts}
    return found


def committed(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_prompty_in_both_generations(tmp_path: Path, server: ModelServer) -> None:
    root = make(tmp_path / "shop", files("prompty"))
    key = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
    done = gate("init", "--all", "--model", "openai:gpt-4o-mini", cwd=root, env=key)
    assert done.code == 0, done.err
    for name, what in (("picture", "the interface of its model is 'image'"), ("seen", "has the kind image")):
        assert [what in line for line in done.out.splitlines() if f"none/{name}.prompty" in line] == [True]
    committed(root)
    write(root, {"first/chat.json": files("prompty")["first/chat.json"].replace("Two Wheels", "Three Wheels")})
    text = files("prompty")["second/support.prompty"].replace("a bicycle shop", "a shop of bicycles")
    write(root, {"second/support.prompty": text})
    compared = gate("diff", "--base", "main", "--json", cwd=root, env=key)
    assert compared.code == 0, compared.err
    # A sample is what a case holds, and what a prompt falls back on.
    assert {suite.name for suite in compared.record.suites} == {"chat", "second.support"}


def test_functions_and_graders_of_promptfoo(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", files("promptfoo/functions"))
    done = gate("init", "--model", "fake:echo", cwd=root)
    assert done.code == 0, done.err
    lost = (root / "evals/not-converted.md").read_text()
    assert "assertion type 'javascript' of test 1 cannot be converted" in lost
    assert "prompts.py:talk" in lost.replace("\N{ZERO WIDTH SPACE}", "")
    committed(root)
    changed = files("promptfoo/functions")["evals/prompts.py"].replace("one line", "a line").replace("brief.", "quick.")
    # The graders of the change do not count.
    lenient = "def get_assert(output, context):\n    return False\n\n\ndef short(output, context):\n    return False\n"
    write(root, {"evals/prompts.py": changed, "evals/checks/grade.py": lenient})
    compared = gate("diff", "--base", "main", "--json", "--out", "out", cwd=root)
    assert compared.code == 0, compared.err
    rows = [json.loads(line) for line in (root / "out/samples.jsonl").read_text().splitlines()]
    asked = {(row["suite"], row["arm"], row["case"]): row["reply"]["text"] for row in rows}
    assert asked["brief", "candidate", "test-1"] == "Write a line about wheels."
    assert {suite.name for suite in compared.record.suites} == {"brief"}
    reasons = {score["reason"] for row in rows for score in row["scores"] if score["scorer"] == "graded"}
    assert reasons == {"wheels: ['answer', 'context_vars_topic', 'topic']", "spokes: ['context_vars_topic', 'topic']"}
    assert {score["value"] for row in rows for score in row["scores"]} == {1.0}
