"""What a deleted prompt says to the verdict: never green without a word, never more than a HOLD."""

import pytest

from gate.config.policy import RunPolicy
from gate.engine.compare import Quality
from gate.engine.decide import NewPromptReasons, VerdictFacts, decide
from gate.record.comparison import Verdict
from gate.record.parts import Deletion

GONE = Deletion("p/x.md", "origin/main", 1200)
SAID = "p/x.md, which origin/main examines with 1,200 cases, is deleted."
NOTHING = Quality((), 0, None)


def facts(new: NewPromptReasons = NewPromptReasons(), unfinished: str | None = None) -> VerdictFacts:  # noqa: B008
    return VerdictFacts((), NOTHING, {}, unfinished, new, (GONE,))


def test_it_holds_what_would_have_passed() -> None:
    decision = decide(facts(NewPromptReasons(met=("good enough.",))), RunPolicy())
    assert (decision.verdict, decision.exit_code, decision.reasons) == (Verdict.HOLD, 0, (SAID,))
    assert decide(facts(), RunPolicy(fail_on="hold")).exit_code == 1


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (facts(NewPromptReasons(blocks=("bad.",))), Verdict.BLOCK),
        (facts(NewPromptReasons(gaps=("few.",))), Verdict.INCONCLUSIVE),
        (facts(unfinished="no money"), Verdict.INCONCLUSIVE),
    ],
)
def test_it_softens_nothing(found: VerdictFacts, verdict: Verdict) -> None:
    assert decide(found, RunPolicy()).verdict is verdict


def test_other_doubts_come_first() -> None:
    assert decide(facts(NewPromptReasons(holds=("doubtful.",))), RunPolicy()).reasons == ("doubtful.", SAID)


@pytest.mark.parametrize(
    ("cases", "said"),
    [(None, "examines, is"), (0, "with 0 cases, is"), (1, "with 1 case, is"), (2, "with 2 cases, is")],
)
def test_how_many_cases(cases: int | None, said: str) -> None:
    assert said in str(Deletion("x", "main", cases))
