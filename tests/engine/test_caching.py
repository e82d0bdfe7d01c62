"""What a change does to the prompt cache: findings, obstacles, cached tokens, and what is encoded anew."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.models import ModelRef
from gate.engine.arrays import Grid
from gate.engine.prompt_cache import cache_comparisons, compare_caching
from gate.engine.samples import SampleTable
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.comparison import CacheComparison, CacheTerms, Obstacle
from gate.record.sample import ArmName, Reply, Sample
from gate.record.usage import Usage
from gate.suite import Arm, Suite
from tests.support.runs import reply, suite

STATIC = "Always answer in one short sentence. " * 200
DATE = "Today is {{ date }}.\n"
OPEN = CacheTerms(1024, write_usd=1e-6)


def system(text: str) -> Prompt:
    return Prompt((Message("system", text),), template=True)


def dated(baseline: Prompt, candidate: Prompt, cases: int = 12) -> Suite:
    one = suite([{}] * cases)
    rows = tuple(Case(f"c{i}", input=f"{i} apples", vars={"date": f"{i + 10} May"}, cluster=None) for i in range(cases))
    versions = [replace(arm.version, prompt=p) for arm, p in ((one.baseline, baseline), (one.candidate, candidate))]
    return replace(
        one,
        baseline=replace(one.baseline, version=versions[0]),
        candidate=replace(one.candidate, version=versions[1]),
        exam=replace(one.exam, cases=rows),
    )


def compared(one: Suite, terms: CacheTerms = OPEN, samples: list[Sample] | None = None) -> CacheComparison:
    return compare_caching(Grid(one, SampleTable.holding(samples or [])), dict.fromkeys(ArmName, terms), 0.025)


def sampled(one: Suite, usage: dict[ArmName, Usage]) -> list[Sample]:
    def answer(arm: ArmName) -> Reply:
        return replace(reply(), usage=usage[arm])

    return [Sample(one.name, case.id, arm, 0, answer(arm)) for case in one.exam.cases for arm in ArmName]


def test_a_variable_that_moves_to_the_front_is_found() -> None:
    found = compared(dated(system(STATIC + DATE), system(DATE + STATIC)))
    assert (found.shrank, found.moved) == (True, True)
    assert found.baseline.tokens == pytest.approx(len(STATIC) / 4, abs=4)
    assert found.candidate.tokens == round(len("Today is ") / 4)
    assert found.candidate.place is not None
    assert (found.candidate.place.line, found.candidate.place.variable) == (1, "date")
    assert found.fresh_tokens == 0


def test_a_new_variable_did_not_move() -> None:
    found = compared(dated(system(STATIC), system(DATE + STATIC)))
    assert (found.shrank, found.moved) == (True, False)


def test_a_prompt_that_merely_became_shorter_is_no_finding() -> None:
    found = compared(dated(system(STATIC + DATE), system(STATIC[: len(STATIC) // 2] + DATE)), CacheTerms())
    assert found.candidate.tokens < found.baseline.tokens
    assert not found.shrank


def test_what_was_never_cached_cannot_be_lost() -> None:
    short = "Be kind, and answer in the language of the question, in one sentence. " * 5
    found = compared(dated(system(short + DATE), system(DATE + short)))
    assert found.baseline.obstacle == "too short"
    assert not found.shrank


def test_the_same_text_in_another_order_is_encoded_once() -> None:
    half = len(STATIC) // 2 + 5
    found = compared(dated(system(STATIC + DATE), system(STATIC[half:] + STATIC[:half] + DATE)))
    assert not found.shrank
    assert found.fresh_tokens == found.candidate.tokens
    assert found.fresh_usd == pytest.approx(found.fresh_tokens * 1e-6)


def test_what_both_prefixes_begin_with_is_not_encoded_anew() -> None:
    more = "One more rule. " * 40
    found = compared(dated(system(STATIC + DATE), system(STATIC + more + DATE)))
    assert found.fresh_tokens == pytest.approx(len(more) / 4, abs=4)
    assert not found.shrank


@pytest.mark.parametrize(
    ("text", "terms", "obstacle"),
    [
        (STATIC, CacheTerms(1024, marked=True), ""),
        (STATIC + DATE, CacheTerms(1024, marked=True), "differs before the mark"),
        (STATIC, CacheTerms(1024, asked=False, marked=True), "not asked for"),
        (STATIC, CacheTerms(4096), "too short"),
        (STATIC + DATE, CacheTerms(), ""),
    ],
)
def test_why_nothing_is_cached(text: str, terms: CacheTerms, obstacle: Obstacle) -> None:
    found = compared(dated(system(text), system(text)), terms)
    assert found.candidate.obstacle == obstacle
    assert not found.shrank


def test_behind_the_mark_nothing_is_cached() -> None:
    prompt = Prompt((Message("system", STATIC), Message("user", "Example " * 50)), chat=True)
    found = compared(dated(prompt, prompt), CacheTerms(1024, marked=True))
    assert found.baseline.tokens == round(len(STATIC) / 4)


def test_tokens_are_counted_at_the_rate_of_the_replies() -> None:
    one = dated(system(STATIC), system(STATIC))
    chars = len(STATIC) + len("0 apples")
    usage = {ArmName.BASELINE: Usage(chars // 2), ArmName.CANDIDATE: Usage()}
    found = compared(one, samples=sampled(one, usage))
    assert (found.baseline.measured, found.candidate.measured) == (True, False)
    assert found.baseline.tokens == pytest.approx(2 * found.candidate.tokens, rel=0.01)


def test_cached_tokens_are_part_of_all_input() -> None:
    one = dated(system(STATIC), system(STATIC))
    usage = {ArmName.BASELINE: Usage(500, 1500, 0, 9), ArmName.CANDIDATE: Usage(500, 0, 1500, 9)}
    found = compared(one, samples=sampled(one, usage))
    assert found.baseline_share is not None
    assert found.baseline_share.value == 0.75
    assert found.candidate_share is not None
    assert found.candidate_share.value == 0.0
    assert found.share_change is not None
    assert found.share_change.value == -0.75


PIECES = st.lists(st.sampled_from([STATIC, DATE, "a", "{{ input }}", "{{ id }}"]), min_size=1, max_size=5)


@given(PIECES, PIECES)
def test_no_prefix_is_longer_than_a_request_and_no_change_is_no_finding(before: list[str], after: list[str]) -> None:
    found = compared(dated(system("".join(before)), system("".join(after)), cases=3), CacheTerms())
    for arm in (found.baseline, found.candidate):
        assert 0 <= arm.tokens <= arm.request_tokens
    assert 0 <= found.fresh_tokens <= found.candidate.tokens
    same = compared(dated(system("".join(before)), system("".join(before)), cases=3), CacheTerms())
    assert (same.shrank, same.fresh_tokens, same.baseline) == (False, 0, same.candidate)


def test_a_suite_of_which_nothing_can_be_told_costs_the_others_nothing() -> None:
    broken = replace(dated(system(STATIC), system(STATIC)), name="broken")
    sound = replace(dated(system(STATIC + DATE), system(DATE + STATIC)), name="sound")
    odd = ModelRef("fake", "odd")
    broken = replace(broken, candidate=replace(broken.candidate, model=odd))

    def terms(arm: Arm) -> CacheTerms:
        if arm.model == odd:
            raise ValueError("no terms are known")
        return OPEN

    found = cache_comparisons([broken, sound], SampleTable(), terms, 0.025)
    assert found == {"sound": compared(sound)}
