"""How the verdict was reached, and what to do next."""

import shlex

import pytest

from gate.record.comparison import Verdict
from gate.record.run import RunRecord
from gate.record.usage import FREE, UNPRICED, UNTOLD
from gate.report.markdown.report import LEVELS, fold_view, render_report
from gate.report.view.advice import compare_command, draft_command, next_steps
from gate.report.view.calls import spending_text
from gate.report.view.report import facts, report_view, usage_rows
from gate.report.view.text import Code, NamedSlice, Text
from tests.golden import runs


def _said(text: Text) -> str:
    return "".join(piece.text if isinstance(piece, Code) else piece for piece in text)


def _facts(run: RunRecord) -> dict[str, str]:
    return {fact.label: _said(fact.text) for fact in facts(run)}


def test_method_promise_and_exam() -> None:
    found = _facts(runs.block())
    assert found["Method"] == "joint sign-flip test (maxt) of 6 slices together with 4,999 sign flips, overall included"
    assert "at most 2.5 %, all slices taken together" in found["False blocks"]
    assert found["Margin"].startswith("none")
    assert found["Seed"] == "8417720911"
    assert found["exam"] == (
        "120 cases at origin/main, digest 77aa10b4c2de, 3 samples per case and arm, scored by contains, judge"
    )
    assert found["exam changes"] == "added 2 (de-101, de-102); edited 1 (en-009)"
    assert "answered by gpt-4o-mini-2024-07-18" in found["baseline"]
    assert found["Calls"] == "1,080 made, 0 from a cache, 3 sent again, 0 failed"
    assert found["Spent"] == "$0.087 in 42.3 s"
    assert found["Exit code"] == "1 (fail_on: block)"


def test_the_familiar_rule_promises_less() -> None:
    found = _facts(runs.percentile())
    assert found["Method"].startswith("percentile bootstrap")
    assert "not for several slices together" in found["False blocks"]


def test_missing_samples_and_the_verdicts_they_could_have_given() -> None:
    found = _facts(runs.inconclusive())
    assert found["Missing"].startswith("31 of 720 samples: HTTP 503")
    assert found["What they could change"] == "best for the candidate: PASS; worst: BLOCK"
    assert found["Spent"].startswith("unknown: at least one model has no known price")


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (("the agent does not tell its cost (cost_usd)", FREE), "the agent does not tell its cost (cost_usd)"),
        ((UNPRICED, UNPRICED), UNPRICED),
        ((UNPRICED, UNTOLD), f"{UNPRICED}; {UNTOLD}"),
    ],
)
def test_why_dollars_are_not_known_is_told_as_each_suite_has_it(notes: tuple[str, str], told: str) -> None:
    made = runs.passed()
    update = {"spent_usd": None}
    suites = [made.suites[0].model_copy(update=update | {"name": note[:5], "cost_note": note}) for note in notes]
    assert _facts(made.model_copy(update=update | {"suites": suites}))["Spent"] == f"unknown: {told}; took 42.3 s"


def test_reasons_that_are_not_shown_are_counted() -> None:
    made = runs.inconclusive()
    made = made.model_copy(update={"reasons": [made.reasons[0], *(f"Reason {n}." for n in range(30))]})
    assert _facts(made)["Reasons"] == "and 11 more; the record of the run has them all"


def test_the_step_after_missing_samples_says_what_failed() -> None:
    [step] = next_steps(runs.inconclusive())
    assert "HTTP 503 from api.example.com after 5 requests (29 samples)" in _said(step)


def test_a_local_model_costs_nothing_that_can_be_named() -> None:
    assert _facts(runs.local_model())["Spent"] == "n/a; took 42.3 s"


def test_tokens_of_each_kind_are_kept_apart() -> None:
    baseline, candidate = usage_rows(runs.block())
    assert baseline.tokens == ("81,240", "20,480", "0", "18,204")
    assert candidate.tokens == ("84,910", "20,480", "1,024", "18,611")
    assert (baseline.cost, baseline.p50, baseline.p95) == ("$0.000061", "640 ms", "1.3 s")
    assert [row.arm for row in usage_rows(runs.several_suites())][2:] == ["triage: baseline", "triage: candidate"]


def test_git_mode_compares_the_working_tree_again() -> None:
    assert compare_command(runs.block()) == "gate diff --base origin/main"


def test_file_mode_repeats_its_options_quoted() -> None:
    assert compare_command(runs.too_few()) == (
        "gate diff 'old prompt.md' new.md --cases evals/support/cases.jsonl "
        "--model openai:gpt-4o-mini --scorer contains --samples 3"
    )


@pytest.mark.parametrize("made", [runs.ship(), runs.passed()], ids=["ship", "pass"])
def test_nothing_to_run_again_when_all_is_well(made: RunRecord) -> None:
    assert compare_command(made) == ""
    assert _said(next_steps(made)[0]).startswith("Merge")


def test_a_block_sends_the_reader_to_the_cases() -> None:
    assert Code("lang=de") in next_steps(runs.block())[0]


def test_a_hold_says_how_to_settle_it() -> None:
    said = [_said(step) for step in next_steps(runs.hold_suspect())]
    assert said[1] == (
        "About 5 more cases in lang=de would tell whether its fall of 0.102 is real; gate generate prompts/support.md "
        "--model openai:gpt-4o-mini --instructions 'tests=Only cases of lang=de' can draft them."
    )
    assert said[-1] == "The run fails because fail_on is hold."
    assert "max_cost_increase" in _said(next_steps(runs.hold_cost())[0])


def test_every_verdict_has_a_next_step() -> None:
    assert {made.verdict for made in runs.runs().values()} == set(Verdict)
    assert all(next_steps(made) for made in runs.runs().values())


def test_reasons_are_repeated_only_where_first_line_and_table_do_not_say_them() -> None:
    assert report_view(runs.block()).notes == ()
    assert report_view(runs.hold_cost()).notes == ()
    assert report_view(runs.passed()).notes == ()
    assert len(report_view(runs.inconclusive()).notes) == 1


def _renamed(baseline: str, candidate: str) -> RunRecord:
    run = runs.block()
    suite = run.suites[0]
    arms = {
        "baseline": suite.baseline.model_copy(update={"ref": baseline, "sha": "b" * 40}),
        "candidate": suite.candidate.model_copy(update={"ref": candidate, "sha": "c" * 40}),
    }
    return run.model_copy(update={"suites": [suite.model_copy(update=arms)]})


@pytest.mark.parametrize(
    ("candidate", "head"),
    [
        ("feature", " --head feature"),
        ("refs/pull/7/merge", ""),
        ("the merge group", f" --head {'c' * 40}"),
    ],
)
def test_a_command_names_only_what_git_can_find(candidate: str, head: str) -> None:
    assert compare_command(_renamed("origin/main", candidate)) == f"gate diff --base origin/main{head}"
    assert compare_command(_renamed("the old side", candidate)) == f"gate diff --base {'b' * 40}{head}"


def test_nothing_is_spent_where_nothing_was_asked() -> None:
    run = runs.inconclusive()
    calls = run.calls.model_copy(update={"made": 0})
    assert _facts(run.model_copy(update={"calls": calls}))["Spent"].startswith("nothing in ")


def test_a_mistake_of_the_merge_target_asks_for_no_push() -> None:
    said = [_said(step) for step in next_steps(runs.runs()["mistakes"])]
    assert said == [
        "If this change mends that, merge it as is said above. If not, mend the merge target, then run again."
    ]


def test_what_helps_is_the_next_step_and_is_said_once() -> None:
    made = runs.runs()["no-key"]
    assert [_said(step) for step in next_steps(made)] == ["export OPENAI_API_KEY=…, then run the gate again."]
    assert render_report(made).count("export") == 1
    setup = runs.runs()["setup"]
    assert "set label-scope: pull-request in the workflow, then run" in _said(next_steps(setup)[0])


@pytest.mark.parametrize("name", ["pass", "ship", "hold-cost"])
def test_orders_that_changed_and_that_no_scorer_reads_come_first(name: str) -> None:
    made = runs.runs()[name]
    assert "no score" not in _said(next_steps(made)[0])
    note = "prompts/a.md: no scorer reads 1 order that changed, so the verdict says nothing of it: gone “Be kind.”"
    said = [_said(step) for step in next_steps(made.model_copy(update={"notes": [note]}))]
    assert said[0].startswith("Judge the changed orders named above yourself: no scorer reads them")
    if made.verdict is not Verdict.HOLD:
        assert "nothing that is scored is shown to be worse" in said[1]


def test_a_required_slice_without_cases_asks_for_cases() -> None:
    said = [_said(step) for step in next_steps(runs.runs()["required"])]
    assert said[0].startswith("Add at least 23 more cases to tier=enterprise; gate generate prompts/support.md ")


def test_a_pass_names_a_slice_that_few_cases_would_settle_and_no_other() -> None:
    said = [_said(step) for step in next_steps(runs.runs()["pass-lower"])]
    assert said[1].startswith("About 37 more cases in lang=de would tell whether its fall of 0.072 is real; ")
    assert len(next_steps(runs.passed())) == 1


def _drafted(local: str = "lang=de", **arm: str) -> str:
    run = runs.block()
    candidate = run.suites[0].candidate.model_copy(update=arm)
    suite = run.suites[0].model_copy(update={"candidate": candidate})
    record = suite.quality.overall.model_copy(update={"slice": local})
    return _said(draft_command(suite, NamedSlice("", local, record)))


def test_what_is_drafted_is_told_only_where_the_command_would_work() -> None:
    assert _drafted("overall") == "; gate generate prompts/support.md --model openai:gpt-4o-mini can draft them"
    assert "--instructions" not in _drafted("length=short")
    bare = "; gate generate can draft them"
    assert _drafted(model="local:gemma3-270m") == bare
    assert _drafted(path="prompts.py:support") == bare
    assert _drafted(path="--evaluate.md") == bare
    assert _drafted("lang=" + "x" * 300) == bare
    assert _drafted("lang=a\nb") == bare


def test_a_slices_name_is_one_word_of_a_command() -> None:
    text = _drafted("lang=de; rm -rf $HOME 'x'").removeprefix("; ").removesuffix(" can draft them")
    assert shlex.split(text)[-1] == "tests=Only cases of lang=de; rm -rf $HOME 'x'"


def test_what_a_run_took_is_told_with_what_known_answers_saved() -> None:
    assert _said(spending_text(runs.block())) == "This run took 1,080 calls, $0.087 and 42.3 s."
    assert _said(spending_text(runs.local_model())) == "This run took 1,080 calls and 42.3 s."
    assert _said(spending_text(runs.inconclusive())).startswith(
        "This run took 1,080 calls and 42.3 s; its price is unknown: "
    )
    told = _said(spending_text(runs.runs()["reused"]))
    assert told.endswith("; 330 known answers saved as many calls and about $0.020.")
    assert spending_text(runs.runs()["skipped"]) == ()


def test_a_comma_stands_only_where_a_slice_follows() -> None:
    small = runs.too_few()
    large = small.suites[0].quality.overall.model_copy(update={"n": 40, "units": 40})
    quality = small.suites[0].quality.model_copy(update={"overall": large})
    made = small.model_copy(update={"suites": [small.suites[0].model_copy(update={"quality": quality})]})
    said = [_said(step) for step in next_steps(made) if "harder" in _said(step)]
    assert said and not any(",;" in one or ",." in one for one in said)


def test_nobody_is_sent_to_cases_that_the_report_has_not() -> None:
    run = runs.block()
    assert _said(next_steps(run)[0]).startswith("Read the cases above, mend the prompt")
    bare = run.model_copy(update={"suites": [run.suites[0].model_copy(update={"cases": []})]})
    assert _said(next_steps(bare)[0]).startswith("Mend the prompt or the model settings for lang=de")
    suspect = runs.hold_suspect()
    assert _said(next_steps(suspect)[0]).startswith("Read the cases above, then decide: ")
    bare = suspect.model_copy(update={"suites": [suspect.suites[0].model_copy(update={"cases": []})]})
    assert _said(next_steps(bare)[0]).startswith("Decide: ")
    folded = fold_view(report_view(run), next(level for level in LEVELS if not level.cases))
    assert not folded.cases and _said(folded.steps[0]).startswith("Read the cases in the whole report, mend")
