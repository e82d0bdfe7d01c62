"""Two runs that publish at the same time, in every order of their requests: one comment is left, the newer run's."""

import pytest

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.comment_state import CommentState, hidden_line, state_in
from gate.domain.verdict import Verdict
from gate.flows.commenttext import announced, marker, without_report
from gate.flows.publish import Mode, Sticky, publish
from tests.support.conversation import MemoryConversation, Wall
from tests.support.interleaving import Program, Scheduler, orders

HEAD, BEFORE = "a" * 40, "b" * 40
MARK = marker("gate.yaml")
MONTH = "2026-11"


def state(number: int, commit: str = HEAD, verdict: Verdict = Verdict.BLOCK) -> CommentState:
    """Of the run that started `number` minutes after twelve, and cost as many dollars."""
    started, spent = f"2026-11-21T12:{number:02}:00Z", {MONTH: float(number)}
    return CommentState(commit=commit, started=started, run=f"{number}.1", verdict=verdict, spent=spent)


OLD = f"{MARK}\n{hidden_line(state(1, BEFORE).model_copy(update={'shares': {'1.1': {MONTH: 1.0}}}))}\nbefore"
BARE = f"{MARK}\nbefore"
ANNOUNCED = announced(MARK, "Evaluating")


STARTS = {"none": [], "one": [OLD], "bare": [BARE], "two": [OLD, OLD], "announced": [ANNOUNCED]}
SPENT = {"none": 5.0, "one": 6.0, "bare": 5.0, "two": 6.0, "announced": 5.0}


def program(wall: Wall, number: int, mode: Mode, seal: Seal = NO_SEAL) -> Program:
    """The run that started `number` minutes after twelve."""

    def body(scheduler: Scheduler, who: int) -> None:
        talk = MemoryConversation(wall, lambda reads: scheduler.step(who, reads), seal)
        verdict = Verdict.BLOCK if number == 2 else Verdict.SKIPPED
        sticky = Sticky(MARK, lambda *_: f"run {number}", state(number, verdict=verdict), mode)
        scheduler.step(who, True)
        publish(talk, sticky, pause=lambda _: scheduler.wait(who))

    return body


# Measured once with three changes of turn in all modes from all starts, 75,000 orders; a bad order needs one or two.
@pytest.mark.parametrize("numbers", [(2, 3), (3, 2)])
@pytest.mark.parametrize(
    ("mode", "start", "switches"),
    [
        ("update", "none", 2),
        ("update", "one", 2),
        ("update", "bare", 1),
        ("update", "two", 1),
        ("recreate", "one", 1),
        ("hide", "one", 1),
        ("recreate", "announced", 1),
        ("hide", "announced", 1),
    ],
)
def test_the_newer_run_wins(mode: Mode, start: str, switches: int, numbers: tuple[int, int]) -> None:
    walls: list[Wall] = []

    def run(scheduler: Scheduler) -> None:
        walls.append(Wall(HEAD))
        for body in STARTS[start]:
            walls[-1].post(body)
        scheduler.run([program(walls[-1], number, mode) for number in numbers])

    for scheduler in orders(run, most_switches=switches):
        wall = walls[-1]
        own = [one for one in wall.comments.values() if one.body.startswith(MARK)]
        assert [one.body.split("\n", 2)[2] for one in own] == ["run 3"], scheduler.trace
        kept = state_in(own[0].body)
        assert kept is not None
        assert kept.run == "3.1"
        assert kept.spent == {MONTH: SPENT[start]}, scheduler.trace
        assert not wall.claims & wall.comments.keys()
        assert own[0].id not in wall.hidden
        assert not any(without_report(one.body) for one in wall.comments.values()), scheduler.trace
    assert len(walls) > 12


def test_two_runs_that_do_not_know_each_other_s_seal_leave_one_comment() -> None:
    walls: list[Wall] = []

    def run(scheduler: Scheduler) -> None:
        walls.append(Wall(HEAD))
        seals = [Seal(secret, "acme/support-bot", 7) for secret in (b"one", b"")]
        scheduler.run([program(walls[-1], 2 + place, "update", seal) for place, seal in enumerate(seals)])

    for scheduler in orders(run, most_switches=3):
        left = [one.body.split("\n", 2)[2] for one in walls[-1].comments.values()]
        assert left in (["run 2"], ["run 3"]), scheduler.trace
    assert len(walls) > 12
