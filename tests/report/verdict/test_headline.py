"""The first lines of a report."""

from gate.record.comparison import State, Verdict
from gate.record.run import MissingRecord, RunRecord
from gate.report.view.comparisons import axes_rows
from gate.report.view.headline import headline, summary_sentence
from gate.report.view.report import report_view
from gate.report.view.text import Code, Text
from tests.golden import runs
from tests.golden.builders import comparison, cost, latency, run, suite


def _said(text: Text) -> str:
    return "".join(piece.text if isinstance(piece, Code) else piece for piece in text)


def _one(verdict: Verdict, *rows: tuple[str, State, float]) -> RunRecord:
    made = [comparison(name, state, 40, 0.8, (mean, mean - 0.1, mean + 0.1)) for name, state, mean in rows]
    return run(verdict, [suite(made[0], made[1:], [])], ["A reason."])


def test_a_block_names_the_surest_fall() -> None:
    made = _one(
        Verdict.BLOCK,
        ("overall", State.NOISE, 0.0),
        ("a=1", State.REGRESSION, -0.2),
        ("a=2", State.REGRESSION, -0.3),
        ("a=3", State.TOO_FEW, -0.9),
    )
    assert _said(headline(made)) == "a=2 fell by 0.300, from 0.800 to 0.500"
    assert Code("a=2") in headline(made)


def test_a_block_without_a_regression_gives_its_reason() -> None:
    assert _said(headline(_one(Verdict.BLOCK, ("overall", State.NOISE, 0.0)))) == "A reason"


def test_an_advisory_slice_is_never_in_the_first_line_of_a_block() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.1, -0.15, -0.05))
    tone = comparison("tone=a", State.REGRESSION, 40, 0.8, (-0.5, -0.6, -0.4), advisory=True, blocking=False)
    assert _said(headline(run(Verdict.BLOCK, [suite(overall, [tone], [])], []))).startswith(
        "overall quality fell by 0.100"
    )


def test_a_pass_names_the_worst_slice() -> None:
    made = _one(Verdict.PASS, ("overall", State.NOISE, 0.0), ("a=1", State.NOISE, -0.02))
    assert _said(headline(made)) == "nothing is shown to have changed; worst slice a=1 −0.020 [−0.120, +0.080]"


def test_a_ship_says_overall_once() -> None:
    assert _said(headline(runs.ship())) == "overall quality rose by 0.118, from 0.742 to 0.860"


def test_a_hold_says_what_is_in_doubt() -> None:
    assert _said(headline(runs.hold_suspect())) == "lang=de may have fallen: −0.102 [−0.210, +0.006]"
    assert _said(headline(runs.hold_cost())).startswith("cost rose by 31 % [+24 %, +38 %], allowed +10 %")
    assert _said(headline(runs.too_few())).startswith("too few cases to decide; worst slice lang=en −0.250 [−∞, +∞]")


def test_missing_samples_come_first_when_they_could_change_the_verdict() -> None:
    # The only suite's `overall` is no slice: its row and its sentence stand right below.
    assert _said(headline(runs.inconclusive())) == "31 of 720 samples have no score, and they could change the verdict"


def test_where_nothing_has_a_score_the_cause_is_said_once_and_no_verdict_is_guessed() -> None:
    cause = "HTTP 401 from api.example.com: no such key"
    reasons = ["360 of 360 samples have no score, and they could change the verdict: PASS or BLOCK.", f"360 × {cause}"]
    missing = MissingRecord(samples=360, total=360, best=Verdict.PASS, worst=Verdict.BLOCK, reasons=reasons[1:])
    made = runs.inconclusive().model_copy(update={"reasons": reasons, "missing": missing})
    assert _said(headline(made)) == f"not one of 360 samples has a score: {cause}"
    shown = report_view(made)
    assert shown.notes == () and shown.steps == (("Mend what made the samples fail, and compare again.",),)
    missing = missing.model_copy(update={"reasons": [f"350 × {cause}", "10 × time-out"]})
    made = runs.inconclusive().model_copy(update={"reasons": reasons, "missing": missing})
    assert _said(headline(made)) == "not one of 360 samples has a score"
    assert report_view(made).steps == (
        (f"Mend what made the samples fail, and compare again: 350 × {cause}; 10 × time-out.",),
    )


def test_one_slice_is_not_counted() -> None:
    assert "; the one slice, lang=de, shows no change." in _said(summary_sentence(runs.inconclusive()))


def test_what_rose_beyond_its_allowance_is_said_by_its_axis_alone() -> None:
    notes = report_view(runs.hold_cache()).notes
    assert len(notes) == 1 and "cacheable prefix" in _said(notes[0] if isinstance(notes[0], tuple) else (notes[0],))
    assert "above the allowed +20 %" in report_view(runs.hold_cache()).axes[0].latency


def test_a_budget_that_ended_the_run_is_not_foretold() -> None:
    notes = report_view(runs.unfinished()).notes
    assert "budget.max_calls is 500, and this run needs 800 calls (220 more are known already)." in notes
    assert not any("will end" in str(note) for note in notes)


def test_a_fall_without_bounds_is_not_called_unchanged() -> None:
    words = {row.name: row.words for row in report_view(runs.block()).tables[0].rows}
    assert words["tier=enterprise"] == "too few moved" and words["lang=en"] == "no change shown"


def test_an_evaluation_that_stopped_says_why() -> None:
    made = run(Verdict.INCONCLUSIVE, [], ["The evaluation was not finished: the budget of $5 is spent."])
    assert _said(headline(made)) == "The evaluation was not finished: the budget of $5 is spent"
    assert summary_sentence(made) == ()


def test_the_sentence_counts_every_slice_once() -> None:
    made = _one(
        Verdict.BLOCK,
        ("overall", State.REGRESSION, -0.2),
        *((f"a={n}", State.REGRESSION, -0.2 - n / 100) for n in range(5)),
        ("b=1", State.SUSPECT, -0.09),
        ("b=2", State.IMPROVEMENT, 0.2),
        ("b=3", State.NOISE, 0.0),
        ("b=4", State.TOO_FEW, 0.0),
    )
    assert _said(summary_sentence(made)) == (
        "Overall quality fell by 0.200; of 9 slices, 5 fell (a=4, a=3, a=2 and 2 more), 1 may have fallen (b=1), "
        "1 rose (b=2), 1 shows no change and 1 is too small to say."
    )


def test_the_sentence_says_what_could_not_be_seen() -> None:
    assert _said(summary_sentence(runs.passed())).endswith(
        "An overall fall smaller than about 0.074 could have gone unnoticed."
    )


def _suites(*found: tuple[str, State, float | None]) -> RunRecord:
    made = [
        suite(comparison(f"{name}/overall", state, 40, 0.8, (0.0, -0.1, 0.1), mde=mde), [], [], name=name)
        for name, state, mde in found
    ]
    return run(Verdict.BLOCK, made, ["A reason."])


def test_of_several_suites_it_says_in_which() -> None:
    fell, unknown = ("fell", State.REGRESSION, 0.3), ("unknown", State.NOISE, None)
    assert _said(summary_sentence(_suites(fell, ("quiet", State.NOISE, 0.09), unknown))).endswith(
        ". In quiet an overall fall smaller than about 0.090 could have gone unnoticed."
    )
    several = [(name, State.NOISE, mde) for name, mde in zip("abcde", (0.05, 0.2, 0.1, 0.04, 0.01), strict=True)]
    assert _said(summary_sentence(_suites(*several[:2]))).endswith(
        ". Overall falls smaller than about these could have gone unnoticed: 0.200 in b, 0.050 in a."
    )
    assert _said(summary_sentence(_suites(*several))).endswith(
        ". Overall falls of up to about 0.200 could have gone unnoticed in 5 suites."
    )
    assert "unnoticed" not in _said(summary_sentence(_suites(fell, unknown)))


def test_an_exam_without_slices() -> None:
    made = _one(Verdict.BLOCK, ("overall", State.REGRESSION, -0.2))
    assert _said(summary_sentence(made)) == "Overall quality fell by 0.200; the exam has no slices."


def test_several_suites_use_full_names() -> None:
    made = runs.several_suites()
    assert Code("triage/topic=billing") in headline(made)
    assert _said(summary_sentence(made)).startswith(
        "Of 5 slices in 2 suites, 2 fell (triage/topic=billing, triage/overall)"
    )
    assert [line.suite for line in axes_rows(made)] == ["support", "triage"]


def test_the_three_axes() -> None:
    overall = comparison("overall", State.NOISE, 40, 0.8, (-0.061, -0.092, -0.029))
    made = suite(overall, [], [], cost=cost((0.31, 0.24, None), exceeded=True))
    (line,) = axes_rows(run(Verdict.HOLD, [made], []))
    assert line.quality == "−0.061 [−0.092, −0.029]"
    assert line.cost == "+31 % [+24 %, +∞], above the allowed +10 %"
    assert line.latency == "+4.2 % [−1.3 %, +10 %], p95 +90 ms"


def test_axes_that_were_not_compared_or_do_not_exist() -> None:
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    made = suite(
        overall,
        [],
        [],
        cost=cost(None, applicable=False),
        latency=latency(None, reason="no times were measured"),
    )
    (line,) = axes_rows(run(Verdict.PASS, [made], []))
    assert line.cost == "n/a (local model)"
    assert line.latency == "not compared: no times were measured"


def test_where_nothing_moved_it_is_told_how_sure_that_is() -> None:
    assert _said(summary_sentence(runs.runs()["pass-unmoved"])).endswith(
        "Where not one of 48 moves, up to 7.4 % of such cases still may (97.5 % sure)."
    )


def test_what_could_not_be_decided_says_so_before_anything_else() -> None:
    assert _said(report_view(runs.runs()["stopped"]).lead).startswith(
        "This says neither that the prompt got worse nor that"
    )
    assert _said(report_view(runs.runs()["setup"]).lead).startswith("Nothing was evaluated")


def test_only_what_asks_for_something_is_an_alert() -> None:
    found = {name: report_view(made).alert for name, made in runs.runs().items()}
    assert (found["block"], found["advisory"], found["hold-cost"]) == ("CAUTION", "WARNING", "WARNING")
    assert found["pass"] == found["ship"] == found["skipped"] == ""
