"""Everything about one case: what it carries of each slice, how it is shown, and that nothing in it breaks out."""

import io
import re
from math import isclose

import pytest
from rich.console import Console

from gate.cli.output import LogStream
from gate.record.comparison import State
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.report.explain import CaseExplanation, explain_case, sample_agreement, slice_contributions
from gate.report.markdown import report as explain_markdown
from gate.report.terminal import case as terminal_explain
from gate.report.view.cases import case_views, worst_case
from tests.golden.hostile import ATTACKS, hostile
from tests.golden.runs import runs
from tests.support.rendering import commands, harm, on_github
from tests.support.run_records import finished
from tests.support.runs import suite

GOLDEN = runs()
TIERS = [{"tier": "gold" if number % 2 else "free"} for number in range(12)]
FALLS = {"c001": 1.0, "c003": 0.5, "c005": 0.5}


def fell() -> RunRecord:
    """Of six gold cases three fell, one rose, and of the free ones none moved."""

    def score(case: object, arm: ArmName, index: int) -> float:
        name = getattr(case, "id", "")
        if name == "c007":
            return 0.25 if arm is ArmName.BASELINE else 1.0
        return 1.0 if arm is ArmName.BASELINE else 1.0 - FALLS.get(name, 0.0)

    return finished([suite(TIERS)], score)


def shown_of(run: RunRecord, case: int = 0) -> CaseExplanation:
    one = (run.suites or run.new)[0]
    return explain_case(run, one.name, one.cases[case], (), {})


def printed(shown: CaseExplanation, width: int = 80, *, colours: bool = False) -> str:
    out = io.StringIO()
    environ = {"TERM": "xterm-256color"} if colours else {}
    console = Console(file=LogStream(out), width=width, force_terminal=colours, color_system="auto", _environ=environ)
    terminal_explain.render_case(shown, console)
    return out.getvalue()


def test_what_a_case_carries_of_each_slice() -> None:
    run = fell()
    by_id = {case.id: case for case in run.suites[0].cases}
    overall, gold = slice_contributions(run, "support", by_id["c001"])
    assert (overall.slice, overall.n, gold.slice, gold.n) == ("overall", 12, "tier=gold", 6)
    assert isclose(gold.mean or 0.0, -1.25 / 6) and isclose(overall.mean or 0.0, -1.25 / 12)
    assert gold.share == 0.5 and (gold.rank, gold.ties, gold.of) == (1, 0, 3)
    assert isclose(gold.without or 0.0, -0.25 / 5)
    tied = slice_contributions(run, "support", by_id["c005"])[1]
    assert tied.share == 0.25 and (tied.rank, tied.ties, tied.of) == (2, 1, 3)
    rose = slice_contributions(run, "support", by_id["c007"])[1]
    assert rose.share == 1.0 and (rose.rank, rose.of) == (1, 1)
    still = slice_contributions(run, "support", by_id["c000"])[1]
    assert (still.slice, still.share, still.rank, still.moved) == ("tier=free", 0.0, 0, 0.0)


def test_a_case_of_a_new_prompt_carries_its_share_of_what_fails() -> None:
    run = GOLDEN["new-block"]
    case = run.new[0].cases[0]
    first = slice_contributions(run, run.new[0].name, case)[0]
    assert not first.compared and first.rank == 1 and 0.0 < first.share < 1.0


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1.0, 1.0, 0.0], "flaky in this arm: 2 × 1.000, 1 × 0.000"),
        ([1.0, 1.0], "stable: all 2 samples score 1.000"),
        ([0.5], "one sample, 0.500: unknown whether it is flaky"),
        ([1.0, 1.0, None], "stable: all 2 samples score 1.000; 1 sample without a score"),
        ([None], "no score"),
    ],
)
def test_whether_an_arm_is_flaky(scores: list[float | None], words: str) -> None:
    assert sample_agreement(scores) == words


def test_narrow_terminals_have_the_answers_one_below_the_other() -> None:
    shown = shown_of(GOLDEN["agents"])
    narrow, wide = printed(shown, 80), printed(shown, 120)
    assert "[-82 % occupied-]" in narrow and "{+usually well booked+}" in narrow
    assert not re.search(r"baseline  score 1\.000.*candidate", narrow)
    assert re.search(r"baseline  score 1\.000.*│ candidate  score 0\.000", wide)
    assert max(map(len, wide.splitlines()[12:])) <= 120


def test_tools_databases_and_answers_to_questions_are_told() -> None:
    text = printed(shown_of(GOLDEN["agents"]), 200)
    for said in (
        "search({",
        "failed: TimeoutError",
        "Database, stored: 4 rows",
        "answered automatically",
        "step limit",
    ):
        assert said in text


def test_markdown_has_the_same() -> None:
    text = explain_markdown.render_case(shown_of(GOLDEN["agents"]))
    fences = re.findall(r"```diff\n(.*?)\n```", text, re.DOTALL)
    shown = [case.diff for case in case_views(GOLDEN["agents"]) if case.diff is not None]
    assert fences == [one.text for one in shown if one.text in fences] != []
    assert "⟦changed words⟧ in brackets" in text
    assert "| tier=enterprise | 1 | −0.480 |" in text
    assert "The conversation: 2 turns" in text


def test_nothing_breaks_out_of_a_case() -> None:
    words = tuple(f"word{number}" for number in range(len(ATTACKS)))
    for case in range(3):
        shown = shown_of(hostile(), case)
        for width in (80, 140):
            text = printed(shown, width)
            assert not harm(text.partition("To ask it again alone")[0])
            assert not commands(text)
        found, plain = (
            on_github(explain_markdown.render_case(shown_of(run, case))) for run in (hostile(), hostile(words))
        )
        assert [one for one in found.tags if _loads(one)] == [one for one in plain.tags if _loads(one)]
        assert found.triggers == plain.triggers


def _loads(tag: object) -> bool:
    name = tag[0] if isinstance(tag, tuple) else str(tag)
    return name.lstrip("/") not in ("p", "pre", "code", "li", "ul", "br", "em", "strong")


def test_the_worst_case_is_the_one_that_the_comment_shows_first() -> None:
    for run in GOLDEN.values():
        shown = [f"{run.suites[0].name}/{case.name}" if len(run.suites) == 1 else case.name for case in case_views(run)]
        assert not shown or "/".join(worst_case(run) or ()) == shown[0]
    run = fell()
    (one,) = run.suites
    row = next(row for row in one.quality.slices if row.slice == "tier=free")
    told = row.model_copy(update={"state": State.REGRESSION, "blocking": True, "upper": -0.5})
    quality = one.quality.model_copy(update={"slices": [told]})
    found = [case.model_copy(update={"delta": -0.25}) if case.id == "c000" else case for case in one.cases]
    run = run.model_copy(update={"suites": [one.model_copy(update={"quality": quality, "cases": found})]})
    assert worst_case(run) == ("support", "c000")
