"""Which rule is which, without a model."""

from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import OutputRule
from gate.testgen.specdiff.alignment import align_rules
from tests.testgen.specdiff.specs import rule

SHORT = rule("R1", "The answer has at most 80 words.", "at most 80 words")
KIND = rule("R2", "The answer is kind to the customer.", "Be kind")


def pairs(base: list[OutputRule], head: list[OutputRule], *, lineage: bool = False) -> list[tuple[str, str, str]]:
    return [(pair.base.id, pair.head.id, pair.by) for pair in align_rules(base, head, lineage=lineage).pairs]


def test_ids_count_within_one_lineage_alone() -> None:
    other = rule("R1", "Numbers are written as digits.", "digits")
    assert pairs([SHORT], [other], lineage=True) == [("R1", "R1", "id")]
    assert pairs([SHORT], [other]) == []


def test_the_same_evidence_pairs_what_is_worded_differently() -> None:
    assert pairs([SHORT], [rule("R9", "No more words than 80 are used.", "at most  80 words.")]) == [
        ("R1", "R9", "evidence")
    ]


def test_words_decide_where_the_evidence_differs() -> None:
    longer = rule("R5", "The answer has at most 120 words.", "up to 120 words")
    assert pairs([KIND, SHORT], [longer]) == [("R1", "R5", "wording")]


RULES = st.lists(
    st.tuples(st.sampled_from(["be kind", "be brief", "be kind too", "x"]), st.sampled_from(["", "a", "b"])), max_size=6
)


@given(RULES, RULES, st.booleans())
def test_each_rule_is_paired_once_or_left(
    one: list[tuple[str, str]], two: list[tuple[str, str]], lineage: bool
) -> None:
    base = [rule(f"R{place}", *said) for place, said in enumerate(one)]
    head = [rule(f"R{place}", *said) for place, said in enumerate(two)]
    found = align_rules(base, head, lineage=lineage)
    assert sorted(r.id for r in (*found.base, *(p.base for p in found.pairs))) == sorted(r.id for r in base)
    assert sorted(r.id for r in (*found.head, *(p.head for p in found.pairs))) == sorted(r.id for r in head)
    same = align_rules(base, base, lineage=False)
    assert (same.base, same.head) == ((), ())
