"""The override label is found in either spelling, and no more is asked about it than its rule needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest

from gate.action.override import NewestCommit, look_up, override_of, spellings
from gate.errors import CannotEvaluate
from gate.github.events import LabelEvent, PostedComment
from gate.github.pulls import PullRequestApi
from gate.record.parts import Role, Rule
from tests.action.labelling import HEAD, LABEL, TRIAGE, event


@dataclass
class World:
    """Answers, or raises, and notes what was asked."""

    events_: Sequence[LabelEvent] | CannotEvaluate = field(default_factory=lambda: [event()])
    role_: Role | CannotEvaluate = TRIAGE
    asked: list[str] = field(default_factory=list)

    def events(self) -> Sequence[LabelEvent]:
        self.asked.append("events")
        if isinstance(self.events_, CannotEvaluate):
            raise self.events_
        return self.events_

    def role(self, login: str) -> Role:
        self.asked.append(f"role {login}")
        if isinstance(self.role_, CannotEvaluate):
            raise self.role_
        return self.role_ if login == "olivia" else Role("read", "read")

    def author(self) -> str | None:
        self.asked.append("author")
        return "ada"

    def commit_author(self, sha: str) -> str | None:
        self.asked.append(f"commit {sha[:1]}")
        return None

    def comments(self) -> Sequence[PostedComment]:
        self.asked.append("comments")
        raise CannotEvaluate("cannot read the comments")

    @property
    def sources(self) -> PullRequestApi:
        return cast("PullRequestApi", self)


@pytest.mark.parametrize("name", [LABEL, f"[{LABEL}]", "Skip-Prompt-Diff", "[SKIP-PROMPT-DIFF]"])
@pytest.mark.parametrize("wanted", [LABEL, f"[{LABEL}]", "SKIP-prompt-diff"])
def test_it_is_found_as_it_is_spelt(name: str, wanted: str) -> None:
    assert spellings(["docs", name], wanted) == (name,)


@pytest.mark.parametrize(
    "name",
    ["", "[]", "docs", f"{LABEL}-x", f"no-{LABEL}", f"[[{LABEL}]]", f"[{LABEL}", f"{LABEL}]", "skip prompt diff"],
)
def test_another_label_is_no_override(name: str) -> None:
    assert spellings([name], LABEL) == ()
    assert override_of([name], Rule(LABEL), NewestCommit(HEAD), World().sources) is None


def test_of_both_spellings_the_one_that_counts_is_taken() -> None:
    world = World(events_=[event(f"[{LABEL}]", "mallory"), event()])
    found = override_of([f"[{LABEL}]", LABEL], Rule(LABEL), NewestCommit(HEAD), world.sources)
    assert found is not None
    assert (found.label, found.by, found.counted) == (LABEL, "olivia", True)
    refused = override_of([f"[{LABEL}]"], Rule(LABEL), NewestCommit(HEAD), world.sources)
    assert refused is not None
    assert (refused.by, refused.counted) == ("mallory", False)


def test_only_what_the_rule_needs_is_asked_for() -> None:
    asked = {}
    for by in ("triage", "not-author", "anyone"):
        world = World()
        look_up(LABEL, Rule(LABEL, by), NewestCommit(HEAD), world.sources)
        asked[by] = world.asked
    assert asked == {
        "triage": ["events", "role olivia", "comments"],
        "not-author": ["events", "role olivia", "author", "commit a", "comments"],
        "anyone": ["events", "comments"],
    }


@pytest.mark.parametrize("events", [CannotEvaluate("no timeline"), [event(by=None)], []])
def test_nothing_more_is_asked_where_nobody_is_known(events: Sequence[LabelEvent] | CannotEvaluate) -> None:
    world = World(events_=events)
    found = override_of([LABEL], Rule(LABEL), NewestCommit(HEAD), world.sources)
    assert found is not None
    assert not found.counted
    assert world.asked == ["events"]
