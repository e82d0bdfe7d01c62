"""Lists of items within a sentence."""

import pytest

from gate.testgen.rules.sentences import Clause, listed_items, quoted_items

CLAUSE = Clause("be", ("a", "b", "c", "a"))


@pytest.mark.parametrize(
    "text", ["§0§, §1§, §2§", "§0§, §1§ and §2§", "§0§, §1§, or §2§", "§0§ or §1§ or §2§", "§0§/§1§/§2§"]
)
def test_quoted_items(text):
    assert quoted_items(CLAUSE, text) == ("a", "b", "c")


def test_an_item_that_is_there_twice_is_one():
    assert quoted_items(CLAUSE, "§0§, §3§") == ("a",)


@pytest.mark.parametrize("text", ["§0§ followed by §1§", "§0§ §1§", "§0§, §1§ etc", "the §0§", "§0§,"])
def test_what_is_more_than_a_list_has_no_items(text):
    assert quoted_items(CLAUSE, text) == ()
    assert listed_items(CLAUSE, text, sure=True) == ()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("World, Sports, Sci/Tech", ("World", "Sports", "Sci/Tech")),
        ("World, Sports, or Sci/Tech", ("World", "Sports", "Sci/Tech")),
        ("World, Sports and Sci/Tech", ("World", "Sports", "Sci/Tech")),
        ("yes or no", ("yes", "no")),
        ("A, B, C", ("A", "B", "C")),
        ("Human Resources, Legal", ("Human Resources", "Legal")),
    ],
)
def test_plain_items(text, items):
    assert listed_items(CLAUSE, text, sure=True) == items


@pytest.mark.parametrize(
    "text",
    [
        "World",
        "World, Sports, etc.",
        "World, Sports, whichever fits",
        "red, green, or leave it out",
        "A, B and justified",
        "a, the",
    ],
)
def test_it_is_not_sure_what_the_items_are(text):
    assert listed_items(CLAUSE, text, sure=True) == ()


def test_behind_a_colon_an_and_may_be_the_items_own():
    assert listed_items(CLAUSE, "Sports, Arts and Culture", sure=False) == ()
    assert listed_items(CLAUSE, "Sports, Arts, and Culture", sure=False) == ("Sports", "Arts", "Culture")
