"""New prompts in reports: first line, section, steps, and texts that try to be something else."""

import io
import re

import pytest
from rich.console import Console

from gate.record.comparison import PassState, Verdict
from gate.record.run import RunRecord
from gate.report.markdown.report import GITHUB_LIMIT, SHORTEST, render_report
from gate.report.numbers import share
from gate.report.terminal import report as terminal
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import SHOWN_UNREMARKABLE, new_prompts
from gate.report.view.report import report_view
from tests.golden.builders import run
from tests.golden.hostile import ATTACKS
from tests.golden.new_prompts import cases, hostile_new, new_block, new_hold, new_pass, rate, suite
from tests.golden.runs import new_beside, runs
from tests.report.reading import html, kinds, running_text

OUR_TAGS = {"details", "summary", "sub", "br", "b"}


def held(*rows: tuple[str, PassState, bool]) -> RunRecord:
    """HOLD with the given slices; the first one is `overall`."""
    found = [rate(name, state, 40, (0.9, 0.8, 0.95), 0.85, doubtful=doubtful) for name, state, doubtful in rows]
    return run(Verdict.HOLD, [], ["because"], new=[suite(found[0], found[1:], [])])


def steps_of(made: RunRecord) -> str:
    return " ".join("".join(p if isinstance(p, str) else p.text for p in step) for step in report_view(made).steps)


def test_the_first_line_names_the_slice_that_falls_shortest() -> None:
    assert plain_first_line(new_block()) == (
        "BLOCK: new prompt prompts/refunds.md: 54.5 % [29.8 %, 77.2 %] of its answers in lang=de passed, "
        "where at least 90 % are wanted"
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (new_hold(), "nobody said what is good enough"),
        (new_beside(), "nobody said what is good enough"),
        (new_pass(), "PASS: new prompt prompts/refunds.md: 97.5 % [92.9 %, 99.1 %] of its answers passed"),
        (held(("overall", PassState.UNPROVEN, True)), "that is not enough to be sure"),
        (held(("overall", PassState.TOO_FEW, False)), "too few cases to judge the new prompt prompts/refunds.md"),
        (held(("overall", PassState.MET, False), ("a=b", PassState.UNPROVEN, True)), "of its answers in a=b passed"),
        (held(("overall", PassState.MET, False)), "HOLD: because"),
    ],
)
def test_first_lines(made: RunRecord, said: str) -> None:
    assert said in plain_first_line(made)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (new_block(), "first those of lang=de"),
        (new_hold(), "set min_pass_rate in the policy of the suite refunds"),
        (new_pass(), "the new prompt is as good as its policy asks"),
        (held(("overall", PassState.UNPROVEN, True)), "Read the failing cases of prompts/refunds.md"),
        (held(("overall", PassState.TOO_FEW, False)), "Add cases for the new prompt"),
    ],
)
def test_steps(made: RunRecord, said: str) -> None:
    assert said in steps_of(made)


def test_several_prompts_that_nobody_set_a_rate_for_are_counted_and_told_twice() -> None:
    one = new_hold().new[0]
    two = one.model_copy(update={"name": "faq"})
    reasons = [f"{name}: nobody said what is good enough; set it." for name in (one.name, "faq")]
    made = new_hold().model_copy(update={"new": [one, two], "reasons": reasons})
    said = "2 new prompts have nothing to be compared with, and nobody said what is good enough"
    assert plain_first_line(made) == f"HOLD: {said}"
    assert render_report(made).count("good enough") == 2
    assert "set min_pass_rate in the policies of the suites refunds, faq, for example 0.9." in steps_of(made)


def test_a_reason_that_no_step_gives_is_kept() -> None:
    reasons = ["refunds: nobody said what is good enough; set it.", "refunds: the policy names the slice x=y."]
    assert (
        "refunds: the policy names the slice x=y."
        in report_view(new_hold().model_copy(update={"reasons": reasons})).notes
    )


def test_what_a_block_says_without_a_comparison_says_nothing_of_one() -> None:
    text = render_report(new_block())
    for word in ("joint sign-flip", "baseline", "old answers", "compare again"):
        assert word not in text


def test_the_level_is_told_with_the_number_of_slices() -> None:
    facts = {fact.label: "".join(map(str, fact.text)) for fact in report_view(new_block()).facts}
    assert "4 slices judged together, each bound at 0.6 %" in facts["New prompts"]
    assert "Method" not in facts
    assert "exact binomial test" not in "".join(str(fact.text) for fact in report_view(new_hold()).facts)


def test_a_quiet_slice_that_is_not_proven_is_not_marked() -> None:
    rows = {row.name: row.words for row in new_prompts(new_block())[0].rows}
    assert (rows["overall"], rows["tier=pro"], rows["lang=de"]) == ("not proven", "no shortfall shown", "missed")
    text = render_report(new_block())
    assert text.count("🟡") == 1


def test_many_quiet_slices_are_folded() -> None:
    quiet = [rate(f"t={n:02}", PassState.MET, 40, (1.0, 0.9, 1.0), 0.8) for n in range(20)]
    bad = rate("t=bad", PassState.MISSED, 40, (0.2, 0.1, 0.4), 0.8)
    made = run(Verdict.BLOCK, [], ["r"], new=[suite(quiet[0], [*quiet[1:], bad], cases())])
    (prompt,) = new_prompts(made)
    assert [row.name for row in prompt.rows][:2] == ["t=00", "t=bad"]
    assert len(prompt.rows) == 2 + SHOWN_UNREMARKABLE
    assert "more without a shortfall" in render_report(made)


def test_cases_that_fail_most_come_first_and_those_that_pass_not_at_all() -> None:
    assert [case.name for case in new_prompts(new_block())[0].cases] == ["de-002", "de-007"]
    assert new_prompts(new_block())[0].cases[1].passed == "1 of 3 answers passed, 1 without a score"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.625, "62.5 %"), (0.9, "90 %"), (1.0, "100 %"), (0.9999, "99.9 %"), (0.0, "0 %"), (0.0001, "0.1 %")],
)
def test_shares(value: float, text: str) -> None:
    assert share(value) == text


def test_hostile_text_stays_text() -> None:
    text = render_report(hostile_new(ATTACKS))
    bad, good = kinds(text), kinds(render_report(hostile_new(tuple("x" * 7 for _ in ATTACKS))))
    for kind in (set(bad) | set(good)) - {"text", "softbreak"}:
        assert bad[kind] == good[kind], kind
    assert bad["image"] == bad["link_open"] == 0
    assert "<!--" not in text
    assert "@octocat" not in running_text(text)
    assert set(re.findall(r"</?([a-z]+)", html(text))) <= OUR_TAGS


def test_hostile_text_sends_nothing_to_a_terminal() -> None:
    out = io.StringIO()
    terminal.render_report(hostile_new(ATTACKS), Console(file=out, width=80, color_system=None, _environ={}))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out.getvalue())
    assert "\n::" not in out.getvalue()


@pytest.mark.parametrize("limit", [GITHUB_LIMIT, 20_000, 9_000, SHORTEST])
def test_a_limit_is_kept_by_whole_parts(limit: int) -> None:
    text = render_report(hostile_new(ATTACKS, count=12), limit=limit)
    assert len(text) <= limit
    assert html(text).count("<details>") == html(text).count("</details>")
    assert text.startswith("## 🔴 Prompt Gate: BLOCK: new prompt ")
    assert "Left out, to keep this short" in text or limit == GITHUB_LIMIT


def test_a_run_without_new_prompts_has_no_such_section() -> None:
    assert "### New prompt" not in render_report(runs()["block"])
