"""What the gate keeps of a case in the metadata of another tool's row, where that has no place for it."""

from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue

OWN = "prompt_gate"
"""Key of the metadata."""
WITHOUT = "without"
"""Key, inside it, of a list of fields that the row would give and the case has not."""
PLAIN = frozenset(
    "id input messages expected description slices slice cluster scorers extra_scorers criteria threshold vars "
    "obsolete".split()
)
"""Fields of a case of the plain form."""


def with_kept(case: Mapping[str, JsonValue], kept: JsonValue) -> dict[str, JsonValue]:
    """The case as it was before it was a row.

    Args:
        case: what the row gives.
        kept: what was kept.
    """
    inner = kept if isinstance(kept, dict) else {}
    without = inner.get(WITHOUT)
    gone = set(map(str, without)) if isinstance(without, list) else set()
    found = {**case, **{key: value for key, value in inner.items() if key in PLAIN}}
    return {key: value for key, value in found.items() if key not in gone}
