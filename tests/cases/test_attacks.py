"""Every attack of the corpus is refused with a short error, or stays data."""

import asyncio
import json
from functools import partial

import pytest

from gate import files
from gate.cases import reading as cases
from gate.cases.case import Case, fill, render
from gate.config import gatefile, json_schema
from gate.config.documents import decode
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.errors import SHOWN, InputErrors
from gate.messages import Message
from gate.prompts import reading
from gate.prompts.version import Prompt
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.judge import Judge
from gate.scoring.judge_prompt import judge_messages
from gate.templates.rendering import BadTemplate, compile_template
from tests.config.texts import GOOD, errors
from tests.support.attacks import Attack, attacks, named, read_as
from tests.support.fakes import ScriptedCalls, reply

LONGEST_MESSAGE = 700
"""Characters of one mistake: what is wrong is never said by repeating it all."""


def refused(attack: Attack, said: str) -> bool:
    assert all(len(line) <= LONGEST_MESSAGE for line in said.splitlines())
    assert len(said.splitlines()) <= SHOWN + 1
    return any(words in said for words in (attack.refused or "").split("|"))


def test_a_template_is_refused() -> None:
    for attack in read_as("template"):
        with pytest.raises(BadTemplate) as caught:
            compile_template(attack.text).render({"input": "x"})
        assert refused(attack, caught.value.message), attack.id


@pytest.mark.threat("case-template")
def test_text_of_a_case_is_never_a_template() -> None:
    for attack in attacks():
        text = attack.encodable
        case = Case("c", input=text, expected=text, slices={"s": text}, vars={"v": text})
        assert render(Prompt((Message("system", text),)), case)[0].content == text, attack.id
        template = Prompt((Message("user", "{{ input }}|{{ slices.s }}|{{ v }}"),), template=True)
        assert render(template, case)[0].content == f"{text}|{text}|{text}", attack.id
        assert fill("{{ expected }}{{ v }}", case) == text + text, attack.id


def test_a_configuration_is_refused() -> None:
    for attack in read_as("configuration"):
        assert refused(attack, errors(partial(gatefile.load, attack.text, "gate.yaml"))), attack.id


@pytest.mark.threat("case-scorer-text")
def test_cases_are_refused() -> None:
    for attack in read_as("cases"):
        assert refused(attack, errors(partial(cases.parse, attack.text, "cases.jsonl"))), attack.id


@pytest.mark.parametrize("attack", read_as("prompt"), ids=named)
def test_a_prompt_is_refused(attack: Attack) -> None:
    def read() -> None:
        data = attack.text.encode("utf-8", "surrogatepass") if attack.id == "prompt-pointer" else None
        reading.parse(attack.text if data is None else decode(data, "p.md"), "p.md")

    assert refused(attack, errors(read))


def test_a_path_is_refused_or_names_a_file_of_the_repository() -> None:
    for attack in read_as("path"):
        found = files.path_complaint(attack.text)
        if attack.refused is None:
            assert found == "", attack.id
            assert files.normal(attack.text) in (attack.text, attack.text.replace("//", "/")), attack.id
        else:
            assert refused(attack, found), attack.id


def test_a_configuration_with_a_path_that_is_refused_is_refused() -> None:
    attack = next(one for one in read_as("path") if one.refused is not None)
    written = GOOD.replace("prompts/support.md", json.dumps(attack.text))
    assert errors(lambda: gatefile.load(written, "gate.yaml"))


@pytest.mark.threat("case-endless")
@pytest.mark.parametrize("attack", read_as("pattern"), ids=named)
def test_a_pattern_search_ends_in_time(attack: Attack) -> None:
    if attack.refused:
        written = GOOD.replace(
            'contains: {value: "{{ expected }}", weight: 2}', f"regex: {{pattern: {json.dumps(attack.text)}}}"
        )
        assert refused(attack, errors(lambda: gatefile.load(written, "gate.yaml")))
        return
    assert json_schema.pattern_complaint(attack.text) == ""
    try:
        found = json_schema.occurs(attack.text, "a" * 5_000 + "!", seconds=0.1)
    except json_schema.TooSlow:
        return
    assert found in (True, False)
    assert not attack.slow


SPEC = ScorerSpec("judge", "tone", {"criteria": "Is kind."})


@pytest.mark.threat("judge-fence")
def test_an_answer_cannot_leave_the_judges_fence() -> None:
    case = Case("c", input="How much?", expected="12 euro")
    plain_system, plain_user = (message.content for message in judge_messages(SPEC, case, "word"))
    plain = plain_user.rpartition("\n")[2].removesuffix(">>>")
    for attack in attacks():
        system, user = (message.content for message in judge_messages(SPEC, case, attack.text))
        fence = user.rpartition("\n")[2].removesuffix(">>>")
        assert len(fence) == 24, attack.id
        assert fence not in attack.text, attack.id
        assert user == plain_user.replace(plain, fence).replace("\nword\n", f"\n{attack.text}\n"), attack.id
        assert system == plain_system.replace(plain, fence), attack.id


@pytest.mark.parametrize("attack", read_as("answer"), ids=named)
def test_a_judge_reply_that_repeats_the_answer_is_no_score(attack: Attack) -> None:
    calls = ScriptedCalls([reply(attack.encodable)] * 2)
    judge, subject = Judge(SPEC, ModelRef("fake", "judge"), Params(), calls), Subject(Case("c", input="x"), attack.text)
    assert isinstance(asyncio.run(judge.score(subject, 0)).value, Unscored)


def test_a_valid_file_is_accepted() -> None:
    assert gatefile.load(GOOD, "gate.yaml").suites
    with pytest.raises(InputErrors):
        gatefile.load(GOOD + "x: 1\n", "gate.yaml")
