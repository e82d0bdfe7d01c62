"""What a change does to the prompt cache."""

from dataclasses import replace
from os.path import commonprefix

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.models import ModelRef
from gate.engine.arrays import SampleGrid
from gate.engine.prompt_cache import Prefix, SharedStart, cache_comparisons, compare_caching, prefix_of
from gate.engine.samples import SampleTable
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.comparison import CacheComparison, CacheTerms, Obstacle, PrefixEnd
from gate.record.transcript import ArmName, Reply, Sample, Usage
from gate.suite import Arm, Suite
from tests.support.runs import reply, suite, table_of

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
    return compare_caching(SampleGrid(one, table_of(samples or [])), dict.fromkeys(ArmName, terms), 0.025)


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


DATES = ("1 May", "2 June", "30 July")


def cases(*inputs: str) -> list[Case]:
    dates = DATES * len(inputs)
    return [Case(f"c{i}", input=text, vars={"date": dates[i]}) for i, text in enumerate(inputs)]


def template(text: str, role: str = "system") -> Prompt:
    return Prompt((Message("system" if role == "system" else "user", text),), template=True)


def found(prompt: Prompt, *inputs: str) -> tuple[str, PrefixEnd | None]:
    prefix = prefix_of(prompt, cases(*inputs))
    return "|".join(message.content for message in prefix.messages), prefix.place


THREE = ("apples", "bread", "cheese")


def test_plain_text_is_shared_whole_and_the_input_is_not() -> None:
    assert found(Prompt((Message("system", "Be kind."),)), *THREE) == ("Be kind.", PrefixEnd(message=2, line=1))


def test_a_chat_file_is_shared_message_by_message() -> None:
    turns = (Message("system", "S"), Message("user", "Example"), Message("assistant", "Sure"))
    assert found(Prompt(turns, chat=True), *THREE) == ("S|Example|Sure", PrefixEnd(message=4, line=1))


def test_a_variable_at_the_start_leaves_nothing() -> None:
    assert found(template("{{ date }}\nBe kind."), *THREE) == ("", PrefixEnd(message=1, line=1, variable="date"))


def test_a_variable_that_never_varies_ends_nothing() -> None:
    same = [Case(f"c{i}", input=text, vars={"date": "1 May"}) for i, text in enumerate(THREE)]
    prefix = prefix_of(template("{{ date }}. {{ input }}", "user"), same)
    assert (prefix.chars, prefix.place) == (len("1 May. "), PrefixEnd(message=1, line=1, variable="input"))


def test_the_history_of_a_conversation_stands_ahead_of_a_template_that_asks() -> None:
    first = Case("a", messages=(Message("user", "hi"), Message("assistant", "yes?"), Message("user", "why")))
    second = Case("b", messages=(Message("user", "hello"), Message("assistant", "yes?"), Message("user", "why")))
    prefix = prefix_of(template("Q: {{ input }}", "user"), [first, second])
    assert ([m.content for m in prefix.messages], prefix.place) == (["h"], PrefixEnd(message=1, line=1))


def test_of_one_case_the_prompt_tells() -> None:
    assert found(template("Be kind. {{ date }} End."), "apples") == (
        "Be kind. ",
        PrefixEnd(message=1, line=1, variable="date"),
    )
    assert found(Prompt((Message("system", "Be kind."),)), "apples") == ("Be kind.", PrefixEnd(message=2, line=1))
    assert found(template("Be kind."), "apples") == ("Be kind.", PrefixEnd(message=2, line=1))


def test_a_case_that_cannot_be_rendered_sends_nothing() -> None:
    prefix = prefix_of(template("Be kind. {{ name }}"), [*cases(*THREE), Case("d", input="x", vars={"name": "Ada"})])
    assert list(prefix.lengths) == [3]
    assert prefix_of(template("{{ name }}"), cases(*THREE)) == Prefix((), (), None, {})


REQUESTS = st.lists(
    st.lists(
        st.builds(Message, st.sampled_from(("system", "user")), st.text("ab", max_size=8)), min_size=1, max_size=3
    ).map(tuple),
    min_size=1,
    max_size=6,
)


@given(REQUESTS)
def test_the_shared_start_is_the_longest_one(requests: list[tuple[Message, ...]]) -> None:
    start = SharedStart(requests[0])
    for request in requests[1:]:
        start.add(request)
    assert start.messages == _slowly(requests)


def _slowly(requests: list[tuple[Message, ...]]) -> tuple[Message, ...]:
    out: list[Message] = []
    for place, mine in enumerate(requests[0]):
        others = [request[place] for request in requests if place < len(request)]
        if len(others) < len(requests) or any(other.role != mine.role for other in others):
            break
        shared = commonprefix([other.content for other in others])
        if any(other != mine for other in others):
            return (*out, Message(mine.role, shared)) if shared else tuple(out)
        out.append(mine)
    return tuple(out)


@given(REQUESTS)
def test_it_is_no_longer_than_any_request_and_the_order_does_not_matter(requests: list[tuple[Message, ...]]) -> None:
    start, back = SharedStart(requests[0]), SharedStart(requests[-1])
    for request in requests:
        start.add(request)
    for request in reversed(requests):
        back.add(request)
    length = sum(len(message.content) for message in start.messages)
    assert all(length <= sum(len(message.content) for message in request) for request in requests)
    assert start.messages == back.messages
    assert not start.add(requests[0])
