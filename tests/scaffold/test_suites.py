"""Suites for the prompts that were found: cases, scorers, judges, models."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gate.scaffold.files import FileSettings, config_text, with_scorers, workflow_text
from gate.scaffold.judges import criteria_of
from gate.scaffold.models import ConfigurationModels, chosen_models
from gate.scaffold.search import RepositoryFiles, named_candidates
from gate.scaffold.suites import SuiteDraft, draft_of
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

ROOT = Path(__file__).parents[2]
LOCAL = chosen_models("local:gemma3-270m", ())


def made(files: Mapping[str, str], path: str = "prompts/a.md", models: ConfigurationModels = LOCAL) -> SuiteDraft:
    read = {name: text.encode() for name, text in files.items()}.get
    tree = RepositoryFiles(frozenset(files), read, read)
    (candidate,) = named_candidates(tree, [path]).candidates
    assert candidate.prompt is not None
    return with_scorers(draft_of(candidate.prompt, "a", tree, candidate), models, candidate.prompt.text)


@pytest.mark.parametrize(
    ("expected", "scorers"),
    [
        (["yes", "no", "yes", "no", "no", "yes"], ("contains",)),
        (["a " * 60, "b"], ("similarity",)),
        (["Paris", ["4", "four"]], ({"contains": {"any": "{{ expected }}"}},)),
        (["yes", None], ()),
    ],
)
def test_scorers_fit_what_cases_expect(expected: list[JsonValue], scorers: tuple[JsonValue, ...]) -> None:
    entries = [{"expected": one} for one in expected]
    assert prompt_scorers.case_scorers(entries, strict=False) == scorers


ROW = '{"id": "1", "input": "x", "expected": "y"}\n'


def test_data_beside_a_prompt_is_taken_if_it_fits() -> None:
    draft = made({"prompts/a.md": "You help.", "evals/a/cases.jsonl": ROW})
    assert (draft.cases, draft.entries, draft.scorers, draft.form) == (
        "evals/a/cases.jsonl",
        None,
        ("contains",),
        False,
    )
    demanding = made({"prompts/a.md": "Use at most 50 words.", "evals/a/cases.jsonl": ROW})
    assert demanding.scorers == ("contains", {"words": {"max": 50}})
    other = made({"prompts/a.j2": "You help {{ name }}.", "evals/a/cases.jsonl": ROW}, "prompts/a.j2")
    assert (other.cases, other.form) == ("evals/a/cases.yaml", True)
    assert made({"prompts/a.md": "You help.", "evals/a/cases.jsonl": "{"}).form


def test_without_an_expected_answer_a_judge_reads_the_words_of_the_prompt() -> None:
    question = '{"id": "1", "input": "x"}\n'
    files = {"prompts/a.md": "You help.\nBe friendly. Use at most 50 words.", "evals/a/cases.jsonl": question}
    models = chosen_models(None, ("openai", "anthropic"))
    judged = made(files, models=models)
    assert judged.scorers == ({"words": {"max": 50}},)
    assert judged.criteria == "The answer follows these instructions:\n- Be friendly."
    text = config_text([judged], FileSettings("gate.yaml", "main", models))
    assert '- judge:\n          model: "anthropic:claude-opus-4-5"\n          criteria: |-\n' in text
    # Nobody can judge with the local model alone, so the cases have to say what they expect.
    bare = made({"prompts/a.md": "You help.\nBe friendly."})
    assert (bare.form, bare.scorers, bare.criteria) == (True, ("contains",), "")
    assert made({"prompts/a.md": "You help.", "evals/a/cases.jsonl": question}).scorers == ()


def test_criteria_hold_nothing_that_a_template_would_run() -> None:
    assert "<article>" in criteria_of("Summarise {{ article }} in one line. {% if x %}Never lie.{% endif %}")
    for text in ("{% for a in b %}{{ a", "{{ 7 * 7 }} and {# note #}", "x" * 5_000):
        criteria = criteria_of(text)
        assert not any(sign in criteria for sign in ("{{", "{%", "{#")) and len(criteria) < 1_000


@pytest.mark.parametrize(
    ("present", "answering", "judge"),
    [
        ((), "openai:gpt-5-mini", "openai:gpt-5"),
        (("openai",), "openai:gpt-5-mini", "openai:gpt-5"),
        (("anthropic",), "anthropic:claude-haiku-4-5", "anthropic:claude-opus-4-5"),
        (("openai", "anthropic"), "openai:gpt-5-mini", "anthropic:claude-opus-4-5"),
    ],
)
def test_the_keys_that_are_there_choose_the_models(present: tuple[str, ...], answering: str, judge: str) -> None:
    models = chosen_models(None, present)
    assert (models.answering, models.judge) == (answering, judge)


def test_the_workflow_is_the_documented_one() -> None:
    layout = FileSettings("gate.yaml", "main", chosen_models(None, ("openai",)))
    assert workflow_text((), layout) == (ROOT / "docs/examples/prompt-gate.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "stop"), [("Summarise in five bullet points.", "\\n\\n"), ("Answer in one sentence.", "\\n")]
)
def test_the_packaged_model_may_answer_in_the_lines_that_a_prompt_asks_for(text: str, stop: str) -> None:
    written = config_text([made({"prompts/a.md": text})], FileSettings("gate.yaml", "main", LOCAL))
    assert f'"{stop}"' in written.rpartition("stop:")[2]
