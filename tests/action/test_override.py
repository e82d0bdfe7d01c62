"""The override label counts only where everything that matters is known and right."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.action.override import NewestCommit, OverrideFacts, decide_override
from gate.github.events import LabelEvent
from gate.record.parts import LabelScope, OverrideBy, Role, Rule
from gate.record.transcript import Failed
from tests.action.labelling import AT, HEAD, LABEL, TRIAGE, event

GONE = Failed("cannot read it", attempts=3)


def facts(**other: object) -> OverrideFacts:
    """Olivia, who may triage, set the label; ada opened the pull request and wrote its newest commit."""
    known = OverrideFacts(
        NewestCommit(HEAD), events=[event()], role=TRIAGE, author="ada", head_author="ada", comments=()
    )
    return replace(known, **other)


def test_who_set_it_when_for_which_commit() -> None:
    found = decide_override(LABEL, Rule(LABEL), facts())
    assert found.model_dump() == {
        "label": LABEL,
        "by": "olivia",
        "at": AT,
        "commit": HEAD,
        "role": "triage",
        "reason": "",
        "counted": True,
        "why_not": "",
    }


def test_the_last_setting_counts() -> None:
    events = [event(by="ada"), event(is_set=False, by="ada"), event("Skip-Prompt-Diff", "olivia"), event("docs", "eve")]
    assert decide_override(LABEL, Rule(LABEL), facts(events=events)).by == "olivia"
    assert decide_override(LABEL, Rule(LABEL), facts(events=[*events[::-1][1:], event(by="eve")])).by == "eve"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([], "does not show who set it"),
        ([event("the-old-name")], "does not show who set it"),
        ([event(), event(is_set=False)], "does not show who set it"),
        (GONE, "does not count: cannot read it."),
        ([event(by=None)], "was set by an account that no longer exists, and does not count"),
        ([event(at=None)], "was set by olivia and does not count: the timeline of the pull request does not show when"),
        ([event(at="yesterday")], "does not show when"),
    ],
)
@pytest.mark.parametrize("by", ["triage", "not-author", "anyone"])
def test_a_timeline_that_does_not_tell(events: object, said: str, by: OverrideBy) -> None:
    found = decide_override(LABEL, Rule(LABEL, by), facts(events=events))
    assert not found.counted
    assert said in found.why_not


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (LabelEvent(LABEL, True, "dependabot[bot]", AT, bot=True), "was set by dependabot[bot], a bot, and does not"),
        (LabelEvent(LABEL, True, "olivia", AT, app="labeler"), "was set by olivia through the app labeler, and does"),
    ],
)
def test_bots_and_workflows_count_for_anyone_only(setting: LabelEvent, said: str) -> None:
    for by in ("triage", "not-author"):
        found = decide_override(LABEL, Rule(LABEL, by), facts(events=[setting], role=Role("admin", "admin")))
        assert (found.counted, said in found.why_not) == (False, True)
    assert decide_override(LABEL, Rule(LABEL, "anyone"), facts(events=[setting])).counted


@pytest.mark.parametrize(
    ("role", "counts"),
    [
        (Role("triage", "read"), True),
        (Role("write", "write"), True),
        (Role("read", "read"), False),
        (Role("read", "read", triage=True), False),
        (Role("community-helper", "read"), False),
        (Role("community-helper", "read", triage=True), True),
        (Role("community-helper", "none", triage=True), False),
        (Role("", "write"), True),
        (Role("", "read"), False),
        (Role("admin", "read"), False),
        (Role("write", "read", triage=True), False),
    ],
)
def test_only_triage_rights_or_more_count(role: Role, counts: bool) -> None:
    found = decide_override(LABEL, Rule(LABEL), facts(role=role))
    assert found.counted is counts
    assert counts or "the role triage or above is needed" in found.why_not


@pytest.mark.parametrize(
    ("author", "head_author", "said"),
    [
        ("Olivia", "ada", "was set by olivia, who opened this pull request, and does not count."),
        ("ada", "OLIVIA", "was set by olivia, who wrote its newest commit, and does not count."),
        (GONE, "ada", "does not count: cannot read it."),
        ("ada", GONE, "does not count: cannot read it."),
        ("ada", None, ""),
        (None, None, ""),
    ],
)
def test_not_the_author(author: object, head_author: object, said: str) -> None:
    known = facts(author=author, head_author=head_author)
    found = decide_override(LABEL, Rule(LABEL, "not-author"), known)
    assert (found.counted, said in found.why_not) == (not said, True)
    assert decide_override(LABEL, Rule(LABEL, "triage"), known).counted


STALE = f"The label {LABEL} was set before the last push; set it again to override."


@pytest.mark.parametrize(
    ("push", "pushed_at", "counts"),
    [
        (NewestCommit(HEAD), "2026-03-02T09:00:01Z", False),
        (NewestCommit(HEAD), "2026-03-02T09:00:00Z", False),
        (NewestCommit(HEAD), "2026-03-02T10:59:59+02:00", True),
        (NewestCommit(HEAD, ("docs", "Skip-prompt-diff")), "2026-03-02T09:00:01Z", True),
        (NewestCommit(HEAD, ("docs",)), "2026-03-02T09:00:01Z", False),
    ],
)
def test_a_label_of_one_commit_expires_with_the_next_push(push: NewestCommit, pushed_at: str, counts: bool) -> None:
    known = facts(push=push, pushed_at=pushed_at)
    found = decide_override(LABEL, Rule(LABEL, scope="commit"), known)
    assert (found.counted, found.why_not) == (counts, "" if counts else STALE)
    assert decide_override(LABEL, Rule(LABEL), known).counted


ROLES = st.builds(
    Role, st.sampled_from(["", "read", "triage", "write", "own"]), st.sampled_from(["read", "write"]), st.booleans()
)
LOGINS = st.sampled_from(["olivia", "ada", None])
EVENTS = st.builds(
    LabelEvent, st.sampled_from([LABEL, "docs"]), st.booleans(), LOGINS, st.sampled_from([AT, None]), st.booleans()
)
FACTS = st.builds(
    OverrideFacts,
    st.builds(NewestCommit, st.just(HEAD), set_on_head=st.sampled_from([(), (LABEL,)])),
    events=st.just(GONE) | st.lists(EVENTS, max_size=4),
    role=st.just(GONE) | ROLES,
    author=st.just(GONE) | LOGINS,
    head_author=st.just(GONE) | LOGINS,
    comments=st.just(GONE) | st.just(()),
)
BY = st.sampled_from(["triage", "not-author", "anyone"])
SCOPES = st.sampled_from(["pull-request", "commit"])


@given(FACTS, BY, SCOPES)
def test_nothing_that_could_not_be_read_ever_counts(known: OverrideFacts, by: OverrideBy, scope: LabelScope) -> None:
    found = decide_override(LABEL, Rule(LABEL, by, scope), known)
    assert found.counted is not bool(found.why_not)
    needed: list[object] = [known.events]
    needed += [] if by == "anyone" else [known.role]
    needed += [known.author, known.head_author] if by == "not-author" else []
    if any(isinstance(fact, Failed) for fact in needed):
        assert not found.counted
    if found.counted:
        assert found.by is not None
        assert found.at is not None


@given(FACTS, SCOPES)
def test_a_stricter_rule_never_counts_what_a_looser_one_refuses(known: OverrideFacts, scope: LabelScope) -> None:
    strict, usual, loose = (
        decide_override(LABEL, Rule(LABEL, by, scope), known).counted for by in ("not-author", "triage", "anyone")
    )
    assert strict <= usual <= loose
    assert (
        decide_override(LABEL, Rule(LABEL, "triage", "commit"), known).counted
        <= decide_override(LABEL, Rule(LABEL), known).counted
    )


@pytest.mark.parametrize("text", ["\ud800", "<!-- x -->", "x" * 100_000])
def test_any_text_from_github_can_be_written(text: str) -> None:
    found = decide_override(text, Rule(text), facts(events=[event(text, text, at=text)], role=Role(text, text)))
    assert not found.counted
    assert found.model_dump_json()
