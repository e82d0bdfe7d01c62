"""Who answers which case."""

import pytest

from gate.agents.interface import Question
from gate.agents.targets import needs_conversation
from gate.cases.case import Case, Persona, Round
from gate.config.models import ModelRef
from gate.config.targets import ConversationModel, Conversing, HttpAgent
from tests.support.conversing import exam, question

CASE = Case("c", "x")


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (question(CASE), False),
        (question(CASE, exam=exam(CASE)), False),
        (question(CASE, HttpAgent(url="http://a")), True),
        (question(Case("c", "x", rounds=(Round("x"),))), True),
        (question(Case("c", "x", user=Persona("p", "g"))), True),
        (question(CASE, exam=exam(CASE, Conversing(followups=ConversationModel(model=ModelRef("openai", "d"))))), True),
    ],
)
def test_a_conversation_is_more_than_one_question_to_a_model(asked: Question, wanted: bool) -> None:
    assert needs_conversation(asked) is wanted
