"""What a suite tolerates: the mapping `policy` of one suite."""

from collections.abc import Mapping

from gate.domain.suite import OVERALL, SlicePolicy, SuitePolicy
from gate.inputs.fields import Fields, Range
from gate.inputs.names import slice_complaint
from gate.inputs.problems import quoted

SLICE_POLICY = ("margin", "min_pass_rate")
SUITE_POLICY = ("max_cost_increase", "max_latency_increase", "required", "advisory", *SLICE_POLICY, "slices")
INCREASE = Range(0, 10)
MARGIN = Range(0, 1, below=True)
PASS_RATE = Range(0, 1, above=True, below=True)

_LATER = ("max_p95_increase",)
_MEANT = {
    "margins": "slices",
    "min_score": "min_pass_rate",
    "slice": "slices",
    "threshold": "min_pass_rate",
    "thresholds": "slices",
    "tolerance": "margin",
}
_MARGIN_HINT = "a fall of the mean score that is tolerated, such as 0.02"
_RATE_HINT = "a share of the samples, such as 0.9; no number of cases can prove a rate of 1"


def read_policy(fields: Fields, dimensions: tuple[str, ...]) -> SuitePolicy:
    """The policy of a suite.

    Args:
        fields: of the mapping.
        dimensions: that the suite tests; others have no slices to name.
    """
    fields.only(SUITE_POLICY, later=_LATER, meant=_MEANT)
    hint = "a fraction: 0.10 is +10 %"
    policy = SuitePolicy(
        max_cost_increase=fields.number("max_cost_increase", 0.10, INCREASE, hint),
        max_latency_increase=fields.number("max_latency_increase", 0.20, INCREASE, hint),
        required=_slice_names(fields, "required", dimensions),
        advisory=_slice_names(fields, "advisory", dimensions),
        margin=fields.number("margin", 0.0, MARGIN, _MARGIN_HINT),
        min_pass_rate=_rate(fields),
        slices=_slices(fields.mapping("slices"), dimensions),
    )
    for name in sorted(set(policy.required) & set(policy.advisory)):
        message = f"{quoted(name)} is both required and advisory"
        fields.problems.add(fields.line_of("advisory"), message, "keep it in one of the two")
    return policy


def _slices(fields: Fields, dimensions: tuple[str, ...]) -> Mapping[str, SlicePolicy]:
    out = {}
    for name, node in fields.entries.items():
        _check_slice(fields, node.line, name, dimensions)
        own = Fields(node, f"{fields.name}.{quoted(name)}", fields.problems)
        own.only(SLICE_POLICY, meant=_MEANT)
        margin = own.number("margin", 0.0, MARGIN, _MARGIN_HINT) if own.has("margin") else None
        out[name] = SlicePolicy(margin=margin, min_pass_rate=_rate(own))
    return out


def _rate(fields: Fields) -> float | None:
    return fields.number("min_pass_rate", 0.9, PASS_RATE, _RATE_HINT) if fields.has("min_pass_rate") else None


def _slice_names(fields: Fields, key: str, dimensions: tuple[str, ...]) -> tuple[str, ...]:
    names = []
    for node in fields.texts(key):
        name = str(node.value)
        if key == "advisory" and name == OVERALL:
            fields.problems.add(node.line, f"policy.advisory: {OVERALL!r} always counts", "remove it")
        else:
            _check_slice(fields, node.line, name, dimensions, f"policy.{key}")
        names.append(name)
    return tuple(names)


def _check_slice(fields: Fields, line: int, name: str, dimensions: tuple[str, ...], where: str = "") -> None:
    if name != OVERALL and (reason := slice_complaint(name, dimensions)):
        fields.problems.add(line, f"{where or fields.name}: {quoted(name)} {reason}", "for example tier=enterprise")
