"""The override label: found in either spelling, with who set it last."""

import pytest

from gate.domain.pull_request import LabelEvent
from gate.flows.override import Override, override, with_setter

LABEL = "skip-prompt-diff"


def event(label: str, by: str | None, is_set: bool = True, at: str | None = "2026-03-02T09:00:00Z") -> LabelEvent:
    return LabelEvent(label, is_set, by, at)


@pytest.mark.parametrize("name", [LABEL, f"[{LABEL}]", "Skip-Prompt-Diff", "[SKIP-PROMPT-DIFF]"])
@pytest.mark.parametrize("wanted", [LABEL, f"[{LABEL}]", "SKIP-prompt-diff"])
def test_it_is_found_as_it_is_spelt(name: str, wanted: str) -> None:
    assert override(["docs", name], wanted) == Override(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "[]",
        "docs",
        "skip",
        f"{LABEL}-x",
        f"no-{LABEL}",
        f"[[{LABEL}]]",
        f"[{LABEL}",
        f"{LABEL}]",
        "skip prompt diff",
    ],
)
def test_another_label_is_no_override(name: str) -> None:
    assert override([name], LABEL) is None


def test_no_labels() -> None:
    assert override([], LABEL) is None


def test_the_first_of_both_spellings_is_taken() -> None:
    assert override([f"[{LABEL}]", LABEL], LABEL) == Override(f"[{LABEL}]")


def test_who_set_it_last() -> None:
    events = [
        event(LABEL, "ada", at="2026-03-01T09:00:00Z"),
        event("docs", "mallory"),
        event(LABEL, "ada", is_set=False),
        event("Skip-Prompt-Diff", "olivia", at="2026-03-02T10:00:00Z"),
        event(f"[{LABEL}]", "mallory"),
        event("docs", "mallory", is_set=False),
    ]
    assert with_setter(Override(LABEL), events) == Override(LABEL, "olivia", "2026-03-02T10:00:00Z")
    assert with_setter(Override(f"[{LABEL}]"), events).by == "mallory"


@pytest.mark.parametrize(
    "events",
    [
        [],
        [event("docs", "ada")],
        [event(LABEL, "ada", is_set=False)],
        [event(LABEL, "ada"), event(LABEL, "ada", is_set=False)],
        [event("", None)],
    ],
)
def test_events_that_do_not_tell(events: list[LabelEvent]) -> None:
    assert with_setter(Override(LABEL), events) == Override(LABEL)


def test_an_account_that_is_gone() -> None:
    assert with_setter(Override(LABEL), [event(LABEL, None)]) == Override(LABEL, None, "2026-03-02T09:00:00Z")
