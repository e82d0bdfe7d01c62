"""The difference of prompts: no line is lost, words are marked, and a cache ends where the record says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.comparison import PrefixEnd
from gate.record.parts import PromptTextRecord
from gate.record.run import CaseRecord, RunRecord
from gate.report.explain import AnswerPairView, case_side_by_side, sparing_marks
from gate.report.page import document
from gate.report.page.document import PromptView, TextDiff, prompt_views
from tests.golden.builders import cache, output
from tests.golden.runs import runs

TEXT = st.text(alphabet="ab \n{}é", max_size=200)


def said(*texts: str, kind: str = "message") -> list[PromptTextRecord]:
    return [PromptTextRecord.model_validate({"kind": kind, "name": "system", "text": text}) for text in texts]


def run_of(before: list[PromptTextRecord], after: list[PromptTextRecord], **other: object) -> RunRecord:
    run = runs()["hold-cache"]
    suite = run.suites[0]
    arms = {
        "baseline": suite.baseline.model_copy(update={"prompt": before}),
        "candidate": suite.candidate.model_copy(update={"prompt": after}),
    }
    return run.model_copy(update={"suites": [suite.model_copy(update={**arms, "cache": None, **other})]})


def view_of(before: str, after: str, **other: object) -> PromptView:
    (found,) = prompt_views(run_of(said(before), said(after), **other))
    return found


def sides(text: TextDiff) -> tuple[list[str], list[str]]:
    lines = [line for stretch in text.stretches for line in stretch.lines]
    return tuple(
        ["".join(piece.text for piece in line.pieces) for line in lines if line.kind in ("same", kind)]
        for kind in ("gone", "new")
    )


@given(TEXT, TEXT)
def test_both_texts_can_be_read_from_the_difference(before: str, after: str) -> None:
    found = view_of(before, after)
    if before == after:
        assert (found.texts, found.same) == ((), 1)
        return
    assert sides(found.texts[0]) == (before.splitlines(), after.splitlines())


def test_words_are_marked_where_a_line_changed_and_unchanged_lines_are_folded() -> None:
    lines = [f"Rule {number} stands." for number in range(30)]
    changed = [*lines[:15], "Rule 15 stands no more.", *lines[16:]]
    (text,) = view_of("\n".join(lines), "\n".join(changed)).texts
    marked = [piece.text for s in text.stretches for line in s.lines for piece in line.pieces if piece.differs]
    assert marked == [" no more"]
    assert [(one.folded, one.count) for one in text.stretches] == [(True, 12), (False, 8), (True, 11)]
    assert text.words == "1 line out, 1 line in"


def test_a_cache_ends_in_the_line_that_the_record_names_of_the_arm() -> None:
    caching = cache()
    place = PrefixEnd(message=1, line=2, variable="date")
    ends = caching.model_copy(
        update={
            "baseline": caching.baseline.model_copy(update={"place": place.model_copy(update={"line": 3})}),
            "candidate": caching.candidate.model_copy(update={"place": place}),
        }
    )
    (text,) = view_of("one\ntwo\nToday {{ date }}", "one\nToday {{ date }}\ntwo", cache=ends).texts
    found = {(line.old, line.new): line.ends for s in text.stretches for line in s.lines if line.ends}
    assert {(old, new): len(told) for (old, new), told in found.items()} == {(None, 2): 1, (3, None): 1}
    assert "{{ date }} differs between cases" in found[None, 2][0]
    assert "candidate" in found[None, 2][0] and "baseline" in found[3, None][0]


@pytest.mark.threat("page-size")
def test_what_is_too_long_is_said_to_be() -> None:
    (text,) = view_of("a\n" * 2_001, "b").texts
    assert (text.stretches, "too many lines" in text.note) == ((), True)
    (text,) = view_of("a" * document.ALL_BYTES, "b").texts
    assert (text.stretches, "no room" in text.note) == ((), True)
    (text,) = view_of("a\n" * (document.ALL_BYTES // document.LINE_BYTES), "b").texts
    assert (text.stretches, "no room" in text.note) == ((), True)
    cut = PromptTextRecord(kind="message", name="system", text="a", cut=True)
    (found,) = prompt_views(run_of([cut], [cut]))
    assert "Only the beginning" in found.texts[0].note


def test_answers_are_marked_where_they_have_enough_in_common() -> None:
    view = case_side_by_side(block_case("de-017"), (), {})
    assert {pair.how for pair in view.pairs} == {"words"}
    assert {pair.how for pair in map(sparing_marks, view.pairs)} == {"texts"}
    found = sparing_marks(pair_of("Open the account page.", "Open the big new account page."))
    assert found.candidate is not None and found.candidate.pieces is not None
    assert [piece.text for piece in found.candidate.pieces if piece.differs] == ["big new "]


def block_case(name: str) -> CaseRecord:
    return next(case for case in runs()["block"].suites[0].cases if case.id == name)


def pair_of(before: str, after: str) -> AnswerPairView:
    case = block_case("de-017")
    outputs = {"baseline_outputs": [output(0, before, 1.0)], "candidate_outputs": [output(0, after, 1.0)]}
    (pair,) = case_side_by_side(case.model_copy(update=outputs), (), {}).pairs
    return pair
