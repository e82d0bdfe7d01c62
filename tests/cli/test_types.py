import click
import pytest

from gate.cli.evaluations import Shard
from gate.engine.schedule import Share


@pytest.mark.parametrize(
    ("text", "share"), [("3/10", Share(3, 10)), ("1/1", Share(1, 1)), ("1000/1000", Share(1000, 1000))]
)
def test_a_shard_is_a_number_of_so_many(text: str, share: Share) -> None:
    assert Shard().convert(text, None, None) == share


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "3/0", "1/1001", "-1/3", "1/3/5", "a/b", "1 / 3", "٣/٤"])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Shard().convert(text, None, None)
