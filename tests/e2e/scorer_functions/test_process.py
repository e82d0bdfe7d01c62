"""What a function that scores is called with and may answer, and what becomes of a process that answers no more."""

import asyncio
import json
import os
from dataclasses import replace

from gate.agents.functions import FunctionScorer, FunctionWorktree, ScoringProcess
from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.messages import Message
from gate.record.transcript import Score, Unscored
from gate.scoring.interface import Finding, Subject
from tests.e2e.python_functions.jobs import SCORE, scored, with_process

LIMITS = SCORE.limits


def of_odd(worktree: FunctionWorktree, odd: str, start: str = "", call_s: float = LIMITS.call_s) -> Finding:
    """What is said of the second of three answers, which is odd; the others are scored as ever."""
    SCORE.put(worktree, f"if who == 'odd': {odd}\n    {SCORE.usual}", start)
    first, found, third = scored(worktree, replace(LIMITS, call_s=call_s))
    assert (first[0], third[0]) == (1.0, 0.0)
    return found


SCORES = (
    ("return True", 1.0, "bots.persona:asked returned 1"),
    ("return 0.25", 0.25, "bots.persona:asked returned 0.25"),
    ("return {'score': 0.5, 'reason': 'so so'}", 0.5, "so so"),
    ("import numpy; return numpy.float32(0.5)", 0.5, "bots.persona:asked returned 0.5"),
    ("return {'score': 0.5, 'reason': 'x' * 500}", 0.5, "x" * 500),
    ("return {'pass': True, 'reason': None}", 1.0, "bots.persona:asked returned 1"),
    ("return {'pass_': False, 'component_results': []}", 0.0, "bots.persona:asked returned 0"),
    ("return {'pass': True, 'score': 0.5, 'reason': 'so', 'namedScores': {}}", 0.5, "so"),
)


def test_what_counts_as_a_score(worktree: FunctionWorktree) -> None:
    lines = [f"if who == '{number}': {odd}" for number, (odd, _, _) in enumerate(SCORES)]
    SCORE.put(worktree, "\n    ".join(lines))
    found = scored(worktree, replace(LIMITS, call_s=20.0), [str(number) for number in range(len(SCORES))])
    assert found == [(value, reason) for _, value, reason in SCORES]


NO_SCORES = (
    ("return case.missing", "AttributeError: the case has no 'missing'"),
    ("return None", "it returned NoneType, not true, false or a number from 0 to 1"),
    ("return '1'", "it returned str"),
    ("return 1.5", "it returned a number that is not from 0 to 1"),
    ("return float('nan')", "it returned a number that is not from 0 to 1"),
    ("return {'reason': 'good'}", "it returned a mapping that does not consist of score and reason"),
    ("return {'score': 1, 'reason': 3}", "its reason is int, not a text"),
    ("return {'score': 1, 'reason': 'x' * 501}", "its reason has 501 characters; the limit is 500"),
)


def test_what_is_no_score(worktree: FunctionWorktree) -> None:
    reasons = SCORE.odds(worktree, [odd for odd, _ in NO_SCORES])
    for reason, (_, said) in zip(reasons, NO_SCORES, strict=True):
        assert reason.startswith(SCORE.failure + said)
        assert len(reason) < 300
        assert reason.isprintable()


FORGE = """
def forge():
    for pipe in range(3, 30):
        try:
            os.write(pipe, b'["answer", "0123456789abcdef", [1.0, "forged"]]\\n')
        except OSError:
            pass
"""


def test_what_is_written_into_its_pipes_is_no_answer_to_another_question(worktree: FunctionWorktree) -> None:
    value, _ = of_odd(worktree, "forge()", FORGE)
    assert value == Unscored(SCORE.failure + "its reply is not valid")


def test_who_gives_up_waiting_disturbs_nobody(worktree: FunctionWorktree) -> None:
    SCORE.put(worktree, "time.sleep(0.05); return {'score': 1, 'reason': answer}")

    async def work(process: ScoringProcess) -> list[Finding]:
        tasks = [asyncio.create_task(process.score(Subject(Case("c"), str(n)))) for n in range(6)]
        await asyncio.sleep(0.07)
        for task in tasks[:5]:
            task.cancel()
        return [await tasks[5], await process.score(Subject(Case("c"), "late"))]

    assert [reason for _, reason in with_process(worktree, LIMITS, work)] == ["5", "late"]


def test_a_function_that_dies_again_and_again_is_given_up(worktree: FunctionWorktree) -> None:
    SCORE.put(worktree, "os._exit(3)")
    found = scored(worktree, replace(LIMITS, losses=3), ["x"] * 8)
    reasons = [value.reason if isinstance(value, Unscored) else "" for value, _ in found]
    assert len(reasons) == 8
    assert all(reason.startswith(SCORE.failure + "it ended (exit code 3)") for reason in reasons)


def test_a_keeper_that_is_killed_leaves_answers_unscored(worktree: FunctionWorktree) -> None:
    SCORE.put(worktree, "os.kill(os.getppid(), 9); time.sleep(60)")
    found = scored(worktree, replace(LIMITS, call_s=30.0), ["x", "y"])
    assert all(
        isinstance(value, Unscored) and "the process that supervises it was killed" in value.reason
        for value, _ in found
    )


def test_a_start_that_hangs_after_a_death_ends_the_scorer(worktree: FunctionWorktree) -> None:
    mark = worktree.root / "began"
    start = f"if os.path.exists({os.fspath(mark)!r}): time.sleep(60)\nopen({os.fspath(mark)!r}, 'w').close()"
    SCORE.put(worktree, "os._exit(3)", start)
    found = scored(worktree, replace(LIMITS, import_s=0.7), ["x", "y"])
    assert [isinstance(value, Unscored) for value, _ in found] == [True, True]
    assert "it took longer than 0.7 s" in str(found[1][0])


def test_what_the_function_is_called_with(worktree: FunctionWorktree) -> None:
    SCORE.put(
        worktree,
        "import json; return {'score': 1, 'reason': json.dumps([answer, case, case.slices.lang, len(case.messages)])}",
    )
    case = Case(
        "c1",
        messages=(Message("user", "hi"),),
        expected={"n": [1]},
        slices={"lang": "de"},
        vars={"deep": {"x": 1}},
    )

    async def work(process: ScoringProcess) -> Finding:
        return await process.score(Subject(case, "größer\n\udc80"))

    value, reason = with_process(worktree, LIMITS, work)
    assert value == 1.0
    answer, seen, lang, count = json.loads(reason)
    assert (answer, lang, count) == ("größer\n\udc80", "de", 1)
    assert seen == {
        "id": "c1",
        "input": "",
        "messages": [{"role": "user", "content": "hi"}],
        "expected": {"n": [1]},
        "slices": {"lang": "de"},
        "vars": {"deep": {"x": 1}},
    }


def test_negation_weight_and_name_are_the_scorers(worktree: FunctionWorktree) -> None:
    SCORE.put(worktree, "return 0.25 if answer else None")
    spec = ScorerSpec("python", "rude", {"function": "bots.persona:asked"}, 2.0, required=True, negate=True)

    async def work(process: ScoringProcess) -> list[Score]:
        scorer = FunctionScorer(spec, process)
        return [await scorer.score(Subject(Case("c"), text), 0) for text in ("x", "")]

    fine, none = with_process(worktree, LIMITS, work)
    assert (fine.scorer, fine.value, fine.weight, fine.required) == ("rude", 0.75, 2.0, True)
    assert isinstance(none.value, Unscored)
