"""The dispatcher's suite is complete: transcripts, rubric, persona and recorded answers."""

import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from evals.dispatcher.persona import PERSONA, STATE_PROMPTS, get_system_prompt
from gate.cases import reading as cases
from gate.cases.case import Case
from gate.config.documents import Document, read_yaml
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.templates.rendering import compile_template

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "evals/dispatcher"
TRANSCRIPTS = FOLDER / "golden_transcripts.json"
CASES = {case.id: case for case in cases.parse(TRANSCRIPTS.read_text(encoding="utf-8"), str(TRANSCRIPTS))}
ANSWERS = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
STATES = ("welcome", "discovery", "safety", "urgency", "pre_confirm")
WEIGHTS = {
    "brevity": 0.20,
    "paraphrasing": 0.15,
    "forbidden_words": 0.10,
    "state_compliance": 0.20,
    "persona_fidelity": 0.10,
    "tone_matching": 0.15,
    "spoken_flow": 0.10,
}


def yaml(name: str) -> Document:
    return read_yaml((FOLDER / name).read_text(encoding="utf-8"), name)


def failed(case: Case, answer: str) -> set[str]:
    """The names of the expectations that a reply fails."""
    scores = [validate(spec, Subject(case, answer)) for spec in case.extra_scorers]
    return {score.scorer for score in scores if score.value != 1.0}


def test_fifteen_transcripts_cover_every_state() -> None:
    assert len(CASES) == 15
    states = Counter(case.slices["state"] for case in CASES.values())
    assert set(states) == set(STATES) == set(STATE_PROMPTS)
    assert min(states.values()) >= 2
    for case in CASES.values():
        assert case.vars["state"] == case.slices["state"]
        assert set(case.vars["session"]) == {"customer_name", "zip_code", "problem_description", "service_address"}


def test_the_rubric_has_seven_dimensions_whose_weights_sum_to_1() -> None:
    root = yaml("rubric.yaml").entries()
    dimensions = [part.data for part in root["dimensions"].parts()]
    assert {each["name"]: each["weight"] for each in dimensions} == WEIGHTS
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert root["scale"].data == [1, 5]
    assert root["threshold"].data == 3.5
    for each in dimensions:
        assert isinstance(each, dict)
        assert str(each["description"]).strip()
        assert isinstance(each["anchors"], dict)
        assert list(each["anchors"]) == ["1", "3", "5"]


def test_the_judge_prompt_is_short_and_renders() -> None:
    text = (FOLDER / "judge.md.j2").read_text(encoding="utf-8")
    assert 10 <= len(compile_template(text).render({}).strip().splitlines()) <= 15


def test_the_persona_builds_a_prompt_for_each_transcript() -> None:
    for case in CASES.values():
        session = case.vars["session"]
        assert isinstance(session, dict)
        as_mapping = get_system_prompt({**session, "state": case.slices["state"]})
        as_object = get_system_prompt(SimpleNamespace(**session, state=case.slices["state"]))
        assert as_mapping == as_object
        assert as_mapping.startswith(f"{PERSONA}\n\n{STATE_PROMPTS[case.slices['state']]}\n\n")
        for value in session.values():
            assert f": {value or 'unknown'}" in as_mapping


@pytest.mark.parametrize(
    "session",
    [
        {},
        {"state": "billing"},
    ],
)
def test_a_state_that_the_call_does_not_have_is_an_error(session: object) -> None:
    with pytest.raises(ValueError, match=r"unknown state '.*': known are welcome, discovery"):
        get_system_prompt(session)


def test_recorded_answers_score_as_labelled() -> None:
    for answer in ANSWERS:
        case, slices, given = CASES[answer["cluster"]], answer["slices"], answer["vars"]
        assert answer["messages"] == [{"role": turn.role, "content": turn.content} for turn in case.messages]
        assert {key: given[key] for key in case.vars} == case.vars, answer["id"]
        assert slices["state"] == case.slices["state"], answer["id"]
        assert given["why"], answer["id"]
        missed = failed(case, answer["output"])
        # A good reply keeps every rule. A bad one breaks a rule, or is marked as bad only to a listener.
        assert bool(missed) == (slices.get("seen_by") == "rules"), (answer["id"], missed)
        assert (answer["label"] == "fail") == ("fault" in slices), answer["id"]


def test_the_pages_give_the_right_counts() -> None:
    bad = [answer for answer in ANSWERS if answer["label"] == "fail"]
    rules = sum(answer["slices"]["seen_by"] == "rules" for answer in bad)
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{len(ANSWERS)} replies to those calls, {len(ANSWERS) - len(bad)} good and {len(bad)} bad ones" in page
    guide = (ROOT / "docs/how-to/golden-transcripts.md").read_text(encoding="utf-8")
    said = re.search(r"Of the (\d+) bad replies .*? rules alone find (\d+); for the other (\d+)", guide, re.DOTALL)
    assert said is not None
    assert tuple(map(int, said.groups())) == (len(bad), rules, len(bad) - rules)


def test_the_guide_shows_a_transcript_that_loads() -> None:
    guide = (ROOT / "docs/how-to/golden-transcripts.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert [case.id for case in cases.parse(shown, "guide.json")] == ["discovery_landlord"]
