"""docs/scorers.md lists every validator with every option and default, and its examples are right."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Literal, get_origin

import pytest
from pydantic.fields import FieldInfo
from ruamel.yaml import YAML

from gate.agents.functions import FunctionScorer, FunctionWorktree, ScoringProcess
from gate.cases.case import Case
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.config.scorer_options import VALIDATORS
from gate.config.values import FunctionName
from gate.record.transcript import Observation, Score, ToolUse, Transcript, Turn
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.values import JsonValue

PAGE = (Path(__file__).parents[2] / "docs/scorers.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))


def block(section: str, language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def default(field: FieldInfo) -> str:
    """The default as the page shows it; empty if the page explains it in words."""
    if field.is_required():
        return "required"
    if field.default in (None, {}):
        return "none"
    choice = get_origin(field.annotation) is Literal
    return f"`{field.default}`" if choice else f"`{json.dumps(field.default)}`"


def by_code(spec: ScorerSpec, answers: list[str], folder: Path) -> dict[str, Score]:
    """The result of the page's function."""
    module, _, function = spec.function.partition(":")
    path = folder / "root" / f"{module.replace('.', '/')}.py"
    path.parent.mkdir(parents=True)
    (path.parent / "__init__.py").touch()
    path.write_text(block(SECTIONS["python"], "python"))
    (folder / "scratch").mkdir()
    worktree = FunctionWorktree(folder / "root", folder / "root", folder / "scratch", os.environ["PATH"])

    async def ask() -> dict[str, Score]:
        process = ScoringProcess(FunctionName(module, function), worktree)
        try:
            await process.start()
            scorer = FunctionScorer(spec, process)
            return {answer: await scorer.score(Subject(Case("c", input="q"), answer), 0) for answer in answers}
        finally:
            await process.close()

    return asyncio.run(ask())


def test_every_kind_has_a_section_and_every_section_a_kind() -> None:
    assert set(SECTIONS) == set(VALIDATORS)


def test_every_option_is_documented_with_its_default() -> None:
    common = ("name", "weight", "required", "negate")
    for kind, options in VALIDATORS.items():
        rows = dict(re.findall(r"^- `(\w+)` \((.+?)\): ", SECTIONS[kind], re.MULTILINE))
        fields = {field.alias or name: field for name, field in options.model_fields.items() if name not in common}
        assert set(rows) == set(fields), kind
        for key, field in fields.items():
            assert rows[key].startswith(default(field)), (kind, key)


@pytest.mark.parametrize("kind", VALIDATORS)
def test_the_examples_of_texts_score_as_documented(kind: str, tmp_path: Path) -> None:
    (spec,) = parse_scorers([YAML(typ="safe").load(block(SECTIONS[kind], "yaml"))], "docs/scorers.md")
    assert spec.kind == kind
    answers = [line.split(" | ", 1) for line in block(SECTIONS[kind], "answers").splitlines()]
    assert answers or kind in {"latency", "cost", "paraphrases", "tools", "database"}
    code = {} if kind != "python" else by_code(spec, [answer for _, answer in answers], tmp_path)
    for score, answer in answers:
        subject = Subject(Case("c", input="q"), answer)
        found = code[answer] if spec.coded else validate(spec, subject)
        assert found.value == pytest.approx(float(score)), f"{answer}: {found.reason}"


def example(kind: str) -> ScorerSpec:
    (spec,) = parse_scorers([YAML(typ="safe").load(block(SECTIONS[kind], "yaml"))], "docs/scorers.md")
    return spec


def test_the_example_of_tools_scores_as_documented() -> None:
    def scored(*calls: tuple[str, str]) -> object:
        turn = Turn(0, "q", "case", "a", tuple(ToolUse(name, arguments, "") for name, arguments in calls))
        return validate(example("tools"), Subject(Case("c"), "a", transcript=Transcript("s", (turn,)))).value

    good = (("get_listings", "{}"), ("now", "{}"), ("get_occupancy", '{"listing_id": 3, "month": 5}'))
    assert scored(*good) == 1.0
    assert scored(*reversed(good)) == 0.0
    assert scored(*good, ("delete_listing", "{}")) == 0.0
    assert scored(*good[:2], ("get_occupancy", '{"listing_id": 4}')) == 0.0


def test_the_example_of_database_scores_as_documented() -> None:
    def scored(*rows: tuple[JsonValue, ...]) -> object:
        seen = Observation("database", rows, columns=("status", "guests"))
        transcript = Transcript("s", (), observations=(seen,))
        return validate(example("database"), Subject(Case("c"), "a", transcript=transcript)).value

    assert scored(("booked", 2)) == 1.0
    assert scored(("booked", 3)) == 0.0
    assert scored() == 0.0
    assert scored(("booked", 2), ("booked", 2)) == 0.0


def test_the_first_example_is_a_list_of_scorers() -> None:
    shown = YAML(typ="safe").load(block(PAGE, "yaml"))["scorers"]
    specs = parse_scorers(shown, "docs/scorers.md")
    assert [spec.kind for spec in specs] == ["exact", "contains", "words", "refusal"]
    assert (specs[2].weight, specs[3].name, specs[3].negate) == (2.0, "does not refuse", True)
