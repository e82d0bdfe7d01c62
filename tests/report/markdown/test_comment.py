"""The report as a comment: what stands below it, and that all of it fits."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gate.engine.without_evaluation import failed_record
from gate.errors import GateError
from gate.record.run import RunRecord
from gate.record.transcript import Reply
from gate.report.markdown import report as markdown
from gate.report.markdown.report import CommentContext, render_comment
from tests.golden.hostile import ATTACKS, hostile
from tests.golden.runs import runs
from tests.report.reading import html, kinds, running_text, tokens
from tests.support.large_run import answers, asked
from tests.support.run_records import record_of
from tests.support.runs import table_of

RUNS = runs()
RUN_URL = "https://github.com/acme/support-bot/actions/runs/4711"
CONTEXT = CommentContext("0123456789abcdef0123456789abcdef01234567", "origin/main", RUN_URL, "skip-prompt-diff")
WAY_OUT = "To merge anyway, set the label"


def footer(text: str) -> str:
    return text[text.rindex("\n<sub>Commit ") + 1 :]


KINDS = {(run.exit_code, run.kind, run.override and run.override.counted): name for name, run in RUNS.items()}


@pytest.mark.parametrize("name", KINDS.values())
def test_the_report_comes_first_and_the_footer_last_with_the_way_out_if_there_is_one(name: str) -> None:
    run = RUNS[name]
    text = render_comment(run, CONTEXT)
    assert text.startswith(markdown.render_report(RUNS[name]).splitlines()[0])
    assert footer(text).startswith("<sub>Commit `0123456789ab` against `origin/main` · [full report of this run]")
    assert text.rstrip().endswith("</sub>")
    assert text.count("<sub>Commit `0123456789ab` against") == 1
    # A blank line, or the footer would belong to whatever the report ends with.
    assert text[: text.rindex("\n<sub>Commit ")].endswith("\n")
    refused = run.override is not None and not run.override.counted
    helps = run.exit_code != 0 and not refused and run.kind != "setup"
    assert (WAY_OUT in text) is helps
    assert ("To merge anyway, the label `skip-prompt-diff` has to count" in footer(text)) is (
        run.exit_code != 0 and refused
    )
    if helps:
        assert f"{WAY_OUT} `skip-prompt-diff`. This comment will then show who set it." in footer(text)


def large() -> RunRecord:
    """More of everything hostile than fits."""
    run = hostile(tuple(attack * 5 for attack in ATTACKS))
    suite = run.suites[0]
    cases = [case.model_copy(update={"id": f"{case.id} {n}"}) for n in range(8) for case in suite.cases]
    return run.model_copy(update={"suites": [suite.model_copy(update={"cases": cases}), *run.suites[1:]]})


def test_it_fits_to_the_character() -> None:
    allowed, run = 9_000, RUNS["hostile"]
    frame = len(render_comment(RUNS["block"], CONTEXT)) - len(markdown.render_report(RUNS["block"]).rstrip()) - 1
    longest = len(markdown.render_report(run, limit=allowed))
    for limit in (longest + frame - 1, longest + frame):
        assert len(render_comment(run, CONTEXT, limit=limit)) <= limit


def test_a_hostile_run_stays_within_its_limit_and_its_words() -> None:
    limit = 30_000
    text = render_comment(large(), CONTEXT, limit=limit)
    assert len(text) <= limit
    assert "<!--" not in text
    assert "<script" not in html(text)
    assert "@octocat" not in running_text(text)
    assert [token.attrs["href"] for token in tokens(text) if token.type == "link_open"] == [RUN_URL]
    assert kinds(text)["image"] == 0
    assert html(text).count("<details>") == html(text).count("</details>")


def test_a_hostile_setting_stays_code() -> None:
    for attack in ATTACKS:
        context = CommentContext("a" * 40, f"origin/{attack}", "", attack)
        text = footer(render_comment(RUNS["block"], context))
        assert len(text.splitlines()) == 1
        assert kinds(text)["link_open"] == 0
        assert kinds(text)["code_inline"] == 4
        assert "<!--" not in text


def test_too_little_room_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="at least"):
        render_comment(RUNS["pass"], CONTEXT, limit=markdown.SHORTEST)


@pytest.mark.parametrize("setup", [True, False])
def test_no_label_helps_against_what_comes_before_it(setup: bool) -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    run = failed_record(GateError("label-scope: commit needs another event", "change it"), "a" * 40, at, setup=setup)
    text = render_comment(run, CONTEXT)
    assert (WAY_OUT in text) is not setup
    assert ("then run the gate again." in text) is setup


def test_sixty_slices_and_answers_of_ten_kilobytes_fit_and_keep_the_cases_that_carry_the_fall() -> None:
    made = asked(200, 60)
    samples = [
        replace(one, reply=replace(one.reply, text=f"{one.case_id} {one.arm} {one.index} " + "parcel " * 1_500))
        for one in answers(made)
        if isinstance(one.reply, Reply)
    ]
    record = record_of([made], table_of(samples))
    shown = render_comment(record, CONTEXT)
    assert len(shown) <= 65_536
    assert "cases that dropped in `lang=de`" in shown and shown.count("<details>\n<summary><b>") == 3
    assert shown.count("topic=t") > 50
    assert "Left out, to keep this short" not in shown
