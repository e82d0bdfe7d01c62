"""What code holds against a judge who compares two wordings.

A prompt speaks to the judge through its rules, so his word has to agree with what code can see. "The same" is not
believed where numbers, bounds, quoted words, negations, quantifiers or connectives differ, and "stricter" not where
something of it became weaker: then nobody but a person says what changed.
"""

from gate.domain.specdiff import AlignedBy, Relation
from gate.testgen.specdiff.seen import SEEN, grown, only_more, weaker
from gate.testgen.specdiff.wording import similarity

UNLIKE = 0.25
"""Two sentences below this similarity have hardly a word in common: a judge alone does not make them one rule."""

_STRANGERS = "the judge takes them for one rule, and they have hardly a word in common"


def held(relation: Relation, wordings: tuple[str, str], by: AlignedBy) -> tuple[Relation, str]:
    """A judge's word about two wordings, or that it cannot be taken, and why.

    Args:
        relation: the judge's.
        wordings: before and after.
        by: how the two were found to be one rule.

    Returns:
        The relation, and the reason where it is not the judge's.
    """
    if by == "meaning" and relation != "loosened" and similarity(*wordings) < UNLIKE:
        return "unknown", _STRANGERS
    if relation == "reworded":
        against = _not_the_same(wordings)
    else:
        against = _not_stricter(wordings) if relation == "tightened" else ""
    return ("unknown", against) if against else (relation, "")


def _not_the_same(wordings: tuple[str, str]) -> str:
    before, after = wordings
    for what, seen in SEEN.items():
        if seen(before) != seen(after):
            return f"the judge takes them for the same, and their {what} differ"
    if words := only_more(before, after) or only_more(after, before):
        return f"the judge takes them for the same, and one of them says more: {' '.join(words)}"
    return ""


def _not_stricter(wordings: tuple[str, str]) -> str:
    before, after = wordings
    if SEEN["numbers"](before) != SEEN["numbers"](after) and grown(before, after) != "tightened":
        return "the judge takes it for stricter, and its numbers do not show that"
    if words := weaker(before, after):
        return f"the judge takes it for stricter, and its words do not show that: {words}"
    return ""
