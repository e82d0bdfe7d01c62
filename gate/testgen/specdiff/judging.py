"""What a judge says of rules that code can neither pair nor compare: one request for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.domain.promptspec import OutputRule
from gate.domain.specdiff import Relation
from gate.domain.words import counted
from gate.testgen.asking import Asker, Malformed, Question, objects_of, text_of
from gate.testgen.frames import TEXT, fence, framed, list_schema, object_schema, one_of
from gate.testgen.specdiff.align import Pair

MOST = 40
"""Pairs, old rules and new rules that one comparison asks about, each; what is beyond is not known."""
LONGEST = 1_000
"""Characters of one rule that a judge reads."""

_RELATIONS: Mapping[str, Relation | None] = {
    "same": "reworded",
    "tightened": "tightened",
    "loosened": "loosened",
    "changed": "changed",
    "unrelated": None,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One pair by a judge.

    Args:
        base, head: ids of the rules.
        relation: never `unchanged` or `unknown`; None where the two are no pair.
        reason: the judge's own words.
    """

    base: str
    head: str
    relation: Relation | None
    reason: str


@dataclass(frozen=True, slots=True)
class Open:
    """What is asked.

    Args:
        pairs: rules that seem to be one, in two wordings.
        base, head: rules without a partner.
    """

    pairs: tuple[Pair, ...]
    base: tuple[OutputRule, ...]
    head: tuple[OutputRule, ...]

    @property
    def bounded(self) -> "Open":
        """As much of it as one request holds."""
        return Open(self.pairs[:MOST], self.base[:MOST], self.head[:MOST])

    @property
    def askable(self) -> bool:
        """There is something to compare."""
        return bool(self.pairs or (self.base and self.head))


async def judged(judge: Asker, asked: Open, instructions: str = "") -> tuple[Judged, ...] | Failed:
    """Ask for all pairs at once.

    Rules get ids of their own, since those of two specifications may be equal; an answer with other ids, or with an id
    twice, is asked for once more.

    Args:
        judge: who is asked.
        asked: no more than `Open.bounded`.
        instructions: what the user adds.

    Returns:
        The answer for each given pair, and the further pairs that the judge found. A given pair may be missing, and
        its rules may be in other pairs.
    """
    old = {f"B{place}": rule for place, rule in enumerate((*(p.base for p in asked.pairs), *asked.base), 1)}
    new = {f"H{place}": rule for place, rule in enumerate((*(p.head for p in asked.pairs), *asked.head), 1)}
    view = _view(old, new, len(asked.pairs))

    def messages(problem: str) -> tuple[Message, ...]:
        return framed("specdiff", view, instructions, problem)

    def read(found: Mapping[str, JsonValue]) -> tuple[Judged, ...]:
        return _read(found, old, new)

    return await judge.ask(Question("specdiff", messages, _schema(tuple(old), tuple(new), len(asked.pairs)), read))


def _schema(old: Sequence[str], new: Sequence[str], given: int) -> dict[str, JsonValue]:
    """Of the reply; a reply that follows a grammar holds the given pairs alone, where there are any."""
    each = [_pair([base], [head]) for base, head in zip(old[:given], new[:given], strict=True)]
    return object_schema({"pairs": list_schema(_pair(old, new), each=each)})


def _pair(old: Sequence[str], new: Sequence[str]) -> dict[str, JsonValue]:
    words = {"base": one_of(*old), "head": one_of(*new), "relation": one_of(*_RELATIONS)}
    return object_schema({"reason": TEXT, **words})


def _view(old: Mapping[str, OutputRule], new: Mapping[str, OutputRule], given: int) -> dict[str, object]:
    before = [{"id": name, "text": _line(rule.text)} for name, rule in old.items()]
    after = [{"id": name, "text": _line(rule.text)} for name, rule in new.items()]
    pairs = [
        {"base": one["id"], "before": one["text"], "head": other["id"], "after": other["text"]}
        for one, other in zip(before[:given], after[:given], strict=True)
    ]
    mark = fence(*(item["text"] for item in (*before, *after)))
    return {"mark": mark, "pairs": pairs, "old": before[given:], "new": after[given:]}


def _line(text: str) -> str:
    """On one line, so that no rule can look like another list."""
    return " ".join(text.split())[:LONGEST]


def _read(
    found: Mapping[str, JsonValue], old: Mapping[str, OutputRule], new: Mapping[str, OutputRule]
) -> tuple[Judged, ...]:
    taken: set[str] = set()
    out = []
    for item in objects_of(found, "pairs"):
        base, head, word = text_of(item, "base", 20), text_of(item, "head", 20), text_of(item, "relation", 20)
        if base not in old or head not in new:
            raise Malformed("pairs names an id that was not asked about")
        if word not in _RELATIONS:
            raise Malformed(f"relation is none of {', '.join(_RELATIONS)}")
        relation = _RELATIONS[word]
        if relation is not None and (base in taken or head in taken):
            raise Malformed("pairs names an id twice")
        taken |= {base, head} if relation is not None else set()
        out.append(Judged(old[base].id, new[head].id, relation, text_of(item, "reason", 1_000, blank=True)))
    return tuple(out)


def limits_told(asked: Open) -> Sequence[str]:
    """What one request has no room for, as a sentence for the reader."""
    beyond = sum(max(0, len(group) - MOST) for group in (asked.pairs, asked.base, asked.head))
    if not beyond:
        return []
    was = "was" if beyond == 1 else "were"
    return [f"{counted(beyond, 'rule')} {was} not compared: one comparison takes {MOST} of a kind."]
