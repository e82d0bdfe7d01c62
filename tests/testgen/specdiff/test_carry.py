"""What stands unchanged is carried over, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import Component, InputRule, Specification
from gate.testgen.specdiff.carryover import carry_over, joined_specification, without_carried
from tests.testgen.specdiff.specs import PROMPT, SENTENCES, rule, rules, spec

WORDS = st.sampled_from("answer brief kind order number never always word list name reply polite short".split())
SENTENCE = st.lists(WORDS, min_size=4, max_size=7).map(lambda words: " ".join(words).capitalize() + ".")
SENTENCES_OF = st.lists(SENTENCE, min_size=2, max_size=8, unique=True)


def made(sentences: list[str]) -> Specification:
    """A rule for each sentence."""
    return spec(*(rule(f"R{place}", f"rule of: {text}", text) for place, text in enumerate(sentences, 1)))


def ids(found: tuple[object, ...]) -> list[str]:
    return [str(getattr(one, "id", "")) for one in found]


@given(SENTENCES_OF, st.data())
def test_deleting_a_sentence_takes_exactly_its_rules(sentences: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(sentences) - 1))
    left = sentences[:place] + sentences[place + 1 :]
    carried = carry_over(made(sentences), " ".join(sentences), " ".join(left))
    assert ids(carried.gone) == [f"R{place + 1}"]
    assert len(carried.rules) == len(sentences) - 1
    assert carried.new == () == carried.touched


@given(SENTENCES_OF, st.data())
def test_saying_a_sentence_in_other_words_touches_only_its_rules(sentences: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(sentences) - 1))
    other = [*sentences]
    other[place] = "Something else altogether."
    carried = carry_over(made(sentences), " ".join(sentences), " ".join(other))
    assert ids(carried.gone) == [f"R{place + 1}"]
    assert [region.text for region in carried.new] == ["Something else altogether."]


@pytest.mark.parametrize("name", list(SENTENCES))
def test_dropping_the_words_of_a_rule_is_seen(name: str) -> None:
    carried = carry_over(spec(), PROMPT, PROMPT.replace(SENTENCES[name], ""))
    assert name in ids(carried.gone)
    assert set(ids((*carried.gone, *carried.touched))) <= ({name} if name not in ("R3", "R4") else {"R3", "R4"})


def test_words_that_stand_in_another_sentence_now_are_looked_at_again() -> None:
    carried = carry_over(spec(), PROMPT, PROMPT.replace("and end with a question", "and never end with a question"))
    assert ids(carried.touched) == ["R3", "R4"]
    assert carried.gone == ()
    assert [region.text for region in carried.new] == ["Begin with the order number, and never end with a question."]


def test_a_lead_in_that_turns_around_takes_its_list_with_it() -> None:
    carried = carry_over(spec(), PROMPT, PROMPT.replace("Never:", "Always:"))
    assert ids(carried.touched) == ["R5", "R6"]
    assert [(region.text, region.under) for region in carried.new] == [
        ("Always:", "Answers"),
        ("- promise a refund\n- name a competitor", "Answers\nAlways:"),
    ]


def test_components_are_carried_with_what_they_quote() -> None:
    order = Component("order", "an order", (InputRule("It has a number.", "Orders have a number."),))
    mood = Component("mood", "the mood", (InputRule("It may be angry."),))
    base = Specification("", "", (order, mood))
    carried = carry_over(base, "Orders have a number. Be kind.", "Be kind.")
    assert (carried.components, carried.lost) == ((mood,), (order,))


def test_of_a_whole_new_reading_only_the_new_sentences_count() -> None:
    text = PROMPT.replace("promise a refund", "promise any money")
    carried = carry_over(spec(), PROMPT, text)
    stays = rule("R1", "In words of its own, eighty words.", SENTENCES["R1"])
    new, nowhere = rule("R2", "No money is promised.", "promise any money"), rule("R3", "It is nice.")
    money = Component("money", "an amount", (InputRule("It is in euros.", "promise any money"),))
    shop = Component("shop", "a shop", (InputRule("It has customers.", "customers of a shop"),))
    found = without_carried(Specification("new", "", (money, shop), (stays, new, nowhere)), carried, text)
    assert (found.rules, found.components) == ((new, nowhere), (money,))


def test_what_was_read_anew_gets_ids_that_nobody_had() -> None:
    text = PROMPT.replace(SENTENCES["R7"], "If the order is unknown, say so.")
    carried = carry_over(spec(), PROMPT, text)
    found = Specification("new", "", rules=(rule("R1", "An unknown order is told.", "say so"),))
    head = joined_specification(spec(), carried, found)
    assert ids(head.rules) == ["R1", "R2", "R3", "R4", "R5", "R6", "R8"]
    assert (head.prompt, head.intent) == ("new", spec().intent)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=20))
def test_every_rule_has_one_fate_whatever_the_texts(base: str, head: str, evidence: str) -> None:
    whole = spec(rule("R1", "anything", evidence), *rules()[1:])
    carried = carry_over(whole, base, head)
    parts = (*carried.rules, *carried.touched, *carried.gone, *carried.unplaced)
    assert sorted(ids(parts)) == sorted(ids(whole.rules))
