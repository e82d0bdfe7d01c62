"""The cookbook: every configuration loads, and four of the pages run with a local model server."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support.command import gate, git
from tests.support.how_to import Step, steps
from tests.support.model_server import Behaviour, ModelServer

PAGES = sorted(path for path in (Path(__file__).parents[3] / "docs/cookbook").glob("*.md") if path.name != "index.md")
CASES = 12
"""Copies of each case on a page: enough for a slice to decide."""


def files(page: str) -> list[Step]:
    """The files that the reader writes, in order."""
    return [step for step in steps(page) if step.file]


def write(folder: Path, step: Step) -> None:
    (folder / step.file).parent.mkdir(parents=True, exist_ok=True)
    (folder / step.file).write_text(step.text, encoding="utf-8")


def before_and_after(page: str) -> tuple[list[Step], list[Step]]:
    """The files of a page, and the changed file."""
    first: dict[str, Step] = {}
    changed = []
    for step in files(page):
        if step.file in first:
            changed.append(step)
        else:
            first[step.file] = step
    return list(first.values()), changed


def repository(folder: Path, written: list[Step]) -> None:
    git(folder, "init", "-q", "-b", "main")
    for step in written:
        write(folder, step)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "The exam")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_configuration_and_its_files_load(path: Path, tmp_path: Path) -> None:
    first, _ = before_and_after(path.read_text(encoding="utf-8"))
    assert "gate.yaml" in {step.file for step in first}
    repository(tmp_path, first)
    if path.stem == "air-gapped":
        (tmp_path / "models").mkdir()
        (tmp_path / "models/model.gguf").write_bytes(b"GGUF")
    planned = gate("plan", "--json", cwd=tmp_path)
    assert planned.code == 0, planned.err
    assert all(suite["cases"] for suite in json.loads(planned.out)["suites"])
    # A copied configuration gives no warning that it costs more than it shows.
    assert "repeats itself" not in planned.out
    if path.stem == "monorepo":
        assert len(json.loads(planned.out)["suites"]) == 3


def many(text: str) -> str:
    """A case file as JSON with several copies of each case, each with its own id and input."""
    cases = list(map(json.loads, text.splitlines())) if text.startswith("{") else YAML(typ="safe").load(text)
    return "".join(
        json.dumps({**case, "id": f"{case['id']}-{at}", "input": f"{case['input']} ({at})"}) + "\n"
        for case in cases
        for at in range(CASES)
    )


def run(page: str, folder: Path, answer: Callable[[str, str], str], **behaviour: Any) -> dict[str, Any]:
    """Commit the files of a page, make its change, and compare."""
    first, changed = before_and_after((PAGES[0].parent / page).read_text(encoding="utf-8"))
    # JSON is valid YAML, and a list in brackets is accepted in a file of either name.
    shown = {step.file: many(step.text) for step in first if "cases" in step.file}
    shown = {
        name: text if name.endswith(".jsonl") else f"[{','.join(text.splitlines())}]" for name, text in shown.items()
    }
    repository(folder, [Step(step.file, shown.get(step.file, step.text)) for step in first])
    assert len(changed) == 1
    write(folder, changed[0])
    with ModelServer(Behaviour(answer=answer, **behaviour)) as server:
        env = {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}
        keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
        done = gate("diff", "--base", "HEAD", "--json", cwd=folder, env={**env, **keys})
    assert done.code in (0, 1), done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def states(record: dict[str, Any]) -> dict[str, str]:
    (suite,) = record["suites"]
    return {one["slice"]: one["state"] for one in [suite["quality"]["overall"], *suite["quality"]["slices"]]}


def test_the_classifier_blocks_a_drop_in_one_language(tmp_path: Path) -> None:
    def answer(system: str, user: str) -> str:
        right = "billing" if re.search("charged|Rechnung", user) else "delivery"
        german = "Rechnung" in user or "Paket" in user
        return right if "German" in system or not german else "other"

    record = run("classifier.md", tmp_path, answer)
    assert record["verdict"] == "BLOCK"
    assert states(record)["lang=de"] == "regression"
    assert states(record)["lang=en"] == "noise"


def test_the_extraction_blocks_numbers_as_text(tmp_path: Path) -> None:
    def answer(system: str, user: str) -> str:
        number, total, currency = ("A-17", 1250, "EUR") if "A-17" in user else ("B-9", 80, "USD")
        careful = "without the sign" in system
        return json.dumps(
            {"number": number, "total": total if careful else f"{total} {currency}", "currency": currency}
        )

    record = run("extraction.md", tmp_path, answer)
    assert record["verdict"] == "BLOCK"
    # The first look with a regression in one slice ends the run, and the other slices are at least suspect.
    assert "regression" in states(record).values()
    assert set(states(record).values()) <= {"regression", "suspect"}
    assert {one["name"] for one in record["suites"][0]["scorers"]} >= {"json_schema", "total", "number"}


def test_the_rag_prompt_blocks_if_it_no_longer_admits_not_knowing(tmp_path: Path) -> None:
    seen: list[str] = []

    def answer(system: str, user: str) -> str:
        if "open on Sundays" in user:
            return "Closed on Sundays [1]."
        return "I could not find that." if "from the documents alone" in system else "Dogs are welcome [2]."

    def judgement(system: str, user: str) -> str:
        seen.append(f"{system}\n{user}")
        return json.dumps({"reason": "as the reference says", "score": 1.0})

    record = run("rag.md", tmp_path, answer, judgement=judgement)
    assert record["verdict"] == "BLOCK"
    assert (states(record)["answerable=no"], states(record)["answerable=yes"]) == ("regression", "noise")
    assert all("Closed on Sundays. " not in one and "Parking is free." in one for one in seen)


def test_the_model_migration_compares_two_models(tmp_path: Path) -> None:
    record = run("model-migration.md", tmp_path, lambda _, __: "Open Settings.")
    (suite,) = record["suites"]
    assert (suite["baseline"]["model"], suite["candidate"]["model"]) == ("openai:gpt-4.1", "openai:gpt-5-mini")
    assert record["verdict"] in ("PASS", "SHIP", "HOLD")
    assert set(states(record).values()) == {"noise"}
    assert suite["cost"]["baseline"]["mean"] > suite["cost"]["candidate"]["mean"]
