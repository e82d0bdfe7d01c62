"""Counts in sentences."""

import pytest

from gate.values import counted, without_score


def test_one_is_one() -> None:
    assert (counted(1, "case"), counted(0, "case"), counted(2, "reply", "replies")) == (
        "1 case",
        "0 cases",
        "2 replies",
    )


@pytest.mark.parametrize(
    ("samples", "total", "said"),
    [
        (1, 1, "1 of 1 sample has no score"),
        (1, 20, "1 of 20 samples has no score"),
        (1_200, 2_000, "1,200 of 2,000 samples have no score"),
    ],
)
def test_samples_without_a_score_agree_with_their_verb(samples: int, total: int, said: str) -> None:
    assert without_score(samples, total) == said
