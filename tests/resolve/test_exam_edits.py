"""What a change edits of an exam, and how much of it is tried."""

from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.gatefile import SuiteConfig
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationModel, ConversationOptions
from gate.prompts.files import FileSource
from gate.resolve.exam import FEWEST_TRIED, JudgeDefault, SuiteWithEdits, changes, edit_of, rules_edited
from gate.resolve.pairing import Pair
from tests.support.runs import suite

SEEDED = ConversationModel().model_copy(update={"params": Params(seed=1)})
EXACT = ScorerSpec("exact", "exact", {"value": "{{ expected }}"})
JUDGE = ScorerSpec("judge", "judge", {"criteria": "Kind."})
CONFIG = SuiteConfig(
    "support",
    "prompts/p.md",
    "c.jsonl",
    False,
    ModelRef("fake", "m"),
    Params(),
    1,
    (EXACT, JUDGE),
    ("t",),
    SuitePolicy(),
    1,
)


class Nowhere:
    """A source that has no file."""

    label = "main"
    sha = None

    def read(self, path: str) -> bytes | None:
        return None

    def fingerprint(self, path: str) -> str | None:
        return None

    def glob(self, pattern: str) -> tuple[str, ...]:
        return ()


def pair(**edits: object) -> Pair:
    source: FileSource = Nowhere()
    return Pair(replace(CONFIG, **edits), CONFIG, source)


def edited(head: tuple[Case, ...], *, compared: bool = True, **edits: object) -> SuiteWithEdits:
    sitting = suite([{}] * 5)
    judge = JudgeDefault(ModelRef("fake", "m"), Params())
    return SuiteWithEdits(pair(**edits), sitting, changes(sitting.exam.cases, head), head, "head", judge, compared)


@pytest.mark.parametrize(
    ("edits", "rules"),
    [
        ({}, ()),
        ({"scorers": (EXACT, replace(JUDGE, options={"criteria": "Short."}))}, (("scorers", "judge"),)),
        ({"scorers": (EXACT,)}, (("scorers", "judge"),)),
        (
            {"conversing": ConversationOptions(score="min", user=ConversationModel(model=ModelRef("fake", "u")))},
            (("conversation", "score"), ("conversation", "user")),
        ),
        ({"placeholders": {"today": "2026-11-22"}}, (("placeholders", "today"),)),
    ],
)
def test_what_is_edited_has_a_name(edits: dict[str, object], rules: tuple[str, ...]) -> None:
    assert tuple((rule.kind, rule.name) for rule in rules_edited(pair(**edits))) == rules


def test_values_are_told_about_policy_and_threshold_and_not_of_scorers() -> None:
    edits = {"policy": SuitePolicy(margin=0.5), "threshold": 0.1, "samples": 9, "scorers": (EXACT,)}
    told = [(rule.kind, rule.name, rule.old, rule.new) for rule in rules_edited(pair(**edits))]
    assert told == [
        ("policy", "margin", "0.0", "0.5"),
        ("scorers", "judge", "", ""),
        ("threshold", "", "not set", "0.1"),
        ("samples", "", "1", "9"),
    ]


def test_edited_cases_come_before_added_ones_and_both_share_one_limit() -> None:
    base = suite([{}] * 5).exam.cases
    head = (*(replace(case, expected="other") for case in base), *(Case(f"n{n}") for n in range(FEWEST_TRIED)))
    found = edit_of(edited(head), {"support"}, lambda _: "")
    assert found is not None
    assert [(one.kind, len(one.suite.exam.cases), one.left_out) for one in found.trials] == [
        ("edited", 5, 0),
        ("added", FEWEST_TRIED - 5, 5),
    ]
    assert all(one.suite.trial and one.suite.exam.scorers[0] == EXACT for one in found.trials)


@pytest.mark.parametrize(("compared", "kind"), [(True, "scorers"), (False, "rescored")])
def test_other_scorers_ask_for_answers_only_where_the_run_has_none(compared: bool, kind: str) -> None:
    found = edit_of(edited(suite([{}] * 5).exam.cases, compared=compared, scorers=(EXACT,)), set(), lambda _: "")
    assert found is not None
    (trial,) = found.trials
    assert (trial.kind, trial.answers is None, trial.suite.exam.scorers) == (kind, compared, (EXACT,))
    assert trial.answers is None or trial.answers.baseline is None


def test_what_must_not_be_asked_keeps_its_reason() -> None:
    found = edit_of(edited((*suite([{}] * 5).exam.cases, Case("n"))), set(), lambda _: "an address of its own")
    assert found is not None
    assert [one.reason for one in found.trials] == ["an address of its own"]
