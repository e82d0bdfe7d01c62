"""The first of the same tests stays, and a test that only looks like another one does, too."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import GeneratedTest, Scenario
from gate.testgen.cases.diversity import identity, is_near, ngrams, without_duplicates

LONG = "the quick brown fox jumps over the lazy dog while seven old cats watch from a warm red roof"
NEARLY = LONG.replace("seven", "eight")
WORDS = st.lists(st.sampled_from(["red", "blue", "green"]), min_size=1, max_size=16).map(" ".join)


def made(*inputs: str, scenario: Scenario = "typical") -> list[GeneratedTest]:
    return [GeneratedTest(f"t{n}", "rule", "R1", text, scenario=scenario) for n, text in enumerate(inputs)]


def split(tests: Sequence[GeneratedTest]) -> tuple[list[str], list[tuple[str, str]]]:
    """Ids that stay, and the others with why."""
    found = without_duplicates(tests)
    return [test.id for test in found.tests], [(one.test.id, one.why) for one in found.discarded]


def test_the_first_of_the_same_stays() -> None:
    assert split(made("One  two", "three", "one TWO")) == (["t0", "t1"], [("t2", "the same as t0")])


def test_nearly_the_same_is_told_with_its_likeness() -> None:
    assert split(made(LONG, "other", NEARLY)) == (["t0", "t1"], [("t2", "nearly the same as t0 (overlap 0.80)")])


def test_a_short_text_with_another_word_is_another_test() -> None:
    assert split(made("Write a poem of 80 words.", "Write a poem of 81 words.")) == (["t0", "t1"], [])


def test_the_two_sides_of_a_limit_both_stay() -> None:
    assert split(made(LONG, NEARLY, scenario="boundary"))[1] == []
    assert split(made(LONG, LONG, scenario="boundary"))[1] == [("t1", "the same as t0")]


def test_another_question_about_the_same_sentence_is_another_test() -> None:
    asked = [
        GeneratedTest(
            f"t{n}", "rule", input=f"sentence: {LONG}\nword: {word}", components={"sentence": LONG, "word": word}
        )
        for n, word in enumerate(["quick", "fox", "Fox"])
    ]
    assert split(asked) == (["t0", "t1"], [("t2", "the same as t1")])


@given(st.lists(WORDS, max_size=8))
def test_what_stays_is_what_the_definition_says(inputs: list[str]) -> None:
    """Each one stays unless one that stayed before it is the same or nearly so."""
    tests = made(*inputs)
    expected: list[GeneratedTest] = []
    for test in tests:
        grams = {"input": ngrams(test.input)}
        same = (
            one for one in expected if identity(one) == identity(test) or is_near({"input": ngrams(one.input)}, grams)
        )
        if next(same, None) is None:
            expected.append(test)
    found = without_duplicates(tests)
    assert list(found.tests) == expected
    assert len(found.tests) + len(found.discarded) == len(tests)
    assert without_duplicates(found.tests).discarded == (), "a second look finds nothing more"
