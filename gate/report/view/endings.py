"""x"""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.record.parts import ArmRecord
from gate.record.run import RunRecord
from gate.record.sample import STEP_LIMIT
from gate.report import numbers
from gate.report.view.slices import Code, Fact, Text, short_line, suite_label

NOTABLE = 0.01
"""Share of an arm's replies, or difference of the arms' shares, from which on a note is shown."""


COMMON = 0.2
"""Share of an arm's replies without text from which on a note is shown even where the arms do not differ."""


SUITES_SHOWN = 3


TOKENS_SETTING = "max_output_tokens"


STEPS_SETTING = "max_steps"


@dataclass(frozen=True, slots=True)
class _Found:
    """One kind of ending in one suite.

    Args:
        suite: empty in a run over one suite.
        kind: `cut off`, `refused`, `empty` or `step limit`.
        counts: of both arms, the baseline's first; None for the baseline of a new prompt.
    """

    suite: str
    kind: str
    arms: tuple[ArmRecord | None, ArmRecord]
    counts: tuple[int, int]

    @property
    def shares(self) -> tuple[float, float]:
        """The share of such replies, by arm."""
        first, second = (
            count / arm.replies if arm is not None and arm.replies else 0.0
            for arm, count in zip(self.arms, self.counts, strict=True)
        )
        return first, second

    @property
    def notable(self) -> bool:
        """Whether they are enough to act on."""
        return max(self.shares) >= NOTABLE

    @property
    def differs(self) -> bool:
        """Whether the arms differ enough; for a prompt without a baseline, whether its share is large enough."""
        return abs(self.shares[1] - self.shares[0]) >= NOTABLE

    @property
    def common(self) -> bool:
        """Whether so many replies are empty that scores say little, even if the arms do not differ."""
        return self.kind == "empty" and max(self.shares) >= COMMON


def ending_findings(run: RunRecord) -> tuple[Text, ...]:
    """A sentence for each kind of ending that is common or differs between the arms; only for the first suites."""
    told = [found for found in _all(run) if found.differs or found.common]
    shown = list(dict.fromkeys(found.suite for found in told))[:SUITES_SHOWN]
    return tuple(_finding(found) for found in told if found.suite in shown)


def ending_advice(run: RunRecord) -> Iterator[Text]:
    """What to do about them."""
    kinds = {found.kind for found in _all(run) if found.notable}
    if STEP_LIMIT in kinds:
        ours = all(arm.max_steps is not None for _, (_, arm) in _arms_of_run(run) if arm.step_limited)
        limit: Text = (Code(STEPS_SETTING),) if ours else ("the step limit of the agent",)
        yield (
            "Raise ",
            *limit,
            ", or find out which tools are called again and again: conversations were ended there.",
        )
    if "cut off" in kinds:
        yield (
            "Set a higher ",
            Code(TOKENS_SETTING),
            ", or say in the prompt how long an answer may be: replies were cut off.",
        )
    if "refused" in kinds:
        yield ("Find out what is refused, and why: a refusal is scored like any other answer.",)
    if "empty" in kinds:
        yield ("Find out why replies are empty: reasoning that uses up ", Code(TOKENS_SETTING), ", or a stop sequence.")


def ending_facts(run: RunRecord) -> Iterator[Fact]:
    """One line for each arm with such replies."""
    for suite, arms in _arms_of_run(run):
        prefix = f"{suite}: " if suite else ""
        for name, arm in zip(("baseline", "candidate"), arms, strict=True):
            if arm is not None and (told := _told(arm)):
                yield Fact(f"{prefix}replies of the {name}", told, brief=True)


def _told(arm: ArmRecord) -> Text:
    out: list[str | Code] = []
    for kind, count in _counts(arm).items():
        if count:
            out += [", " if out else "", f"{count:,} {_word(kind, count)}", *_limit(kind, arm)]
    return (*out, f"; {numbers.counted(arm.replies, 'reply', 'replies')} in all") if out else ()


def _finding(found: _Found) -> Text:
    # The sentence begins with the arm that has such replies.
    both = (("candidate", found.arms[1], found.counts[1]), ("baseline", found.arms[0], found.counts[0]))
    (name, arm, count), (other, rest, fewer) = both if found.counts[1] else both[::-1]
    if arm is None:
        return ()
    verb = "was" if count == 1 else "were"
    article = "a " if found.kind == "refused" and count == 1 else ""
    where: Text = (Code(found.suite), ": ") if found.suite else ()
    noun = ("conversation", "") if found.kind == STEP_LIMIT else ("reply", "replies")
    many = f"{count:,} of {numbers.counted(arm.replies, *noun)} of the {name}"
    less = f"{fewer:,}" if fewer else "none"
    end = "" if rest is None else f", and {less} of the {other}'s {rest.replies:,}"
    return (*where, f"{many} {verb} {article}{_word(found.kind, count)}", *_limit(found.kind, arm), f"{end}.")


def _word(kind: str, count: int) -> str:
    if kind == STEP_LIMIT:
        return "ended"
    return ("refusal" if count == 1 else "refusals") if kind == "refused" else kind


def _limit(kind: str, arm: ArmRecord) -> Text:
    """Which limit it was."""
    if kind == STEP_LIMIT:
        return (
            (" at the step limit",) if arm.max_steps is None else (" at ", Code(STEPS_SETTING), f" ({arm.max_steps:,})")
        )
    if kind != "cut off":
        return ()
    value = arm.params.get(TOKENS_SETTING)
    return (
        (" at ", Code(TOKENS_SETTING), f" ({value:,})") if isinstance(value, int) else (" at the service's own limit",)
    )


def _all(run: RunRecord) -> Iterator[_Found]:
    for suite, (before, after) in _arms_of_run(run):
        first = {} if before is None else _counts(before)
        for kind, count in _counts(after).items():
            yield _Found(suite, kind, (before, after), (first.get(kind, 0), count))


def _arms_of_run(run: RunRecord) -> Iterator[tuple[str, tuple[ArmRecord | None, ArmRecord]]]:
    for suite in run.suites:
        yield short_line(suite_label(run, suite)), (suite.baseline, suite.candidate)
    for new in run.new:
        yield short_line(suite_label(run, new)), (None, new.candidate)


def _counts(arm: ArmRecord) -> dict[str, int]:
    return {"cut off": arm.cut_off, "refused": arm.refused, "empty": arm.empty, STEP_LIMIT: arm.step_limited}
