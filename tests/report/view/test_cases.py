"""Which cases a report shows."""

from gate.record.comparison import Comparison, State, Verdict
from gate.record.findings.finding import Code
from gate.record.run import CaseRecord, RunRecord
from gate.report.markdown import report as markdown
from gate.report.markdown.report import render_report
from gate.report.page import document
from gate.report.slices import run_slices
from gate.report.view.cases import case_views, explain_command, telling_cases, worst_case
from tests.golden import runs
from tests.golden.builders import case, comparison, output, run, suite

OVERALL = comparison("overall", State.NOISE, 40, 0.8, (-0.02, -0.1, 0.06))


def _fell(name: str, before: float = 1.0, after: float = 0.0, **slices: str) -> CaseRecord:
    question = f"{name} asks of its own"
    return case(name, slices, question, None, ([output(0, "a", before)], [output(0, "b", after)]))


def _slice(name: str, state: State = State.REGRESSION, upper: float = -0.1) -> Comparison:
    return comparison(name, state, 40, 0.8, (-0.3, -0.5, upper))


def _run(slices: list[Comparison], *found: CaseRecord) -> RunRecord:
    return run(Verdict.BLOCK, [suite(OVERALL, slices, list(found))])


def _ids(made: RunRecord) -> list[str]:
    return [one.full for one in telling_cases(made).cases]


def _head(made: RunRecord) -> str:
    return "".join(piece.text if isinstance(piece, Code) else piece for piece in telling_cases(made).head)


def test_a_regression_is_explained_by_its_own_cases_whatever_fell_elsewhere() -> None:
    others = [_fell(f"en-{n}", lang="en") for n in range(9)]
    mine = [_fell(f"de-{n}", after=0.6, lang="de") for n in range(5)]
    made = _run([_slice("lang=de")], *others, *mine)
    assert _ids(made) == ["de-0", "de-1", "de-2"]
    assert _head(made) == "3 of the 5 cases that dropped in lang=de"


def test_variants_of_one_source_and_nearly_the_same_question_are_shown_once() -> None:
    variants = [_fell(f"a{n}", lang="de").model_copy(update={"cluster": "one"}) for n in range(4)]
    again = [
        _fell(f"b{n}", lang="de").model_copy(
            update={"input": f"Where is my parcel, and when will it come, number {n}?"}
        )
        for n in range(4)
    ]
    made = _run([_slice("lang=de")], *variants, *again, _fell("c", lang="de"))
    assert _ids(made) == ["a0", "b0", "c"]
    assert _head(made).startswith("3 of the 9 cases")


def test_among_equals_further_slices_that_fell_and_then_values_not_seen_yet() -> None:
    found = [_fell(f"d{n}", lang="de", topic=topic) for n, topic in enumerate(["film", "film", "tax", "hotel"])]
    assert _ids(_run([_slice("lang=de")], *found)) == ["d0", "d2", "d3"]
    assert _ids(_run([_slice("lang=de"), _slice("topic=hotel", upper=-0.05)], *found))[0] == "d3"


def test_a_case_without_its_answers_comes_last() -> None:
    silent = _fell("a", lang="de").model_copy(update={"baseline_outputs": [], "candidate_outputs": []})
    assert _ids(_run([_slice("lang=de")], silent, _fell("b", after=0.9, lang="de"))) == ["b", "a"]


def test_each_further_slice_that_fell_has_a_case_of_its_own() -> None:
    mine = [_fell(f"de-{n}", lang="de", topic="tax") for n in range(4)]
    other = [_fell(f"en-{n}", after=0.5, lang="en", topic="film") for n in range(4)]
    made = _run([_slice("lang=de"), _slice("topic=film", upper=-0.05)], *mine, *other)
    assert _ids(made) == ["de-0", "de-1", "de-2", "en-0"]
    assert _head(made).endswith("cases that dropped in lang=de, and 1 in another regression")


def test_a_slice_of_one_suite_is_not_explained_by_another() -> None:
    first = suite(comparison("a/overall", State.NOISE, 9, 0.8, (0.0, -0.1, 0.1)), [], [_fell("x", lang="de")], name="a")
    fallen = comparison("b/lang=de", State.REGRESSION, 40, 0.8, (-0.3, -0.5, -0.1))
    second = suite(OVERALL.model_copy(update={"slice": "b/overall"}), [fallen], [_fell("y", lang="de")], name="b")
    assert _ids(run(Verdict.BLOCK, [first, second])) == ["b/y"]


def test_beside_a_new_suite_a_case_has_one_name_everywhere() -> None:
    fallen = run(Verdict.BLOCK, [suite(_slice("overall"), [], [_fell("a")])])
    assert (_ids(fallen), worst_case(fallen)) == (["a"], ("support", "a"))
    beside = fallen.model_copy(update={"new": runs.new_beside().new})
    assert (_ids(beside), worst_case(beside)) == (["support/a"], ("support", "a"))
    assert explain_command(beside, "last") == "gate explain last support/a"
    assert [named.full for named in run_slices(beside)] == ["support/overall"]
    assert "support/a" in markdown.render_report(beside) and "support/a" in document.render_page(beside)


def _judged_by(count: int) -> CaseRecord:
    reasons = [f"scorer-{n:02}: because of {n}" for n in range(count)]
    return case("many", {}, "?", None, ([output(0, "a", 1.0)], [output(0, "b", 0.0, *reasons)]))


def test_reasons_beyond_a_handful_are_folded_and_none_is_lost() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.2, -0.3, -0.1))
    made = run(Verdict.BLOCK, [suite(overall, [], [_judged_by(8)])])
    ((answer,),) = (one.candidate for one in case_views(made))
    assert [len(answer.reasons), len(answer.folded)] == [5, 3]
    text = render_report(made)
    assert "<summary>3 more of the candidate, from scorers that scored as high or higher</summary>" in text
    assert all(f"scorer-{n:02}: because of {n}" in text for n in range(8))
    assert text.index("scorer-04") < text.index("<summary>3 more of the candidate") < text.index("scorer-05")


def test_a_report_that_is_too_long_counts_the_reasons_that_it_leaves_out() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.2, -0.3, -0.1))
    made = run(Verdict.BLOCK, [suite(overall, [], [_judged_by(300)])])
    text = render_report(made, limit=10_000)
    assert "scorer-04" in text and "scorer-05" not in text
    assert "- candidate: and 295 more, from scorers that scored as high or higher; run.json has them" in text
