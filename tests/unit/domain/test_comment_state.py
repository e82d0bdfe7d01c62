"""What a comment keeps is read back as it was written, whatever else may stand there is nothing."""

import base64
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.comment_state import (
    EARLIER,
    LONGEST_STATE,
    MONTHS,
    SHARES,
    AcceptedOverride,
    CommentState,
    Told,
    following,
    hidden_line,
    share_of,
    state_in,
    with_shares,
)
from gate.domain.verdict import Verdict

MARK = "<!-- prompt-gate: gate.yaml -->"
PLAIN = CommentState(commit="a" * 40, started="2026-11-21T12:00:00Z", run="7.1", verdict=Verdict.BLOCK)
VERDICTS = st.sampled_from(Verdict)
COMMITS = st.sampled_from(["a" * 40, "b" * 40, "c" * 64])
MONTH_NAMES = st.integers(1, 12).map(lambda month: f"2026-{month:02}")


@st.composite
def states(draw: st.DrawFn) -> CommentState:
    return CommentState(
        commit=draw(COMMITS),
        started=f"2026-11-21T12:{draw(st.integers(0, 59)):02}:00Z",
        run=draw(st.sampled_from(["", "1.1", "1.2", "2.1", "3"])),
        verdict=draw(VERDICTS),
        earlier=draw(st.lists(st.builds(Told, commit=COMMITS, verdict=VERDICTS), max_size=EARLIER)),
        spent=draw(st.dictionaries(MONTH_NAMES, st.floats(0, 1e3), max_size=3)),
    )


def with_code(data: bytes) -> str:
    return f"{MARK}\n<!-- prompt-gate-state: {base64.b64encode(data).decode()} -->\nreport"


@given(states())
def test_it_is_read_back(state: CommentState) -> None:
    line = hidden_line(state)
    assert state_in(f"{MARK}\n{line}\nreport") == state
    assert state_in(f"{MARK}\r\n{line}\r\nreport") == state
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")


def test_the_largest_state_fits() -> None:
    spending = {f"{year}-{month:02}": 123456.789012345678 for year in (2026, 2027) for month in range(1, 13)}
    state = PLAIN.model_copy(
        update={
            "commit": "a" * 64,
            "earlier": [Told(commit="f" * 64, verdict=Verdict.INCONCLUSIVE)] * EARLIER,
            "override": AcceptedOverride(commit="e" * 64, at="2026-11-21T12:00:00.123456+00:00"),
            "spent": spending,
            "shares": {f"{10**19 + n}.{10**5}": {"2026-11": 0.1234567890123456} for n in range(SHARES)},
        }
    )
    assert len(spending) == MONTHS
    line = hidden_line(state)
    assert len(line) < LONGEST_STATE
    assert state_in(f"{MARK}\n{line}\n") == state


SEAL = Seal(b"secret", "acme/support-bot", 7)


@given(states())
def test_a_sealed_state_is_read_back_where_it_was_sealed(state: CommentState) -> None:
    line = hidden_line(state, MARK, SEAL)
    assert state_in(f"{MARK}\n{line}\nreport", SEAL) == state
    assert state_in(f"{MARK} \r\n{line}\r\nreport", SEAL) == state
    # A run without the secret cannot tell, and takes it as it is.
    assert state_in(f"{MARK}\n{line}\nreport") == state


@pytest.mark.parametrize(
    "seal",
    [
        NO_SEAL,
        replace(SEAL, secret=b"guessed"),
        replace(SEAL, number=8),
        replace(SEAL, number=77),
        replace(SEAL, repository="acme/other"),
    ],
)
def test_a_state_of_another_seal_is_none(seal: Seal) -> None:
    assert state_in(f"{MARK}\n{hidden_line(PLAIN, MARK, seal)}\n", SEAL) is None


def test_a_seal_holds_for_one_gate_and_one_text() -> None:
    line, other = hidden_line(PLAIN, MARK, SEAL), PLAIN.model_copy(update={"verdict": Verdict.SHIP})
    assert state_in(f"{MARK.replace('gate.yaml', 'b.yaml')}\n{line}\n", SEAL) is None
    code = hidden_line(PLAIN).split()[2]
    assert state_in(f"{MARK}\n{line.replace(code, hidden_line(other).split()[2])}\n", SEAL) is None
    assert state_in(f"{MARK}\n{line.replace(f'{code}.', f'{code}.0')}\n", SEAL) is None
    assert "secret" not in repr(SEAL)


@pytest.mark.parametrize(("ahead", "counts"), [(0, True), (10, True), (11, False), (60 * 24 * 365 * 5000, False)])
def test_without_a_secret_no_run_has_started_after_it_wrote(ahead: int, counts: bool) -> None:
    written = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    state = PLAIN.model_copy(update={"started": (written + timedelta(minutes=ahead)).isoformat()})
    assert (state_in(f"{MARK}\n{hidden_line(state)}\n", written=written) == state) is counts
    assert state_in(f"{MARK}\n{hidden_line(state, MARK, SEAL)}\n", SEAL, written) == state


@pytest.mark.parametrize(
    "body",
    [
        "",
        MARK,
        f"{MARK}\nreport",
        f"{MARK}\n\n{hidden_line(PLAIN)}",
        f"{MARK}\n> {hidden_line(PLAIN)}",
        f"{MARK}\n{hidden_line(PLAIN)} x",
        f"{MARK}\n<!-- prompt-gate-state: {'A' * (LONGEST_STATE + 1)} -->",
        f"{MARK}\n<!-- prompt-gate-state: abc -->",
        with_code(b"{"),
        with_code(b"[]"),
        with_code(b"\xff"),
        with_code(b"[" * 4_000),
        with_code(PLAIN.model_copy(update={"started": "2026-02-30T12:00:00Z"}).model_dump_json().encode()),
        with_code(PLAIN.model_dump_json().replace("{", '{"more":1,', 1).encode()),
        with_code(PLAIN.model_dump_json().replace('"version":1', '"version":2').encode()),
        with_code(PLAIN.model_dump_json().replace('"spent":{}', '"spent":{"2026-11":-1}').encode()),
        with_code(PLAIN.model_dump_json().replace('"spent":{}', '"spent":{"2026-11":NaN}').encode()),
    ],
)
def test_what_is_no_state(body: str) -> None:
    assert state_in(body) is None


@given(st.binary(max_size=200))
def test_any_code_is_a_state_or_none(data: bytes) -> None:
    assert state_in(with_code(data)) is None


@given(states(), states())
def test_what_follows_names_each_verdict_once_in_a_row(before: CommentState, own: CommentState) -> None:
    state = following(before, own)
    told = [*state.earlier, state.told]
    assert all(one != other for one, other in zip(told, told[1:], strict=False))
    assert len(state.earlier) <= EARLIER
    if before.told != own.told:
        assert state.earlier[-1] == before.told
    assert CommentState.model_validate(state.model_dump()) == state


@given(states())
def test_a_run_with_a_number_counts_once(own: CommentState) -> None:
    once = following(None, own)
    assert once.spent == pytest.approx(own.spent)
    again = with_shares(following(once, own), share_of(own))
    assert again.spent == pytest.approx(own.spent) or not own.run


def test_later_starts_and_later_attempts_are_newer() -> None:
    def age(started: str, run: str) -> object:
        return PLAIN.model_copy(update={"started": started, "run": run}).age

    first = age("2026-11-21T12:00:00Z", "9.1")
    assert first < age("2026-11-21T12:00:00.5+00:00", "1.1")  # type: ignore[operator]
    assert first < age("2026-11-21T12:00:00Z", "9.2") < age("2026-11-21T12:00:00Z", "10.1")  # type: ignore[operator]
