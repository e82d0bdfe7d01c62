"""Which reasons of a judge hold a word of its own."""

from gate.scoring.verdict import Mark, Verdict, wordless


def verdict(reason: str) -> Verdict:
    return Verdict(1.0, reason, (Mark(reason, 1.0),))


def test_a_short_word_is_one_even_where_a_fence_holds_its_letters() -> None:
    fence = "0bad1face2dead3beef45678"
    assert not wordless(verdict("bad"), [fence])
    assert not wordless(verdict("Dead."), [fence])
    assert wordless(verdict("0bad1face2d"), [fence])
    assert not wordless(verdict("0bad1face2d"))
