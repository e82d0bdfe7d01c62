"""Which reasons of a judge hold a word of its own."""

from gate.scoring.verdict import ScoredReason, Verdict, is_wordless


def verdict(reason: str) -> Verdict:
    return Verdict(1.0, reason, (ScoredReason(reason, 1.0),))


def test_a_short_word_is_one_even_where_a_fence_holds_its_letters() -> None:
    fence = "0bad1face2dead3beef45678"
    assert not is_wordless(verdict("bad"), [fence])
    assert not is_wordless(verdict("Dead."), [fence])
    assert is_wordless(verdict("0bad1face2d"), [fence])
    assert not is_wordless(verdict("0bad1face2d"))
