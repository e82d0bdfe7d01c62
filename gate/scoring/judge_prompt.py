"""What a judge is shown: the criteria or rubric, and the answer inside a fence that it cannot forge."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.cases.case import Case, SlowTemplate, fill, variables_of
from gate.config.documents import one_problem
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.errors import InputErrors
from gate.messages import Message
from gate.prompts.version import TEMPLATE_ENDINGS
from gate.record.transcript import Transcript
from gate.scoring.interface import Subject
from gate.templates.rendering import compile_template, plain_template
from gate.templates.sandbox import BadTemplate
from gate.values import clipped, counted

PromptView: TypeAlias = Mapping[str, object]


RESULT_START, RESULT_END = 1_500, 500
"""Characters of the result of one call of a tool that a judge is shown."""
TOOLS_CHARS = 40_000
"""Of all calls."""


def tools_of(transcript: Transcript | None) -> str:
    """The calls of tools in a conversation with their results, shortened; untrusted."""
    uses = [use for turn in transcript.turns for use in turn.tools] if transcript is not None else []
    told: list[str] = []
    left = TOOLS_CHARS
    for use in uses:
        result = f"failed: {use.result}" if use.failed else use.result
        cut = len(result) - RESULT_START - RESULT_END
        if cut > 0:
            result = f"{result[:RESULT_START]} … ({cut:,} characters left out) … {result[-RESULT_END:]}"
        told.append(f"{use.name}({clipped(use.arguments, RESULT_START)})\n-> {result}")
        left -= len(told[-1])
        if left < 0 and len(told) < len(uses):
            told.append(f"… and {counted(len(uses) - len(told), 'more call')}")
            break
    return "\n\n".join(told) or "No tool was called."


@dataclass(frozen=True, slots=True)
class Background:
    """What led to an agent's answer, all of it untrusted.

    Args:
        turns: the conversation before.
        tools: the calls of tools; empty where the judge does not see them.
    """

    turns: Sequence[Message] = ()
    tools: str = ""


NO_BACKGROUND = Background()


def judge_messages(
    spec: ScorerSpec, case: Case, answer: str, problem: str = "", background: Background = NO_BACKGROUND
) -> tuple[Message, ...]:
    """The messages to a judge of one answer. Raises `InputErrors`.

    Args:
        answer: the model's, untrusted.
        problem: the fault of the judge's last reply; empty for the first question.
        background: empty where the answer is not an agent's.
    """
    view: PromptView = {
        "fence": fence_of(answer, background),
        "turns": background.turns,
        "tools": background.tools,
        "instructions": instructions_of(spec, case),
        "rubric": Rubric.of(spec.options) if spec.kind == "rubric" else None,
        "criteria": criteria_of(spec, case),
        "question": case.question if is_shown(spec, "sees_input") else None,
        "conversation": bool(case.messages),
        "answer": answer,
        "reference": _reference(case) if is_shown(spec, "sees_expected") else None,
        "problem": problem,
    }
    return (Message("system", _render("judge_system", view)), Message("user", _render("judge_user", view)))


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one case, as they are shown; `turn` begins each turn where they are conversations."""

    case: Case
    texts: tuple[str, str]
    turn: str = ""

    @classmethod
    def of(cls, first: Subject, second: Subject, *, tools: bool = False) -> "AnswerPair":
        """Conversations are compared whole, because their results may come before the last answer.

        Args:
            tools: the judge sees calls of tools.
        """
        if not (tools or first.conversed or second.conversed):
            return cls(first.case, (first.text, second.text))
        both = [_turns(first, tools=tools), _turns(second, tools=tools)]
        # No turn can contain its own hash, so none can imitate the beginning of another.
        mark = hashlib.sha256(_bytes("\0".join(content for turns in both for _, content in turns))).hexdigest()[:12]
        one, other = ("\n\n".join(f"--- {mark} {role}\n{content}" for role, content in turns) for turns in both)
        return cls(first.case, (one, other), f"--- {mark}")

    @property
    def swapped(self) -> "AnswerPair":
        """Both in the other order."""
        return replace(self, texts=self.texts[::-1])


def _turns(subject: Subject, *, tools: bool) -> list[tuple[str, str]]:
    if subject.transcript is None:
        return [("user", subject.case.question), ("assistant", subject.text)]
    before: list[tuple[str, str]] = [(message.role, message.shown) for message in subject.case.messages[:-1]]
    for turn in subject.transcript.turns:
        called = [("tools", tools_of(replace(subject.transcript, turns=(turn,))))] if tools else []
        before += [("user", turn.said), *called, ("assistant", turn.answer)]
    return before


def pair_messages(spec: ScorerSpec, pair: AnswerPair, problem: str = "") -> tuple[Message, ...]:
    """The messages to a pairwise judge; see `judge_messages`."""
    case, texts = pair.case, pair.texts
    view: PromptView = {
        "shown": [
            {"place": place, "fence": fence, "answer": answer}
            for place, fence, answer in zip(("first", "second"), fences_of(texts), texts, strict=True)
        ],
        "what": "conversation" if pair.turn else "answer",
        "turn": pair.turn,
        "instructions": instructions_of(spec, case),
        "criteria": criteria_of(spec, case),
        "question": case.question if is_shown(spec, "sees_input") and not pair.turn else None,
        "conversation": bool(case.messages),
        "reference": _reference(case) if is_shown(spec, "sees_expected") else None,
        "problem": problem,
    }
    return (Message("system", _render("pairwise_system", view)), Message("user", _render("pairwise_user", view)))


def fence_of(answer: str, background: Background = NO_BACKGROUND) -> str:
    """The mark around an answer, around each turn of the conversation before it, and around calls of tools.

    It is a hash of all texts within it, including an agent's earlier answers. No text can contain its own hash, so
    nothing can close its own fence. The same texts get the same mark, so that judgements can be cached.
    """
    return hashlib.sha256(
        _bytes("\0".join([*(turn.shown for turn in background.turns), *filter(None, [background.tools]), answer]))
    ).hexdigest()[:24]


def fences_of(texts: tuple[str, str]) -> tuple[str, ...]:
    """The marks around two answers.

    Each is made of both answers, so that neither can hold it, not even one whose author knows the other.
    """
    both = _bytes("\0".join(texts))
    return tuple(hashlib.sha256(place + both).hexdigest()[:24] for place in (b"1", b"2"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_shown(spec: ScorerSpec, option: str) -> bool:
    """Is it shown to the judge (`sees_input`, `sees_expected`)? By default it is."""
    return spec.options.get(option) is not False


def sees_tools(spec: ScorerSpec) -> bool:
    """Is the judge shown an agent's calls of tools?"""
    seen = spec.options.get("sees")
    return isinstance(seen, list) and "tools" in seen


def criteria_of(spec: ScorerSpec, case: Case) -> str:
    """The case's own criteria, or else the suite's, with the case's fields filled in; empty where there are none."""
    given = case.criteria or spec.options.get("criteria")
    return fill(given, case) if isinstance(given, str) else ""


def shown_besides(spec: ScorerSpec, case: Case) -> tuple[str, ...]:
    """The judge's guidance, shown together with the answer and the question."""
    reference = _reference(case) if is_shown(spec, "sees_expected") else None
    return (criteria_of(spec, case), instructions_of(spec, case), reference or "")


def instructions_of(spec: ScorerSpec, case: Case) -> str:
    """The judge's own prompt, rendered for a case; empty where only the frame is used. Raises `InputErrors`.

    A file that ends like a template is one: it sees `criteria`, `dimensions`, `scale`, `expected`, and what a prompt
    sees of a case. The answer it never sees.
    """
    text, path = spec.options.get("instructions"), str(spec.options.get("template", ""))
    if not isinstance(text, str):
        return ""
    if not path.lower().endswith(TEMPLATE_ENDINGS):
        return text.strip()
    try:
        return compile_template(text).render(_variables(spec, case)).strip()
    except BadTemplate as error:
        answer = error.undefined and "'answer'" in error.message
        hint = "the answer is put in by the gate, behind a fence that it cannot forge" if answer else ""
        said = one_problem(path, error.line, f"{error.message} (case {case.id!r})", hint)
        raise (SlowTemplate(said.problems) if error.slow else InputErrors(said.problems)) from None


def _variables(spec: ScorerSpec, case: Case) -> dict[str, object]:
    found: dict[str, object] = {**variables_of(case), "criteria": criteria_of(spec, case)}
    if not is_shown(spec, "sees_input"):
        del found["input"]
    if is_shown(spec, "sees_expected"):
        found["expected"] = case.expected
    if spec.kind == "rubric":
        rubric = Rubric.of(spec.options)
        found["scale"] = [int(end) if end.is_integer() else end for end in (rubric.low, rubric.high)]
        found["dimensions"] = [
            {"name": one.name, "description": one.description, "weight": one.weight} for one in rubric.dimensions
        ]
    return found


def _reference(case: Case) -> str | None:
    expected = case.expected
    return expected if isinstance(expected, str) or expected is None else json.dumps(expected)


def _render(name: str, view: PromptView) -> str:
    return plain_template("gate.scoring", f"{name}.md.j2").render(view)
