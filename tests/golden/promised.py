"""A run whose change moves the promises of its prompts: each thing that can become of one, and of the input."""

from collections.abc import Sequence

from gate.record.parts import CallsRecord, InputChange
from gate.record.run import PromiseRecord, PromisesRecord, PromiseTrialRecord, RunRecord

_LONG = (
    "A question about a contract is answered with the number of the clause, the date on which it came into force, the "
    "name of the party that it binds, and one sentence in plain words that says what follows from it for the person "
    "who asked, without any advice on what that person should do about it."
)
_CHANGES = (
    PromiseRecord(
        state="removed",
        rule="R1",
        before="The answer has at most 80 words.",
        evidence="Answer in at most 80 words.",
    ),
    PromiseRecord(
        state="loosened",
        rule="R2",
        before="The answer quotes the clause that it rests on.",
        after="The answer names the clause that it rests on.",
        evidence="Quote the clause.",
        new_evidence="Name the clause.",
        by="meaning",
        reason="A name is less than a quotation.",
        judged=True,
    ),
    PromiseRecord(
        state="tightened",
        rule="R3",
        before="The answer has at most three sources.",
        after="The answer has at most two sources.",
        evidence="Give at most three sources.",
        new_evidence="Give at most two sources.",
        by="code",
    ),
    PromiseRecord(state="added", rule="R7", after=_LONG, new_evidence=_LONG),
    PromiseRecord(
        state="unknown",
        rule="R4",
        before="The answer is polite.",
        evidence="Be polite.",
        reason="words that it rests on still stand in the prompt, beside others that changed",
    ),
    PromiseRecord(
        state="reworded",
        rule="R5",
        before="The answer is in the language of the question.",
        after="The answer uses the language in which it was asked.",
        evidence="Answer in the language of the question.",
        new_evidence="Use the language in which you were asked.",
        by="meaning",
        reason="Both ask for the same language.",
        judged=True,
    ),
)
_TRIALS = (
    PromiseTrialRecord(rule="R3", tests=6, baseline_kept=2, baseline_scored=6, candidate_kept=6, candidate_scored=6),
    PromiseTrialRecord(rule="R7", tests=6, baseline_kept=0, baseline_scored=5, candidate_kept=3, candidate_scored=6),
)
_INPUTS = (
    InputChange(state="added", component="contract", after="The text of the contract."),
    InputChange(state="changed", component="question", before="It is one question.", after="It is a question."),
)


def promised(passed: RunRecord) -> RunRecord:
    """A harmless rewording, as far as the exam goes, that gives up a limit."""
    found = PromisesRecord(
        suite="support",
        unchanged=6,
        changes=list(_CHANGES),
        inputs=list(_INPUTS),
        judge="anthropic:claude-opus-4-5",
        trials=list(_TRIALS),
        calls=CallsRecord(made=47, cached=0, retried=0, failed=0),
        spent_usd=0.0213,
    )
    return passed.model_copy(update={"promises": [found]})


def uncompared(passed: RunRecord) -> RunRecord:
    """Two suites whose promises could not be compared, for lack of a key and by a budget."""
    notes = (
        "The rules of the prompt were not compared: openai:gpt-5-mini needs a key, and OPENAI_API_KEY is not set.",
        "The rules of the prompt were not compared: max_calls of the budget is 500, and 500 are made.",
    )
    names = ("support", "faq")
    found = [PromisesRecord(suite=name, notes=[note]) for name, note in zip(names, notes, strict=True)]
    return passed.model_copy(update={"promises": found})


def promising(attacks: Sequence[str]) -> list[PromisesRecord]:
    """Two prompts, every text of which is an attack."""

    def text(place: int) -> str:
        return attacks[place % len(attacks)]

    changes = [
        one.model_copy(
            update={
                "rule": text(place),
                "before": one.before and text(place + 3),
                "after": one.after and text(place + 6),
                "evidence": one.evidence and text(place + 9),
                "new_evidence": one.new_evidence and text(place + 12),
                "reason": one.reason and text(place + 1),
            }
        )
        for place, one in enumerate(_CHANGES)
    ]
    inputs = [InputChange(state="changed", component=text(4), before=text(5), after=text(6))]
    first = PromisesRecord(suite=text(0), changes=changes, inputs=inputs, notes=[text(7)], judge=text(8))
    return [first, PromisesRecord(suite=text(1), notes=[text(10)])]
