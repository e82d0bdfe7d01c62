"""Stage: does the prompt really say what a rule says?"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Grounding, OutputRule
from gate.testgen.asking import Asker, Malformed, Question, text_of
from gate.testgen.bearing import around, bears, differing
from gate.testgen.effort import EffortSettings
from gate.testgen.evidence import Passages, passages_of
from gate.testgen.found import Found, noted
from gate.testgen.frames import FLAG, TEXT, fence, framed, object_schema
from gate.testgen.subject import PromptSubject

SCHEMA = object_schema({"reason": TEXT, "grounded": FLAG})


def unsettled(rule: OutputRule) -> bool:
    """Neither a person nor a judge has said where it comes from."""
    return rule.grounding in ("unknown", "verbatim")


async def ground(
    rules: Sequence[OutputRule], subject: PromptSubject, judge: Asker, settings: EffortSettings
) -> Found[Mapping[str, Grounding]]:
    """Look for each rule in the prompt: first for its evidence, then by a judge, one request per rule.

    Evidence counts only where it says something of its rule (`bearing`): any words of a prompt can be copied.

    Args:
        rules: what a person wrote, and what a judge has decided, stays so.
        subject: the prompt.
        judge: asked about rules whose evidence is not in the prompt, or says nothing of them.
        settings: whether it is, and what the user adds.

    Returns:
        Grounding by the id of the rule, and a note on the rules about which the judge gave no answer.
    """
    passages = passages_of(subject.text)
    groundings: dict[str, Grounding] = {}
    unsure = []
    for rule in rules:
        if not unsettled(rule):
            groundings[rule.id] = rule.grounding
            continue
        groundings[rule.id] = by_words(rule, passages)
        if groundings[rule.id] == "unknown":
            unsure.append(rule)
    if not settings.ground:
        return Found(groundings)
    instructions = settings.instructions.get("grounding", "")
    problems: dict[str, list[str]] = defaultdict(list)
    answers = await judge.ask_all([_question(rule, subject, instructions) for rule in unsure])
    for rule, answer in zip(unsure, answers, strict=True):
        if isinstance(answer, Failed):
            problems[f"nobody knows whether these rules stand in the prompt ({answer.reason})"].append(rule.id)
        else:
            groundings[rule.id] = "judged" if answer else "ungrounded"
    return Found(groundings, noted(problems))


def by_words(rule: OutputRule, passages: Passages) -> Grounding:
    """What the evidence of a rule alone tells: that it stands there, or says another number, or nothing.

    Args:
        rule: with what is said to be copied from the prompt.
        passages: of the prompt.
    """
    span = passages.find(rule.evidence)
    if span is None:
        return "unknown"
    sentence = around(passages.text, span)
    if differing(rule.text, sentence, passages.text) is not None:
        return "ungrounded"
    return "verbatim" if bears(rule.text, span.text, sentence) else "unknown"


def _question(rule: OutputRule, subject: PromptSubject, instructions: str) -> Question[bool]:
    view = {"prompt": subject.text, "rule": rule.text, "fence": fence(subject.text, rule.text)}
    return Question("grounding", lambda problem: framed("grounding", view, instructions, problem), SCHEMA, _read)


def _read(found: Mapping[str, JsonValue]) -> bool:
    text_of(found, "reason")
    grounded = found.get("grounded")
    if not isinstance(grounded, bool):
        raise Malformed("grounded is neither true nor false")
    return grounded
