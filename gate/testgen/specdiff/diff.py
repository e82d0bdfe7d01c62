"""The rules of two versions of a prompt, compared by place, by code, and by a judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.config.specification import CompiledRule, OutputRule, Specification
from gate.record.parts import QUIET, Relation, RuleChange, SpecDiff
from gate.record.transcript import Failed
from gate.testgen.questions import (
    TEXT_SCHEMA,
    Asker,
    MalformedAnswer,
    Question,
    choice_schema,
    list_schema,
    object_schema,
    read_objects,
    read_text,
    unused_fence,
)
from gate.testgen.specdiff.alignment import RulePair, align_rules, arrangement_notes, worded_alike
from gate.testgen.specdiff.carryover import input_changes, standing_rules
from gate.testgen.specdiff.places import (
    PromptWords,
    VersionSide,
    changed_names,
    is_same_prompt,
    prompt_text,
    unread_sentences,
    uses_names,
    version_sides,
)
from gate.testgen.specdiff.strictness import checked_relation, strictness_by_code
from gate.testgen.specdiff.structure import plain_text
from gate.values import JsonValue, counted

MOST_JUDGED = 40
"""Of pairs, of old rules and of new rules, so many each are judged in one comparison; the others are unknown."""
JUDGED_CHARS = 1_000
"""Characters of one rule that a judge reads."""

_RELATIONS: Mapping[str, Relation | None] = {
    "same": "reworded",
    "tightened": "tightened",
    "loosened": "loosened",
    "changed": "changed",
    "unrelated": None,
}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A judge's decision on one pair.

    Args:
        relation: never `unchanged` or `unknown`; None where the two are no pair.
    """

    base: str
    head: str
    relation: Relation | None
    reason: str


@dataclass(frozen=True, slots=True)
class OpenRules:
    """What the judge compares: pairs in two wordings, and rules of either version without a partner."""

    pairs: tuple[RulePair, ...]
    base: tuple[OutputRule, ...]
    head: tuple[OutputRule, ...]

    @property
    def bounded(self) -> "OpenRules":
        """As much of it as one request holds."""
        return OpenRules(self.pairs[:MOST_JUDGED], self.base[:MOST_JUDGED], self.head[:MOST_JUDGED])

    @property
    def askable(self) -> bool:
        """Is there something to compare?"""
        return bool(self.pairs or (self.base and self.head))


async def judge_rules(judge: Asker, rules: OpenRules) -> tuple[JudgedPair, ...] | Failed:
    """Ask for all pairs at once.

    Rules get ids of their own, since those of two specifications may be equal; an answer with other ids, or with an id
    twice, is asked for once more.

    Returns:
        The answer for each given pair, and the further pairs that the judge found. A given pair may be missing, and
        its rules may be in other pairs.
    """
    old = {f"B{place}": rule for place, rule in enumerate((*(pair.base for pair in rules.pairs), *rules.base), 1)}
    new = {f"H{place}": rule for place, rule in enumerate((*(pair.head for pair in rules.pairs), *rules.head), 1)}
    schema = _reply_schema(tuple(old), tuple(new), len(rules.pairs))
    view = _request_view(old, new, len(rules.pairs))
    return await judge.ask(Question("specdiff", view, schema, lambda reply: _read_pairs(reply, old, new)))


def _reply_schema(old: Sequence[str], new: Sequence[str], given: int) -> dict[str, JsonValue]:
    """Of the reply; models whose replies follow a grammar can give the given pairs only, where there are any."""
    each = [_pair_schema([base], [head]) for base, head in zip(old[:given], new[:given], strict=True)]
    return object_schema({"pairs": list_schema(_pair_schema(old, new), each=each)})


def _pair_schema(old: Sequence[str], new: Sequence[str]) -> dict[str, JsonValue]:
    words = {"base": choice_schema(*old), "head": choice_schema(*new), "relation": choice_schema(*_RELATIONS)}
    return object_schema({"reason": TEXT_SCHEMA, **words})


def _request_view(old: Mapping[str, OutputRule], new: Mapping[str, OutputRule], given: int) -> dict[str, object]:
    before = [{"id": name, "text": _one_line(rule.text)} for name, rule in old.items()]
    after = [{"id": name, "text": _one_line(rule.text)} for name, rule in new.items()]
    pairs = [
        {"base": base["id"], "before": base["text"], "head": head["id"], "after": head["text"]}
        for base, head in zip(before[:given], after[:given], strict=True)
    ]
    mark = unused_fence(*(item["text"] for item in (*before, *after)))
    return {"mark": mark, "pairs": pairs, "old": before[given:], "new": after[given:]}


def _one_line(text: str) -> str:
    """On one line, so that no rule can look like a further entry."""
    return " ".join(text.split())[:JUDGED_CHARS]


def _read_pairs(
    reply: Mapping[str, JsonValue], old: Mapping[str, OutputRule], new: Mapping[str, OutputRule]
) -> tuple[JudgedPair, ...]:
    taken: set[str] = set()
    pairs = []
    for item in read_objects(reply, "pairs"):
        base, head, word = read_text(item, "base", 20), read_text(item, "head", 20), read_text(item, "relation", 20)
        if base not in old or head not in new:
            raise MalformedAnswer("pairs names an id that was not asked about")
        if word not in _RELATIONS:
            raise MalformedAnswer(f"relation is none of {', '.join(_RELATIONS)}")
        relation = _RELATIONS[word]
        if relation is not None and (base in taken or head in taken):
            raise MalformedAnswer("pairs names an id twice")
        taken |= {base, head} if relation is not None else set()
        pairs.append(JudgedPair(old[base].id, new[head].id, relation, read_text(item, "reason", 1_000, blank=True)))
    return tuple(pairs)


def limit_notes(rules: OpenRules) -> Sequence[str]:
    """A sentence for the reader on what did not fit into one request."""
    beyond = sum(max(0, len(group) - MOST_JUDGED) for group in (rules.pairs, rules.base, rules.head))
    if not beyond:
        return []
    was = "was" if beyond == 1 else "were"
    return [f"{counted(beyond, 'rule')} {was} not compared: one comparison takes {MOST_JUDGED} of a kind."]


Compiled: TypeAlias = Callable[[OutputRule], CompiledRule | None]
"""What code checks of a rule; None where it cannot."""

COUNTED_UNITS = frozenset({"words", "sentences", "characters"})
NO_MODEL_ASKED = "no model compared them"
SENTENCE_MOVED = (
    "its sentence moved to another message, or into or out of a comment, code block, condition or crossed-out text"
)
NAME_CHANGED = "its sentence uses a template variable whose assignment changed"
SENTENCE_GONE = "its sentence was changed or removed; another sentence gives the same rule"
NOTHING_QUOTED = "the model quoted no words of the prompt for it"


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One version of a prompt: its specification, and the words in which evidence is looked for."""

    specification: Specification
    words: PromptWords

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return prompt_text(self.words)


@dataclass(frozen=True, slots=True)
class DiffMeans:
    """Settings of a comparison.

    Args:
        judge: decides what code cannot, in one request; None for no judge.
        lineage: one specification came from the other (joined, or an edited file), so that equal ids mean the
            same rule.
    """

    judge: Asker | None = None
    compiled: Compiled = field(default=lambda rule: None)
    lineage: bool = False


async def spec_diff(base: PromptVersion, head: PromptVersion, means: DiffMeans) -> SpecDiff:
    """Which rules a change adds, drops, loosens and tightens.

    Where the prompt says the same, its rules are unchanged, whatever their wording. The others are paired by id,
    evidence, wording and what code counts; code tells how the wordings of a pair relate if both compile. The judge gets
    the rest in one request, or none if there is no rest. Since a prompt can speak to the judge through its rules, a
    "same" counts only where code sees no difference in numbers, quotations, negations and words of obligation; whether
    words of the prompt are gone is decided by code.
    """
    if is_same_prompt(base.words, head.words):
        return SpecDiff()
    left, right = version_sides(base.words, head.words)
    settled, moved_base, moved_head = _unchanged_rules(
        base.specification.rules, head.specification.rules, (left, right)
    )
    loose = [rule for rule in moved_head if right.standing(rule.evidence) == "unplaced"]
    settled += [RuleChange("unknown", None, rule, reason=NOTHING_QUOTED) for rule in loose]
    moved_head = [rule for rule in moved_head if rule not in loose]
    aligned = align_rules(moved_base, moved_head, _kinds(means.compiled), lineage=means.lineage)
    by_code = {pair.base.id: change for pair in aligned.pairs if (change := _change_by_code(pair, means.compiled))}
    open_pairs = tuple(pair for pair in aligned.pairs if pair.base.id not in by_code)
    rules = OpenRules(open_pairs, aligned.base, aligned.head)
    answer = await _judge_answer(means.judge, rules)
    judged = _JudgedRules(rules, answer, left)
    around = _Surroundings(left, right, changed_names(left) | changed_names(right))
    changes = [around.with_changed_names(change) for change in settled]
    changes += [around.with_moved_sentences(change) for change in (*by_code.values(), *judged.changes())]
    inputs = input_changes(base.specification.components, head.specification.components, (left, right))
    notes = limit_notes(rules) if isinstance(answer, tuple) and rules.askable else ()
    failed = f"Rules were not compared: {answer.reason}." if isinstance(answer, Failed) and means.judge else ""
    unseen = (
        *arrangement_notes((left, right)),
        *unread_sentences(base.specification, head.specification, (left, right)),
    )
    notes = (*notes, *([failed] if failed else []), *unseen)
    return SpecDiff(_sorted_changes(changes, base, head), inputs, notes)


def _unchanged_rules(
    base: Sequence[OutputRule], head: Sequence[OutputRule], both: tuple[VersionSide, VersionSide]
) -> tuple[list[RuleChange], list[OutputRule], list[OutputRule]]:
    """What needs no comparison, and the rules of either version that do."""
    stay, stayed = standing_rules(base, both[0]), standing_rules(head, both[1])
    still = align_rules(stay, stayed, lineage=False)  # ids do not matter where everything is unchanged
    out = [RuleChange("unchanged", pair.base, pair.head, "evidence") for pair in still.pairs]
    out += [RuleChange("unchanged", None, rule, "evidence") for rule in still.head]
    alone = [*still.base]
    moved_base, moved_head = [], []
    standing, standing_now = frozenset(map(id, stay)), frozenset(map(id, stayed))
    standing_texts = frozenset(plain_text(other.text) for other in stayed)
    for rule in base:
        if id(rule) in standing:
            continue
        if plain_text(rule.text) in standing_texts:
            out.append(RuleChange("unknown", rule, None, "wording", SENTENCE_GONE))
        else:
            moved_base.append(rule)
    for rule in head:
        if id(rule) in standing_now:
            continue
        partner = next((other for other in (*alone, *stay) if worded_alike(rule.text, other.text)), None)
        if partner is None:
            moved_head.append(rule)
        elif partner in alone:
            alone.remove(partner)
            out.append(RuleChange("unchanged", partner, rule, "wording"))
        else:
            out.append(RuleChange("unchanged", None, rule, "wording"))
    out += [RuleChange("unchanged", rule, None, "evidence") for rule in alone]
    return out, moved_base, moved_head


def _change_by_code(pair: RulePair, compiled: Compiled) -> RuleChange | None:
    """What code can say of two wordings."""
    if worded_alike(pair.base.text, pair.head.text):
        return RuleChange("reworded", pair.base, pair.head, pair.by)
    before, after = compiled(pair.base), compiled(pair.head)
    relation = strictness_by_code(before, after) if before and after else None
    return RuleChange(relation, pair.base, pair.head, pair.by) if relation else None


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What the text around an unchanged rule does to it."""

    left: VersionSide
    right: VersionSide
    names: frozenset[str]

    def with_changed_names(self, change: RuleChange) -> RuleChange:
        """Unknown where the sentence of the rule uses one of these names."""
        used = any(uses_names(side, rule.evidence, self.names) for side, rule in self._rules(change))
        return replace(change, state="unknown", reason=NAME_CHANGED) if used and change.state in QUIET else change

    def with_moved_sentences(self, change: RuleChange) -> RuleChange:
        """Unknown also where its sentence became a comment or the like."""
        change = self.with_changed_names(change)
        if change.state not in QUIET or change.base is None or change.head is None:
            return change
        moved = len({side.enclosed(rule.evidence) for side, rule in self._rules(change)}) > 1
        return replace(change, state="unknown", reason=SENTENCE_MOVED) if moved else change

    def _rules(self, change: RuleChange) -> list[tuple[VersionSide, OutputRule]]:
        both = ((self.left, change.base), (self.right, change.head))
        return [(side, rule) for side, rule in both if rule is not None]


def _kinds(compiled: Compiled) -> Callable[[OutputRule], frozenset[str]]:
    """Of counts alone: two rules on the number of words are about the same thing, two patterns may not be."""

    def kinds(rule: OutputRule) -> frozenset[str]:
        checked = compiled(rule)
        names = frozenset(scorer.kind for scorer in checked.scorers) if checked else frozenset()
        return names if names <= COUNTED_UNITS else frozenset()

    return kinds


async def _judge_answer(judge: Asker | None, rules: OpenRules) -> tuple[JudgedPair, ...] | Failed:
    if not rules.askable:
        return ()
    return Failed(NO_MODEL_ASKED, attempts=0) if judge is None else await judge_rules(judge, rules.bounded)


@dataclass(frozen=True, slots=True)
class _JudgedRules:
    """What is known after the judge."""

    rules: OpenRules
    answer: tuple[JudgedPair, ...] | Failed
    side: VersionSide

    def changes(self) -> list[RuleChange]:
        """Of the given pairs, those that the judge found, and the rules left over."""
        answers = self.answer if isinstance(self.answer, tuple) else ()
        verdicts = {verdict.base: verdict for verdict in answers if verdict.relation is not None}
        apart = {(verdict.base, verdict.head) for verdict in answers if verdict.relation is None}
        heads = {rule.id: rule for rule in (*(pair.head for pair in self.rules.pairs), *self.rules.head)}
        free = heads.keys() - {verdict.head for verdict in verdicts.values()}
        given = {pair.base.id: pair for pair in self.rules.pairs}
        changes = []
        for rule in (*(pair.base for pair in self.rules.pairs), *self.rules.base):
            verdict, pair = verdicts.get(rule.id), given.get(rule.id)
            if verdict is not None and verdict.relation is not None:
                head = heads[verdict.head]
                by = pair.by if pair is not None and pair.head.id == head.id else "meaning"
                relation, against = checked_relation(verdict.relation, (rule.text, head.text), by)
                changes.append(RuleChange(relation, rule, head, by, against or verdict.reason, judged=True))
            elif pair is not None and pair.head.id in free and (rule.id, pair.head.id) not in apart:
                free.remove(pair.head.id)
                changes.append(self._unanswered(pair))
            else:
                changes.append(self._lost_rule(rule))
        return [*changes, *(self._new_rule(rule) for name, rule in heads.items() if name in free)]

    def _unanswered(self, pair: RulePair) -> RuleChange:
        reason = self.answer.reason if isinstance(self.answer, Failed) else "the judge gave no answer"
        return RuleChange("unknown", pair.base, pair.head, pair.by, reason)

    def _lost_rule(self, rule: OutputRule) -> RuleChange:
        standing = self.side.standing(rule.evidence)
        if standing == "touched":
            reason = "some words of its sentence are still in the prompt, others changed"
            return RuleChange("unknown", rule, None, reason=reason)
        if standing == "unplaced":
            return RuleChange("unknown", rule, None, reason="it quotes no words of the prompt, and the prompt changed")
        why = self._why_unknown(self.rules.base, self.rules.head, rule)
        return RuleChange("unknown" if why else "removed", rule, None, reason=why)

    def _new_rule(self, rule: OutputRule) -> RuleChange:
        why = self._why_unknown(self.rules.head, self.rules.base, rule)
        return RuleChange("unknown" if why else "added", None, rule, reason=why)

    def _why_unknown(self, own: Sequence[OutputRule], others: Sequence[OutputRule], rule: OutputRule) -> str:
        """Why it is unknown whether a rule has a counterpart; empty where it has none."""
        if not others:
            return ""
        if isinstance(self.answer, Failed):
            return self.answer.reason
        beyond = rule in own[MOST_JUDGED:] or len(others) > MOST_JUDGED
        return "there are too many rules to compare" if beyond else ""


def _sorted_changes(changes: Sequence[RuleChange], base: PromptVersion, head: PromptVersion) -> tuple[RuleChange, ...]:
    """The old rules in their order, then the new ones in theirs."""
    before = _places(base.specification.rules)
    after = _places(head.specification.rules)

    def place(change: RuleChange) -> tuple[int, int]:
        if change.base is not None:
            return 0, before[change.base.id]
        return 1, after[change.head.id] if change.head is not None else 0

    return tuple(sorted(changes, key=place))


def _places(rules: Sequence[OutputRule]) -> Mapping[str, int]:
    return {rule.id: place for place, rule in enumerate(rules)}
