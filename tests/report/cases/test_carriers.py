"""Which cases a report shows."""

from gate.record.comparison import Comparison, State, Verdict
from gate.record.run import CaseRecord, RunRecord
from gate.report.markdown import report as markdown
from gate.report.page import document
from gate.report.view.cases import CASES_SHOWN, explain_command, telling_cases, worst_case
from gate.report.view.text import Code, run_slices
from tests.golden import runs
from tests.golden.builders import case, comparison, output, run, suite

OVERALL = comparison("overall", State.NOISE, 40, 0.8, (-0.02, -0.1, 0.06))


def _fell(name: str, before: float = 1.0, after: float = 0.0, **slices: str) -> CaseRecord:
    question = f"{name} asks of its own"
    return case(name, slices, question, None, ([output(0, "a", before)], [output(0, "b", after)]))


def _slice(name: str, state: State = State.REGRESSION, upper: float = -0.1) -> Comparison:
    return comparison(name, state, 40, 0.8, (-0.3, -0.5, upper))


def _run(slices: list[Comparison], *found: CaseRecord) -> RunRecord:
    return run(Verdict.BLOCK, [suite(OVERALL, slices, list(found))], [])


def _ids(made: RunRecord) -> list[str]:
    return [one.full for one in telling_cases(made).cases]


def _head(made: RunRecord) -> str:
    return "".join(piece.text if isinstance(piece, Code) else piece for piece in telling_cases(made).head)


def test_a_regression_is_explained_by_its_own_cases_whatever_fell_elsewhere() -> None:
    others = [_fell(f"en-{n}", lang="en") for n in range(9)]
    mine = [_fell(f"de-{n}", after=0.6, lang="de") for n in range(5)]
    made = _run([_slice("lang=de")], *others, *mine)
    assert _ids(made) == ["de-0", "de-1", "de-2"]
    assert _head(made) == "3 of the 5 cases that carry the fall of lang=de"


def test_the_largest_falls_come_first() -> None:
    found = [_fell(f"de-{n}", after=0.1 * n, lang="de") for n in (3, 1, 2, 0)]
    assert _ids(_run([_slice("lang=de")], *found)) == ["de-0", "de-1", "de-2"]


def test_what_rose_or_stayed_explains_no_fall() -> None:
    made = _run([_slice("lang=de")], _fell("up", 0.0, 1.0, lang="de"), _fell("same", 1.0, 1.0, lang="de"))
    assert _ids(made) == []
    one = _run([_slice("lang=de")], _fell("down", lang="de"))
    assert (_ids(one), _head(one)) == (["down"], "The case that carries the fall of lang=de")


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
    assert _head(made).endswith("cases that carry the fall of lang=de, and 1 of another slice that fell")


def test_an_advisory_slice_is_not_what_the_cases_explain() -> None:
    wish = _slice("tone=a").model_copy(update={"blocking": False, "advisory": True})
    made = _run([wish, _slice("lang=de", upper=-0.01)], _fell("a", tone="a"), _fell("d", lang="de"))
    assert _ids(made) == ["d"]


def test_a_suspect_slice_has_its_cases_without_a_word_of_proof() -> None:
    made = _run([_slice("lang=de", State.SUSPECT, 0.01)], _fell("d", after=0.5, lang="de"), _fell("e", lang="en"))
    assert (_ids(made), _head(made)) == (["d"], "The case that fell in lang=de")


def test_where_nothing_is_in_doubt_the_largest_falls_of_all() -> None:
    made = _run([], *(_fell(f"c{n}", after=n / 10) for n in range(8)))
    assert (_ids(made), _head(made)) == (["c0", "c1", "c2"], "Cases that fell most")


def test_a_slice_of_one_suite_is_not_explained_by_another() -> None:
    first = suite(comparison("a/overall", State.NOISE, 9, 0.8, (0.0, -0.1, 0.1)), [], [_fell("x", lang="de")], name="a")
    fallen = comparison("b/lang=de", State.REGRESSION, 40, 0.8, (-0.3, -0.5, -0.1))
    second = suite(OVERALL.model_copy(update={"slice": "b/overall"}), [fallen], [_fell("y", lang="de")], name="b")
    assert _ids(run(Verdict.BLOCK, [first, second], [])) == ["b/y"]


def test_overall_is_explained_by_all_cases() -> None:
    made = run(Verdict.BLOCK, [suite(_slice("overall"), [], [_fell("a"), _fell("b", lang="de")])], [])
    assert _ids(made) == ["a", "b"]


def test_the_golden_run_counts_what_it_does_not_show() -> None:
    made = runs.carried()
    assert len(_ids(made)) == CASES_SHOWN and _head(made).startswith("3 of the 13 cases")
    assert len({"de-020", "de-021"} & set(_ids(made))) == 1


def test_beside_a_new_suite_a_case_has_one_name_everywhere() -> None:
    fallen = run(Verdict.BLOCK, [suite(_slice("overall"), [], [_fell("a")])], [])
    assert (_ids(fallen), worst_case(fallen)) == (["a"], ("support", "a"))
    beside = fallen.model_copy(update={"new": runs.new_beside().new})
    assert (_ids(beside), worst_case(beside)) == (["support/a"], ("support", "a"))
    assert explain_command(beside, "last") == "gate explain last support/a"
    assert [named.full for named in run_slices(beside)] == ["support/overall"]
    assert "support/a" in markdown.render_report(beside) and "support/a" in document.render_page(beside)
