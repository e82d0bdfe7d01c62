"""A prompt whose own answers are a reason and a score: an honest judge may quote them, and copies none."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.record.parts import CaseState
from tests.support.command import gate, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

REASONS = [
    "Budget approved, decision maker on the call, and they want to start in March.",
    "No budget this year, and the contact cannot decide.",
    "The company has budget, authority and a clear intent to buy within this quarter.",
    "Asks for a discount before a demonstration, which is a weak sign.",
    "The essay states its claim clearly and supports it with two sources, but the ending repeats the opening.",
    "All calculations are right and the units are given.",
    "The customer is angry about a late parcel and threatens to cancel.",
    "Friendly throughout, with thanks at the end.",
    "The text insults a group of people by their origin.",
    "Only product facts, no opinion at all.",
    "Le client demande un remboursement pour un produit défectueux, avec preuve d'achat.",
    "Der Kunde hat die Rechnung zweimal bezahlt und möchte das Geld zurück.",
    "El texto es positivo, aunque menciona un retraso en la entrega.",
    "顧客は予算を確保しており、今四半期中に導入したいと明言している。",
    "Клиент жалуется на задержку и просит вернуть деньги.",
    "Three of the four requirements are met; the deadline is missing.",
    "High urgency: production is down for all users since nine o'clock.",
    "Low urgency, a cosmetic fault on one page.",
    "The candidate has five years of Python, led a team of four, and knows Kubernetes well.",
    "The lead opened every message and visited the page with prices three times this week.",
]
JUDGES: dict[str, Callable[[str, float], str]] = {
    "quotes": lambda reason, score: f'The output gives "{reason}" as its reason and rates it {score:g}, as was asked.',
    "quotes at length": lambda reason, score: f"Meets the criteria: “{reason}”",
    "says it again": lambda reason, score: (
        f"It is rated {score:g} since {reason[0].lower()}{reason[1:-1]}: this fits it."
    ),
    "says little": lambda reason, score: f"A reason and the score {score:g}, in the form that was asked for.",
}
CONFIG = """\
version: 1
providers: {{own: {{api: openai, base_url: '{url}/v1'}}}}
suites:
  - name: leads
    prompt: prompt.md
    cases: cases.jsonl
    samples: 1
    model: own:m
    scorers:
      - judge: {{criteria: A fitting score with a reason., model: own:j}}
"""


def answer(system: str, user: str) -> str:
    number = int(user.rsplit(" ", 1)[1])
    return json.dumps({"reason": REASONS[number], "score": number % 5 / 4}, ensure_ascii=False)


@pytest.mark.parametrize("style", JUDGES)
def test_an_honest_judge_of_graded_answers_is_believed(tmp_path: Path, style: str) -> None:
    def judgement(system: str, user: str) -> str:
        said = json.loads(user[user.index("{", user.rindex("# Answer")) : user.rindex("}") + 1])
        return json.dumps({"reason": JUDGES[style](said["reason"], said["score"]), "score": said["score"]})

    write_jsonl(tmp_path / "cases.jsonl", [{"id": f"c{n}", "input": f"Lead {n}"} for n in range(len(REASONS))])
    (tmp_path / "prompt.md").write_text("Rate the lead: a JSON object with reason and score.")
    with ModelServer(Behaviour(answer=answer, judgement=judgement)) as server:
        (tmp_path / "gate.yaml").write_text(CONFIG.format(url=server.url))
        outcome = gate("check", "--json", cwd=tmp_path)
    checks = [case.check for case in outcome.record.new[0].cases]
    unscored = [one.missing for one in checks if one is not None and one.state is CaseState.UNSCORED]
    assert (len(checks), unscored) == (len(REASONS), [])
