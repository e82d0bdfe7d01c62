"""The interval of a slice that stands outside the family."""

from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import EMPTY
from gate.stats.maxt import joint_test, single_slice
from tests.stats.layouts import Layout, layouts


@given(layouts(), st.sampled_from([0.025, 0.1]), st.sampled_from([0.0, 0.05]))
def test_it_is_the_joint_test_of_that_slice_and_no_other(layout: Layout, alpha: float, margin: float) -> None:
    options = {"alpha": alpha, "margin": margin, "flips": 399, "seed": 3}
    for name, positions in layout.slices.items():
        clusters = None if layout.clusters is None else layout.clusters[positions]
        alone = single_slice(layout.deltas[positions], clusters=clusters, **options)
        joint = joint_test(layout.deltas, {name: positions}, clusters=layout.clusters, **options)
        assert alone == joint[name]


def test_no_cases() -> None:
    assert single_slice([]) == EMPTY
