"""Who answers which case."""

import pytest

from gate.config.targets import ConversationModel, Conversing, HttpAgent
from gate.domain.case import Case, Persona, Round
from gate.domain.model import ModelRef
from gate.targets.port import Question
from gate.targets.route import converses
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
    assert converses(asked) is wanted
