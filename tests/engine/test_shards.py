import pytest

from gate.config.policy import Budget
from gate.engine.schedule import Share
from gate.engine.shards import part_of, unfinished
from gate.errors import GateError
from tests.support.shards import record


@pytest.mark.parametrize(("calls", "of"), [(10, 3), (7, 7), (100, 9), (5000, 256)])
def test_the_parts_of_a_budget_add_up_to_it(calls: int, of: int) -> None:
    whole = Budget(max_calls=calls, max_usd=5.0, max_minutes=20.0)
    parts = [part_of(whole, Share(number, of)) for number in range(1, of + 1)]
    limits = [part.max_calls or 0 for part in parts]
    assert sum(limits) == calls
    assert max(limits) - min(limits) <= 1
    assert sum(part.max_usd or 0 for part in parts) == pytest.approx(5.0)
    assert {part.max_minutes for part in parts} == {20.0}


def test_what_is_no_sum_holds_for_every_part() -> None:
    part = part_of(Budget(max_calls=10, max_usd=5.0, max_minutes=20.0, max_output_tokens=300), Share(1, 2))
    assert part.max_output_tokens == 300


def test_no_limit_stays_none() -> None:
    assert part_of(Budget(), Share(2, 3)) == Budget()


def test_fewer_calls_than_shards_are_refused() -> None:
    with pytest.raises(GateError, match="5 calls cannot be divided among 6 shards"):
        part_of(Budget(max_calls=5), Share(1, 6))


def test_a_whole_run_has_nothing_missing() -> None:
    assert unfinished({1: record(1, 2), 2: record(2, 2)}, 2) is None


def test_what_is_missing_is_named_and_a_long_list_is_counted() -> None:
    assert unfinished({2: record(2, 3), 3: record(3, 3)}, 3) == "shard 1/3 is missing"
    many = unfinished({1: record(1, 20)}, 20)
    assert many is not None
    assert many.startswith("shards 2/20, 3/20, ")
    assert many.endswith("9/20 and 11 more are missing")


def test_shards_that_ended_early_say_why() -> None:
    early = {1: record(1, 3, unfinished="no money"), 3: record(3, 3)}
    assert unfinished(early, 3) == "shard 2/3 is missing; shard 1/3 ended early: no money"
    all_early = {number: record(number, 9, unfinished="x") for number in range(1, 10)}
    assert str(unfinished(all_early, 9)).endswith("and 1 more shard ended early")
