"""The promises of two versions of a prompt, side by side: what stands, then what code can tell, then a judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gate.domain.absence import Failed
from gate.domain.promptspec import CompiledRule, OutputRule, Specification
from gate.domain.specdiff import QUIET, RuleChange, SpecDiff
from gate.testgen.asking import Asker
from gate.testgen.specdiff.align import Pair, align
from gate.testgen.specdiff.arranged import arranged
from gate.testgen.specdiff.carry import standing_of
from gate.testgen.specdiff.guard import held
from gate.testgen.specdiff.inputs import input_changes
from gate.testgen.specdiff.judging import MOST, Judged, Open, judged, limits_told
from gate.testgen.specdiff.place import Side, Words, same, sides, text_of
from gate.testgen.specdiff.set_names import reset, uses
from gate.testgen.specdiff.strictness import by_code
from gate.testgen.specdiff.units import plain
from gate.testgen.specdiff.unread import unread
from gate.testgen.specdiff.wording import worded_alike
from gate.testgen.subject import PromptSubject

Compiled: TypeAlias = Callable[[OutputRule], CompiledRule | None]
"""What code checks of a rule; None where it cannot."""

COUNTS = frozenset({"words", "sentences", "characters"})
NOBODY = "no model was asked"
ELSEWHERE = (
    "its sentence moved into another message, or into or out of a comment, a fence, a condition or crossed-out words"
)
RESET = "its sentence puts in a name that a statement of the template sets in another way now"
ONCE_LESS = "its sentence changed or is gone; another sentence is read as the same rule"
UNQUOTED = "the model quotes no words of the prompt for it"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a prompt.

    Args:
        specification: what it promises.
        words: the prompt; evidence is looked for here.
    """

    specification: Specification
    words: Words

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return text_of(self.words)


@dataclass(frozen=True, slots=True)
class Means:
    """What a comparison goes by.

    Args:
        judge: asked for what code cannot tell, in one request; None where nobody is to be asked.
        compiled: what code checks of a rule; nothing, unless given.
        lineage: one specification came from the other (by `joined`, or as an edited file), so that equal ids mean the
            same rule.
    """

    judge: Asker | None = None
    compiled: Compiled = field(default=lambda rule: None)
    lineage: bool = False


def identical(base: PromptSubject, head: PromptSubject) -> bool:
    """Do two prompts promise the same without a look at their promises? To be asked before any is extracted."""
    return base.digest == head.digest


async def spec_diff(base: Version, head: Version, means: Means) -> SpecDiff:
    """Which promises a change adds, drops, loosens and tightens.

    Where the prompt says the same, its rules are unchanged, whatever words they were read in. The others are paired by
    id, evidence, wording and what code counts; how the wordings of a pair relate is told by code where both compile.
    What is left goes to the judge in one request, or is not asked for at all where nothing is left. A prompt can speak
    to the judge through its rules: its "same" counts only where code sees no difference in numbers, quotations,
    negations and words of obligation, and whether words of the prompt are gone is decided by code.

    Args:
        base, head: before and after.
        means: judge, compiler, lineage.
    """
    if same(base.words, head.words):
        return SpecDiff()
    left, right = sides(base.words, head.words)
    settled, moved_base, moved_head = _standing(base.specification.rules, head.specification.rules, (left, right))
    loose = [rule for rule in moved_head if right.standing(rule.evidence) == "unplaced"]
    settled += [RuleChange("unknown", None, rule, reason=UNQUOTED) for rule in loose]
    moved_head = [rule for rule in moved_head if rule not in loose]
    aligned = align(moved_base, moved_head, _kinds(means.compiled), lineage=means.lineage)
    known = {pair.base.id: found for pair in aligned.pairs if (found := _by_code(pair, means.compiled))}
    asked = Open(tuple(pair for pair in aligned.pairs if pair.base.id not in known), aligned.base, aligned.head)
    answer = await _answer(means.judge, asked)
    told = _Told(asked, answer, left)
    around = _Around(left, right, reset(left) | reset(right))
    changes = [around.put_in(change) for change in settled]
    changes += [around.held(change) for change in (*known.values(), *told.changes())]
    inputs = input_changes(base.specification.components, head.specification.components, (left, right))
    notes = limits_told(asked) if isinstance(answer, tuple) and asked.askable else ()
    failed = f"Rules were not compared: {answer.reason}." if isinstance(answer, Failed) and means.judge else ""
    silent = (*arranged((left, right)), *unread(base.specification, head.specification, (left, right)))
    notes = (*notes, *([failed] if failed else []), *silent)
    return SpecDiff(_ordered(changes, base, head), inputs, notes)


def _standing(
    base: Sequence[OutputRule], head: Sequence[OutputRule], both: tuple[Side, Side]
) -> tuple[list[RuleChange], list[OutputRule], list[OutputRule]]:
    """What needs no comparison, and the rules of either version that do."""
    stay, stayed = standing_of(base, both[0]), standing_of(head, both[1])
    still = align(stay, stayed, lineage=False)  # ids do not matter where everything is unchanged
    out = [RuleChange("unchanged", pair.base, pair.head, "evidence") for pair in still.pairs]
    out += [RuleChange("unchanged", None, rule, "evidence") for rule in still.head]
    alone = [*still.base]
    moved_base, moved_head = [], []
    standing, standing_now = frozenset(map(id, stay)), frozenset(map(id, stayed))
    said = frozenset(plain(other.text) for other in stayed)
    for rule in base:
        if id(rule) in standing:
            continue
        if plain(rule.text) in said:
            out.append(RuleChange("unknown", rule, None, "wording", ONCE_LESS))
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


def _by_code(pair: Pair, compiled: Compiled) -> RuleChange | None:
    """What code can say of two wordings."""
    if worded_alike(pair.base.text, pair.head.text):
        return RuleChange("reworded", pair.base, pair.head, pair.by)
    before, after = compiled(pair.base), compiled(pair.head)
    relation = by_code(before, after) if before and after else None
    return RuleChange(relation, pair.base, pair.head, pair.by) if relation else None


@dataclass(frozen=True, slots=True)
class _Around:
    """What the words of a prompt do to a rule whose wording is the same.

    Args:
        left, right: the two versions.
        names: those that either version sets in a way of its own.
    """

    left: Side
    right: Side
    names: frozenset[str]

    def put_in(self, change: RuleChange) -> RuleChange:
        """It is not the same promise where its sentence puts in something else."""
        used = any(uses(side, rule.evidence, self.names) for side, rule in self._rules(change))
        return replace(change, state="unknown", reason=RESET) if used and change.state in QUIET else change

    def held(self, change: RuleChange) -> RuleChange:
        """Nor where its sentence is a comment now; of one that stands, its place has told that already."""
        change = self.put_in(change)
        if change.state not in QUIET or change.base is None or change.head is None:
            return change
        moved = len({side.enclosed(rule.evidence) for side, rule in self._rules(change)}) > 1
        return replace(change, state="unknown", reason=ELSEWHERE) if moved else change

    def _rules(self, change: RuleChange) -> list[tuple[Side, OutputRule]]:
        both = ((self.left, change.base), (self.right, change.head))
        return [(side, rule) for side, rule in both if rule is not None]


def _kinds(compiled: Compiled) -> Callable[[OutputRule], frozenset[str]]:
    """Of counts alone: two rules about the number of words are about one thing, two patterns need not be."""

    def kinds(rule: OutputRule) -> frozenset[str]:
        found = compiled(rule)
        named = frozenset(scorer.kind for scorer in found.scorers) if found else frozenset()
        return named if named <= COUNTS else frozenset()

    return kinds


async def _answer(judge: Asker | None, asked: Open) -> tuple[Judged, ...] | Failed:
    if not asked.askable:
        return ()
    return Failed(NOBODY, attempts=0) if judge is None else await judged(judge, asked.bounded)


@dataclass(frozen=True, slots=True)
class _Told:
    """What is known after the judge.

    Args:
        asked: what code could not tell.
        answer: the judge's, or why there is none.
        side: the old version beside the new one.
    """

    asked: Open
    answer: tuple[Judged, ...] | Failed
    side: Side

    def changes(self) -> list[RuleChange]:
        """Of the pairs, those that the judge found, and the rules left alone."""
        answers = self.answer if isinstance(self.answer, tuple) else ()
        found = {one.base: one for one in answers if one.relation is not None}
        apart = {(one.base, one.head) for one in answers if one.relation is None}
        heads = {rule.id: rule for rule in (*(pair.head for pair in self.asked.pairs), *self.asked.head)}
        free = heads.keys() - {one.head for one in found.values()}
        guessed = {pair.base.id: pair for pair in self.asked.pairs}
        out = []
        for rule in (*(pair.base for pair in self.asked.pairs), *self.asked.base):
            one, pair = found.get(rule.id), guessed.get(rule.id)
            if one is not None and one.relation is not None:
                by = pair.by if pair is not None and pair.head.id == one.head else "meaning"
                relation, against = held(one.relation, (rule.text, heads[one.head].text), by)
                out.append(RuleChange(relation, rule, heads[one.head], by, against or one.reason, judged=True))
            elif pair is not None and pair.head.id in free and (rule.id, pair.head.id) not in apart:
                free.remove(pair.head.id)
                out.append(self._unanswered(pair))
            else:
                out.append(self._lost(rule))
        return [*out, *(self._gained(rule) for name, rule in heads.items() if name in free)]

    def _unanswered(self, pair: Pair) -> RuleChange:
        reason = self.answer.reason if isinstance(self.answer, Failed) else "the judge gave no answer"
        return RuleChange("unknown", pair.base, pair.head, pair.by, reason)

    def _lost(self, rule: OutputRule) -> RuleChange:
        standing = self.side.standing(rule.evidence)
        if standing == "touched":
            reason = "words that it rests on still stand in the prompt, beside others that changed"
            return RuleChange("unknown", rule, None, reason=reason)
        if standing == "unplaced":
            return RuleChange("unknown", rule, None, reason="it quotes no words of the prompt, and the prompt changed")
        why = self._unasked(self.asked.base, self.asked.head, rule)
        return RuleChange("unknown" if why else "removed", rule, None, reason=why)

    def _gained(self, rule: OutputRule) -> RuleChange:
        why = self._unasked(self.asked.head, self.asked.base, rule)
        return RuleChange("unknown" if why else "added", None, rule, reason=why)

    def _unasked(self, own: Sequence[OutputRule], others: Sequence[OutputRule], rule: OutputRule) -> str:
        """Why nobody knows whether a rule has a counterpart; empty where it has none."""
        if not others:
            return ""
        if isinstance(self.answer, Failed):
            return self.answer.reason
        beyond = rule in own[MOST:] or len(others) > MOST
        return "there are too many rules to compare" if beyond else ""


def _ordered(changes: Sequence[RuleChange], base: Version, head: Version) -> tuple[RuleChange, ...]:
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
