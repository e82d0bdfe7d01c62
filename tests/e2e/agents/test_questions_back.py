"""A question at the end of an answer: a model for follow-ups decides about each, and without one they are counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.record.comparison import Conversations
from tests.support.command import Outcome, gate
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import make

AGENT = """
def agent(text, context):
    return {"text": "Fully booked." if text == "The Beach House." else text, "cost_usd": 0}
"""
"""It says what it hears, until its question is answered."""
QUESTIONS = [
    "Which listing do you mean?",
    "Sure. Which one? Then I can look.",
    "Please tell me the order number.",
    "I need the name of the listing and the month to look that up.",
    "Bitte nennen Sie mir die Bestellnummer.",
    "Welche Wohnung meinen Sie?",
    "Veuillez indiquer le numéro de commande.",
    "Quel logement ?",
    "Por favor, indique el número de pedido.",
    "¿Qué alojamiento?",
    "Mi dica quando arriva.",
    "Por favor, informe o número do pedido.",
    "Geef me het bestelnummer, alstublieft.",
    "Proszę podać datę.",
    "Lütfen sipariş numarasını yazın.",
    "Пожалуйста, укажите номер заказа.",
    "どの物件ですか。",
    "注文番号を教えてください。",
    "请问是哪一个",
    "您要预订吗",
    "请提供订单号。",
    "คุณต้องการที่พักไหนคะ",
    "주문 번호를 알려 주세요.",
    "어느 숙소인가요",
    "Ποιο κατάλυμα εννοείτε;",
    "أي مكان تقصد؟",
    "यह कौन सा घर है?",
    "Vui lòng cho biết mã đơn hàng.",
]
"""In more than fourteen languages, with and without a mark."""
ANSWERS = [
    "The occupancy in December was 82 %.",
    "I have booked it.",
    '{"occupied": 0.82}',
    "Das Strandhaus ist im Dezember zu 82 % belegt.",
    "Le total est de 42 euros.",
    "La ocupación fue del 82 %.",
    "L'occupazione è stata dell'82 %.",
    "A ocupação foi de 82 %.",
    "De bezetting was 82 %.",
    "Obłożenie wyniosło 82 %.",
    "Doluluk oranı yüzde 82 idi.",
    "Заполняемость составила 82 %.",
    "稼働率は82%でした。",
    "入住率为82%。",
    "อัตราการเข้าพักคือ 82 เปอร์เซ็นต์ค่ะ",
    "점유율은 82%였습니다.",
    "Η πληρότητα ήταν 82 %.",
    "كانت نسبة الإشغال 82 %.",
    "Tỷ lệ lấp đầy là 82 %.",
]


def detector(system: str, user: str) -> str:
    asks = "Fully booked." not in user and any(question in user for question in QUESTIONS)
    return json.dumps({"asks": asks, "answer": "The Beach House." if asks else ""})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    cases = [{"name": f"c{at}", "rounds": [{"prompt": text}]} for at, text in enumerate([*QUESTIONS, *ANSWERS])]
    make(
        tmp_path / "repo",
        {
            "agent.py": AGENT,
            "prompt.md": "Be kind.\n",
            "cases.json": json.dumps(cases),
            ".gitignore": ".gate/\n",
        },
    )
    return tmp_path / "repo"


def checked(root: Path, models: ModelServer, **conversation: Any) -> Outcome:
    suite = {
        "name": "s",
        "prompt": "prompt.md",
        "cases": "cases.json",
        "samples": 1,
        "model": "openai:gpt-5-mini",
        "target": {"python": "agent:agent"},
        "scorers": [{"contains": {"value": "booked"}}],
        **({"conversation": conversation} if conversation else {}),
    }
    (root / "gate.yaml").write_text(json.dumps({"version": 1, "suites": [suite]}))
    env = {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "k" * 20}
    return gate("check", "--json", cwd=root, env=env, timeout_s=300)


def conversations(outcome: Outcome) -> Conversations:
    [suite] = outcome.record.new
    assert suite.conversations is not None, outcome.err
    return suite.conversations


def test_a_model_decides_about_every_answer_in_any_language(root: Path, models: ModelServer) -> None:
    models.behaviour = Behaviour(judgement=detector)
    outcome = checked(root, models, followups={"model": "openai:gpt-5-mini"})
    lines = (root / ".gate/check/samples.jsonl").read_text(encoding="utf-8").splitlines()
    turns = {row["case"]: row["reply"]["transcript"]["turns"] for row in map(json.loads, lines)}
    for at, question in enumerate(QUESTIONS):
        assert [turn["answer"] for turn in turns[f"c{at}"]] == [question, "Fully booked."]
    for at, answer in enumerate(ANSWERS, start=len(QUESTIONS)):
        assert [turn["answer"] for turn in turns[f"c{at}"]] == [answer]
    assert conversations(outcome).candidate.last_questions is None
    assert models.requests == 2 * len(QUESTIONS) + len(ANSWERS)


@pytest.mark.parametrize("options", [{}, {"followups": {"model": "openai:gpt-5-mini"}, "max_followups": 0}])
def test_without_one_the_report_says_how_many_last_answers_look_like_questions(
    root: Path, models: ModelServer, options: dict[str, Any]
) -> None:
    outcome = checked(root, models, **options)
    asking, answers = len(QUESTIONS), len(QUESTIONS) + len(ANSWERS)
    assert conversations(outcome).candidate.last_questions == (asking, answers)
    assert models.requests == 0
    report = (root / ".gate/check/report.md").read_text(encoding="utf-8")
    assert f"<summary>Conversations: last answers that look like questions: {asking} of {answers}</summary>" in report
    assert (
        "Questions at the end are scored as answers; a model under conversation.followups would answer them." in report
    )
