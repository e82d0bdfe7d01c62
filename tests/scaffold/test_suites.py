"""Suites for the prompts that were found: cases, scorers, names, patterns."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gate.scaffold.discovery import FoundPrompt, likely_prompts, read_prompt_file
from gate.scaffold.files import FileSettings, config_text, with_scorers, workflow_text
from gate.scaffold.starter_cases import ExampleHeads, heads_of, starter_cases
from gate.scaffold.suites import RepositoryFiles, SuiteDraft, SuiteNames, chosen_models, suite_drafts
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

ROOT = Path(__file__).parents[2]


def tree(files: Mapping[str, str]) -> RepositoryFiles:
    return RepositoryFiles(frozenset(files), lambda path: files[path].encode() if path in files else None)


def made(files: Mapping[str, str], *, continues: bool = False) -> list[SuiteDraft]:
    found = [
        one
        for path in likely_prompts(files)
        if isinstance(one := read_prompt_file(path, tree(files).read), FoundPrompt)
    ]
    return suite_drafts(found, tree(files), SuiteNames(), continues=continues)[0]


def prompt(text: str, path: str = "prompts/a.md") -> FoundPrompt:
    found = read_prompt_file(path, lambda name: text.encode())
    assert isinstance(found, FoundPrompt)
    return found


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


def test_starter_cases_have_what_the_template_asks_for() -> None:
    (draft,) = made({"prompts/a.j2": "Summarise {{ article }} for {{ company }}, {{ mood }}."})
    assert draft.entries is not None
    for entry in draft.entries:
        variables = entry["vars"]
        assert isinstance(variables, dict)
        assert variables.keys() == {"article", "company", "mood"}
        assert (variables["company"], variables["mood"]) == ("Example Ltd", "example mood")
        assert "input" not in entry
    assert len({str(entry["vars"]) for entry in draft.entries}) == 20


def test_starter_cases_have_the_shape_that_the_template_asks_for() -> None:
    loop = "{% for doc in docs %}{{ doc.title }} {{ doc.body }}{% endfor %}"
    text = "{{ user.name }}, {{ user.city }}: " + loop + "{{ question }}"
    (draft,) = made({"prompts/a.j2": text})
    assert draft.entries is not None
    assert draft.entries[0]["vars"] == {
        "docs": [{"title": "Deliveries", "body": "What can you help me with?"}],
        "question": "What can you help me with?",
        "user": {"name": "Alex Meyer", "city": "Hamburg"},
    }


def test_a_prompt_with_examples_gets_cases_with_the_same_heads() -> None:
    text = "Label it.\n\nReview: Bad.\nLabel: no\n\nReview: Good.\nLabel: yes\n"
    assert heads_of(text) == ExampleHeads("Review", "Label")
    entries = starter_cases([prompt(text)])
    assert all(str(entry["input"]).startswith("Review: ") for entry in entries)
    assert all(str(entry["input"]).endswith("\nLabel:") for entry in entries)
    assert heads_of("Note: one thing.\nTo: nobody") is None


def test_examples_without_a_word_before_the_answer_keep_the_one_that_they_have() -> None:
    form = '{"who": "x"}'
    text = f"Extract.\n\nSentence: Ann sings.\n{form}\n\nSentence: Bob runs.\n{form}\n"
    assert heads_of(text) == ExampleHeads("Sentence", "")
    for entry in starter_cases([prompt(text)], continues=True):
        assert str(entry["input"]).startswith("Sentence: ") and str(entry["input"]).endswith("\n")
        assert "Answer" not in str(entry["input"])
    # Once is no example, and neither is a sentence below a word.
    assert heads_of(f"Sentence: Ann sings.\n{form}\n") is None
    assert heads_of("Note: one.\nIt is so.\n\nNote: two.\nIt is so.\n") is None


def test_data_beside_a_prompt_is_taken_if_it_fits() -> None:
    row = '{"id": "1", "input": "x", "expected": "y"}\n'
    (draft,) = made({"prompts/a.md": "You help.", "evals/a/cases.jsonl": row})
    assert (draft.cases, draft.entries, draft.scorers) == ("evals/a/cases.jsonl", None, ("contains",))
    (demanding,) = made({"prompts/a.md": "Use at most 50 words.", "evals/a/cases.jsonl": row})
    assert demanding.scorers == ("contains", {"words": {"max": 50}})
    (other,) = made({"prompts/a.j2": "You help {{ name }}.", "evals/a/cases.jsonl": row})
    assert other.cases == "evals/a/cases.yaml"
    (broken,) = made({"prompts/a.md": "You help.", "evals/a/cases.jsonl": "{"})
    assert broken.starter


def test_test_data_of_a_prompt_file_stays_where_it_is() -> None:
    text = "messages: [{role: user, content: '{{input}}'}]\ntestData: [{input: a, expected: b}]\n"
    (draft,) = made({"x/greet.prompt.yml": text})
    assert (draft.name, draft.cases, draft.scorers) == ("greet", "x/greet.prompt.yml", ("contains",))


def test_many_prompts_share_a_suite_and_what_all_of_them_demand() -> None:
    files = {f"prompts/p{number}.md": f"Prompt {number}. Use at most 50 words." for number in range(30)}
    (draft,) = made(files)
    assert (draft.prompt, draft.scorers) == ("prompts/*.md", ({"words": {"max": 50}},))
    files["prompts/README.md"] = "# What these are"
    alone = made(files)
    assert len(alone) == 30


@pytest.mark.parametrize(
    ("present", "answering", "judge"),
    [
        ((), "local:gemma3-270m", None),
        (("openai",), "openai:gpt-5-mini", "openai:gpt-5"),
        (("anthropic",), "anthropic:claude-haiku-4-5", "anthropic:claude-opus-4-5"),
        (("openai", "anthropic"), "openai:gpt-5-mini", "anthropic:claude-opus-4-5"),
    ],
)
def test_the_keys_that_are_there_choose_the_models(present: tuple[str, ...], answering: str, judge: str | None) -> None:
    models = chosen_models(None, None, present)
    assert (models.answering, models.judge) == (answering, judge)


def test_the_workflow_is_the_documented_one() -> None:
    layout = FileSettings("gate.yaml", "main", chosen_models(None, None, ("openai",)))
    assert workflow_text((), layout) == (ROOT / "docs/examples/prompt-gate.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "holder"),
    [
        ("Extract the fields.\n{{ invoice_text }} of {{ vendor }}", "invoice_text"),
        ("Summarise this for {{ audience }}: {{ fund }}", "fund"),
    ],
)
def test_the_text_of_a_starter_case_goes_where_the_template_works_on_it(text: str, holder: str) -> None:
    (draft,) = made({"prompts/a.j2": text})
    assert draft.entries is not None
    held = [variables[holder] for entry in draft.entries if isinstance(variables := entry["vars"], dict)]
    # Twenty cases that are all the same would be one.
    assert len(set(map(str, held))) == 20
    assert not any("input" in entry for entry in draft.entries)


def test_prompts_of_one_name_are_told_apart_by_their_folders() -> None:
    names = [one.name for one in made({f"{team}/prompts/{name}.md": "You help." for team, name in TEAMS})]
    assert names == ["billing-reply", "rank", "search-reply"]


TEAMS = (("billing", "reply"), ("search", "rank"), ("search", "reply"))


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("Summarise in five bullet points.", "\\n\\n"),
        ("Answer in one sentence.", "\\n"),
    ],
)
def test_the_packaged_model_may_answer_in_the_lines_that_a_prompt_asks_for(text: str, stop: str) -> None:
    models = chosen_models(None, None, ())
    (draft,) = [with_scorers(one, models) for one in made({"prompts/a.md": text}, continues=True)]
    assert f'"{stop}"' in config_text([draft], FileSettings("gate.yaml", "main", models)).rpartition("stop:")[2]


def test_a_template_with_thousands_of_variables_gets_starter_cases() -> None:
    """Looked for one after the other in a long text, they would take an hour."""
    names = "".join(f"{{{{ a{number} }}}}" for number in range(4_000))
    (draft,) = made({"prompts/a.j2": f"{names}{{{{ u.name }}}} {'x' * 900_000}"})
    assert draft.entries is not None
    variables = draft.entries[0]["vars"]
    assert isinstance(variables, dict)
    assert (len(variables), variables["u"]) == (4_001, {"name": "Alex Meyer"})
