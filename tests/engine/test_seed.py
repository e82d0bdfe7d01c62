"""The default seed: nothing that a change controls may draw the sign flips again."""

from dataclasses import replace

from gate.engine.evaluate import default_seed
from gate.suite import Suite
from tests.support.finished import resolved
from tests.support.runs import suite


def without_commit(one: Suite) -> Suite:
    """As in file mode."""
    assert one.baseline is not None
    return replace(one, baseline=replace(one.baseline, version=replace(one.baseline.version, sha=None)))


def test_names_order_and_suites_of_the_changes_own_do_not_move_it() -> None:
    one, other = suite([{}] * 12), suite([{}] * 12, name="other")
    seed = default_seed(resolved([one, other]))
    own = replace(suite([{}] * 3, name="mine"), own_exam=True, exam=replace(one.exam, digest="f" * 64))
    assert default_seed(resolved([other, one])) == seed
    assert default_seed(resolved([replace(one, name="renamed"), other])) == seed
    assert default_seed(resolved([one, other, own])) == seed
    assert default_seed(resolved([one])) == seed
    assert default_seed(resolved([one, replace(own, baseline=None)])) == seed


def test_another_base_commit_moves_it() -> None:
    one = suite([{}] * 12)
    assert one.baseline is not None
    later = replace(one, baseline=replace(one.baseline, version=replace(one.baseline.version, sha="b" * 40)))
    assert default_seed(resolved([one])) != default_seed(resolved([later]))


def test_without_a_commit_the_exam_decides() -> None:
    one = without_commit(suite([{}] * 12))
    edited = replace(one, exam=replace(one.exam, digest="f" * 64))
    assert default_seed(resolved([one])) != default_seed(resolved([edited]))
