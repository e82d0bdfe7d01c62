"""New prompts in reports: first line, section, steps, and texts that try to be something else."""

import re

import pytest

from gate.record.comparison import PassState, Verdict
from gate.record.findings.rates import ThresholdUnset
from gate.record.run import RunRecord
from gate.report.markdown.report import GITHUB_LIMIT, SHORTEST, render_report
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import SHOWN_UNREMARKABLE, new_prompts
from gate.report.view.report import report_view
from tests.golden.builders import run
from tests.golden.hostile import ATTACKS
from tests.golden.new_prompts import cases, hostile_new, new_block, new_hold, new_pass, rate, suite
from tests.golden.runs import new_beside
from tests.report.reading import html, kinds, running_text

OUR_TAGS = {"details", "summary", "sub", "br", "b"}


def held(*rows: tuple[str, PassState, bool]) -> RunRecord:
    """HOLD with the given slices; the first one is `overall`."""
    found = [rate(name, state, 40, (0.9, 0.8, 0.95), 0.85, doubtful=doubtful) for name, state, doubtful in rows]
    return run(Verdict.HOLD, [], new=[suite(found[0], found[1:], [])])


def steps_of(made: RunRecord) -> str:
    return " ".join("".join(p if isinstance(p, str) else p.text for p in step) for step in report_view(made).steps)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (new_hold(), "refunds has no baseline, and its policy sets no min_pass_rate"),
        (new_beside(), "refunds has no baseline, and its policy sets no min_pass_rate"),
        (new_pass(), "PASS: refunds: 97.5 % [92.9 %, 99.1 %] of the answers passed"),
        (held(("overall", PassState.UNPROVEN, True)), "refunds: 90 % [80 %, 95 %] of the answers passed"),
        (held(("overall", PassState.TOO_FEW, False)), "refunds/overall has too few cases to decide"),
        (held(("overall", PassState.MET, False), ("a=b", PassState.UNPROVEN, True)), "HOLD: refunds/a=b: 90 %"),
    ],
)
def test_first_lines(made: RunRecord, said: str) -> None:
    assert said in plain_first_line(made)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (new_block(), "first those of lang=de"),
        (new_hold(), "Set a threshold: min_pass_rate in the policy of the suite refunds"),
        (new_pass(), "the new prompt reaches its thresholds"),
        (held(("overall", PassState.UNPROVEN, True)), "Read the failing cases of prompts/refunds.md"),
        (held(("overall", PassState.TOO_FEW, False)), "Add cases for the new prompt"),
    ],
)
def test_steps(made: RunRecord, said: str) -> None:
    assert said in steps_of(made)


def test_several_prompts_without_a_threshold_are_counted() -> None:
    one = new_hold().new[0]
    two = one.model_copy(update={"name": "faq"})
    made = new_hold().model_copy(
        update={"new": [one, two], "findings": [ThresholdUnset(suite=name) for name in (one.name, "faq")]}
    )
    assert render_report(made).count("has no baseline") == 1
    assert "Set a threshold: min_pass_rate in the policies of the suites refunds, faq, for example 0.9." in steps_of(
        made
    )


def test_many_quiet_slices_are_folded() -> None:
    quiet = [rate(f"t={n:02}", PassState.MET, 40, (1.0, 0.9, 1.0), 0.8) for n in range(20)]
    bad = rate("t=bad", PassState.MISSED, 40, (0.2, 0.1, 0.4), 0.8)
    made = run(Verdict.BLOCK, [], new=[suite(quiet[0], [*quiet[1:], bad], cases())])
    (prompt,) = new_prompts(made)
    assert [row.name for row in prompt.rows][:2] == ["t=00", "t=bad"]
    assert len(prompt.rows) == 2 + SHOWN_UNREMARKABLE
    assert "more slices" in render_report(made)


def test_hostile_text_stays_text() -> None:
    text = render_report(hostile_new(ATTACKS))
    bad, good = kinds(text), kinds(render_report(hostile_new(tuple("x" * 7 for _ in ATTACKS))))
    for kind in (set(bad) | set(good)) - {"text", "softbreak"}:
        assert bad[kind] == good[kind], kind
    assert bad["image"] == bad["link_open"] == 0
    assert "<!--" not in text
    assert "@octocat" not in running_text(text)
    assert set(re.findall(r"</?([a-z]+)", html(text))) <= OUR_TAGS


@pytest.mark.parametrize(("limit", "count"), [(GITHUB_LIMIT, 2), (SHORTEST, 12)])
def test_a_limit_is_kept_by_whole_parts(limit: int, count: int) -> None:
    text = render_report(hostile_new(ATTACKS, count=count), limit=limit)
    assert len(text) <= limit
    assert html(text).count("<details>") == html(text).count("</details>")
    assert text.startswith("## 🔴 Prompt Gate: BLOCK: `@octocat")
    assert "Left out, to keep this short" in text or limit == GITHUB_LIMIT
