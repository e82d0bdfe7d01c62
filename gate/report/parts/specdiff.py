"""Parts of a report: what the change does to the promises of a prompt."""

from dataclasses import dataclass

from gate.domain.specdiff import ChangeState
from gate.domain.words import counted


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """One rule.

    Args:
        state: what became of it.
        words: the same in plain words, `dropped`.
        rule: its id.
        before, after: its wordings; empty where there is none.
        evidence: the prompt's words that it rested on, or now rests on.
        reason: why, or why nobody knows; empty where nothing needs saying.
        tried: how both versions keep it, on tests made for it; empty where there were none.
        broken: no answer of the new prompt keeps it.
        intended: the author is asked whether that was meant.
    """

    state: ChangeState
    words: str
    rule: str
    before: str
    after: str
    evidence: str
    reason: str
    tried: str
    intended: bool
    broken: bool = False


@dataclass(frozen=True, slots=True)
class InputRow:
    """One component of the input.

    Args:
        words: what became of it.
        name: its name.
        before, after: what is said of it; empty where it is not there.
    """

    words: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PromiseTable:
    """The promises of one suite's prompt.

    Args:
        suite: its name; empty where there is one alone.
        brief: `1 dropped, 2 new, 12 unchanged`.
        rows: what matters most first.
        folded: what a reader can pass over: rules beyond the first few, and those that are only in other words.
        more: rules that there are no rows for.
        inputs: what changed of the input.
        notes: what could not be done, and who compared the wordings.
    """

    suite: str
    brief: str
    rows: tuple[PromiseRow, ...]
    folded: tuple[PromiseRow, ...]
    more: int
    inputs: tuple[InputRow, ...]
    notes: tuple[str, ...]

    @property
    def folded_brief(self) -> str:
        """`3 more rules, 1 part of the input`."""
        rules = counted(len(self.folded), "more rule") if self.folded else ""
        inputs = counted(len(self.inputs), "part of the input", "parts of the input") if self.inputs else ""
        return ", ".join(filter(None, (rules, inputs)))
