"""The report as Markdown."""

import re

import pytest

from gate.record.comparison import State, Verdict
from gate.record.findings.unfinished import EvaluationFailed
from gate.record.run import RunRecord
from gate.report.markdown.report import SHORTEST, render_report
from tests.golden import runs
from tests.golden.builders import case, comparison, output, run, suite
from tests.golden.hostile import ATTACKS, hostile
from tests.golden.regenerate import HERE
from tests.report.reading import kinds, tokens


def _large(slices: int, answer: str, suites: int = 1) -> RunRecord:
    rows = []
    for n in range(slices):
        state = State.REGRESSION if n % 7 == 0 else State.NOISE
        rows.append(comparison(f"topic={n:04}", state, 40, 0.9, (-0.2, -0.3, -0.1), familiar_fail=False))
    found = [
        case(f"case-{n}", {}, answer, answer, ([output(0, answer, 1.0)], [output(0, answer, n / 10)])) for n in range(5)
    ]
    overall = comparison("overall", State.REGRESSION, 40, 0.9, (-0.2, -0.3, -0.1))
    made = [suite(overall, rows, found, name=f"suite-{n}") for n in range(suites)]
    return run(Verdict.BLOCK, made)


def _whole(text: str) -> None:
    """No fence swallows the end of a fold, and no row stands outside its table."""
    found = tokens(text)
    raw = "".join(token.content for token in found if token.type in ("html_block", "html_inline"))
    assert raw.count("<details>") == raw.count("</details>") == text.count("\n<details>\n<summary>")
    assert not any(token.content.startswith("|") for token in found if token.type == "inline")


def test_a_report_is_whole_and_its_first_line_is_the_verdict_with_the_numbers_of_the_table() -> None:
    for name, made in runs.runs().items():
        text = (HERE / f"{name}.md").read_text(encoding="utf-8")  # `test_golden.py::test_runs` compares it
        first, rest = text.split("\n", 1)
        assert re.match(rf"## \S+ Prompt Gate: {made.verdict}(, [^:]+)?: \S", first), name
        assert ("," in first.partition(": ")[2].partition(":")[0]) is bool(made.waived), name
        for numbers in re.findall(r"\[[−+]\d\.\d+, [−+]\d\.\d+\]", first):
            assert numbers in rest.replace("\N{NO-BREAK SPACE}", " "), name
        _whole(text)


def test_hostile_text_brings_no_tokens_of_its_own() -> None:
    bad, good = (
        kinds(render_report(hostile())),
        kinds(render_report(hostile(tuple(f"x{number:06}" for number, _ in enumerate(ATTACKS))))),
    )
    for kind in set(bad) | set(good) - {"text"}:
        if kind not in {"text", "softbreak"}:
            assert bad[kind] == good[kind], kind
    assert bad["image"] == bad["link_open"] == 0


@pytest.mark.parametrize(
    ("made", "limit", "out"),
    [
        (_large(10, "word " * 3_000), 6_000, "the answers of 3 cases"),
        (_large(10, "word " * 30), 4_300, "the answers of 3 cases"),
        (_large(150, "word"), SHORTEST, "slices"),
        (_large(8, "word", suites=10), 15_000, "how the verdict was decided"),
        (_large(8, "word", suites=10), 5_500, "the tables of"),
        (hostile(), SHORTEST, "how the verdict was decided"),
    ],
)
def test_a_limit_is_kept_by_whole_parts(made: RunRecord, limit: int, out: str) -> None:
    text = render_report(made, limit=limit)
    assert len(text) <= limit
    _whole(text)
    assert out in text[text.rindex("Left out, to keep this short") :]
    assert text.startswith("## 🔴 Prompt Gate: BLOCK: ")


@pytest.mark.parametrize("name", runs.runs())
def test_whatever_the_limit_a_report_is_whole_and_begins_with_its_verdict(name: str) -> None:
    made = runs.runs()[name]
    first = render_report(made).split("\n", 1)[0]
    for limit in (SHORTEST, 5_000, 7_000, 10_000, 15_000, 65_536, 250_000):
        text = render_report(made, limit=limit)
        assert len(text) <= limit and text.split("\n", 1)[0] == first
        _whole(text)
        assert ("Left out, to keep this short" in text) == (text != render_report(made, limit=10_000_000))


def test_no_line_of_a_fold_that_is_html_has_marks_of_markdown() -> None:
    for name in runs.runs():
        for line in (HERE / f"{name}.md").read_text(encoding="utf-8").splitlines():
            assert not line.startswith("<summary>") or "\\" not in line, f"{name}: {line}"


def test_suites_in_which_nothing_moved_go_before_the_cases_that_explain_the_verdict() -> None:
    made = runs.several_suites()
    still, moved = made.suites
    others = [still.model_copy(update={"name": f"area-{n:03}"}) for n in range(50)]
    text = render_report(made.model_copy(update={"suites": [*others, moved]}))
    assert "<summary>29 suites without a shown change</summary>" in text
    assert "<summary><b>triage/de-017</b>" in text and "- **triage: candidate**" in text
    assert "- **area-099: candidate**" not in text
    assert text.rstrip().endswith("the tables of 21 suites. run.json has everything.</sub>")


def test_a_limit_too_small_for_a_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 4096"):
        render_report(runs.block(), limit=SHORTEST - 1)


def test_the_shortest_report_is_enough_whatever_a_name_holds() -> None:
    worst = "|@a" * 500
    made = hostile(tuple(worst for _ in ATTACKS))
    findings = [EvaluationFailed(message=worst, hint=worst)]
    stopped = made.model_copy(update={"verdict": Verdict.INCONCLUSIVE, "findings": findings})
    assert len(render_report(made, limit=SHORTEST)) <= SHORTEST
    assert len(render_report(stopped, limit=SHORTEST)) <= SHORTEST
