"""Models without a network whose answers are fixed, to test a gate's setup and the gate itself.

`fake:echo`    answers the last user message.
`fake:oracle`  is right at a known rate. A user message contains the right answer and, optionally, a slice:
               `answer=blue slice=enterprise`. The system prompt states the quality, for all and for a slice:
               `quality=0.9 quality[enterprise]=0.45`. A right reply is the word, any other is `wrong`.
`fake:judge`   scores the answer in its fence: 1 if it contains the reference answer, else 0. For a rubric it uses words
               of the answer: `good` and `bad` count on every dimension, `good-brevity` and `bad-brevity` on that one.

Replies are a hash of system prompt, user message and sample index. Tokens are characters / 4; latency is made up.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence

from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Request
from gate.config.models import Params
from gate.messages import Message
from gate.record.transcript import Usage
from gate.values import JsonValue

_ANSWER = re.compile(r"\banswer=([\w.-]+)")
_SLICE = re.compile(r"\bslice=([\w.-]+)")
_QUALITY = re.compile(r"\bquality=([01](?:\.\d+)?)")
_SLICE_QUALITY = re.compile(r"\bquality\[([\w.-]+)\]=([01](?:\.\d+)?)")
_REFERENCE = re.compile(r"# Reference answer\n(.*?)\n+# (?:Answer|First answer)", re.DOTALL)
_JUDGED = re.compile(r"# Answer\n<<<(\w*)\n(.*)\n\1>>>", re.DOTALL)
_SHOWN = re.compile(r"# (?:First|Second) answer\n<<<(\w*)\n(.*?)\n\1>>>", re.DOTALL)
_SCALE = re.compile(r'"score": a (?:whole )?number from (-?[\d.e+-]*\d) to (-?[\d.e+-]*\d)')
_QUALITY_WORD = re.compile(r"\b(good|bad)(?:-([\w-]+))?")


class FakeProvider:
    """One of the models above; raises `Misconfigured` for an unknown name."""

    max_in_flight: int | None = None
    lane = ""
    priced = False

    def __init__(self, name: str) -> None:
        models: dict[str, Callable[[str, str, int], str]] = {
            "echo": lambda _system, user, _index: user,
            "oracle": oracle_answer,
            "judge": lambda system, user, _index: judge_reply(None, system, user),
        }
        if name not in models:
            raise Misconfigured(f"there is no model fake:{name}", f"choose from fake:{', fake:'.join(models)}")
        self._name = name
        self._answer = models[name]

    def check(self, params: Params) -> None:
        """Accepts every parameter and ignores all of them."""

    async def complete(self, request: Request) -> Completion:
        """Answer at once."""
        system, user = split_messages(request.messages)
        text = self._text(system, user, request)
        usage = Usage(input_tokens=count_tokens(system) + count_tokens(user), output_tokens=count_tokens(text))
        latency = 0.05 + 0.001 * usage.output_tokens
        return Completion(text, f"fake-{self._name}", usage, latency, "stop")

    def _text(self, system: str, user: str, request: Request) -> str:
        if self._name == "judge":
            return judge_reply(request.schema, system, user)
        return self._answer(system, user, request.index)

    async def close(self) -> None:
        """Does nothing."""


def split_messages(messages: Sequence[Message]) -> tuple[str, str]:
    """The system messages, joined, and the last user message; raises `RejectedRequest` where there is none."""
    users = [message.content for message in messages if message.role == "user"]
    if not users:
        raise RejectedRequest("there is no user message to answer")
    return "\n".join(message.content for message in messages if message.role == "system"), users[-1]


def oracle_answer(system: str, user: str, index: int) -> str:
    """The right word of the user text with the probability `true_quality`, else `wrong`."""
    found = _ANSWER.search(user)
    if found is None:
        return "wrong"
    digest = hashlib.sha256("\0".join((system, user, str(index))).encode("utf-8", "replace")).digest()
    return found[1] if int.from_bytes(digest[:7], "big") / 2**56 < true_quality(system, user) else "wrong"


def true_quality(system: str, user: str) -> float:
    """The probability of a right reply, in [0, 1]; 1 when the system prompt states none."""
    where, stated = _SLICE.search(user), _QUALITY.search(system)
    own = dict(_SLICE_QUALITY.findall(system))
    if where is not None and where[1] in own:
        return min(1.0, float(own[where[1]]))
    return min(1.0, float(stated[1])) if stated else 1.0


def judge_reply(schema: Mapping[str, JsonValue] | None, system: str, user: str) -> str:
    """The reply of an honest judge, in the form of a schema."""
    if fields := rubric_fields(schema):
        return rubric_reply(fields, scale_in(system), user)
    found = (schema or {}).get("properties")
    return preference_reply(user) if isinstance(found, dict) and "better" in found else criteria_reply(user)


def preference_reply(user: str) -> str:
    """A judgement on two answers: the one that holds the reference, else the one with more good words, else a tie."""
    reference, answers = _REFERENCE.search(user), [found[2] for found in _SHOWN.finditer(user)]
    told = [_QUALITY_WORD.findall(answer.lower()) for answer in answers]
    held = [reference is not None and reference[1].strip() in answer for answer in answers]
    worth = [(held[i], sum(1 if kind == "good" else -1 for kind, _ in told[i])) for i in range(len(answers))]
    if len(worth) < 2 or worth[0] == worth[1]:
        return json.dumps({"reason": "Both are as good.", "better": "tie"})
    better = "first" if worth[0] > worth[1] else "second"
    return json.dumps({"reason": f"The {better} one has more of what counts.", "better": better})


def criteria_reply(user: str) -> str:
    """A judgement as a JSON object of `reason` and `score`."""
    reference, answer = _REFERENCE.search(user), _judged(user)
    met = reference is None or reference[1].strip() in answer
    reason = "The answer holds the reference." if met else "The reference is not in the answer."
    return json.dumps({"reason": reason, "score": 1.0 if met else 0.0})


def rubric_fields(schema: Mapping[str, JsonValue] | None) -> list[str]:
    """The dimensions of a schema; none if it has a single score."""
    found = (schema or {}).get("properties")
    properties = found if isinstance(found, dict) else {}
    inner = [one.get("properties") for one in properties.values() if isinstance(one, dict)]
    each = [one for one in inner if isinstance(one, dict) and "score" in one]
    return list(properties) if each and len(each) == len(properties) else []


def scale_in(system: str) -> tuple[float, float]:
    """The scale that a judge's instructions name last."""
    found = _SCALE.findall(system)
    low, high = found[-1] if found else ("0", "1")
    return float(low), float(high)


def rubric_reply(fields: Sequence[str], scale: tuple[float, float], user: str) -> str:
    """A judgement as a JSON object with an object of `reason` and `score` for each dimension.

    A dimension begins in the middle of the scale; each word moves it by a quarter of the scale.
    """
    words = _QUALITY_WORD.findall(_judged(user).lower())
    low, high = scale
    out = {}
    for field in fields:
        own = [kind for kind, about in words if not about or about.replace("-", "_") == field]
        step = own.count("good") - own.count("bad")
        score = min(high, max(low, (low + high) / 2 + step * (high - low) / 4))
        out[field] = {"reason": f"{len(own)} words tell of {field}.", "score": score}
    return json.dumps(out)


def _judged(user: str) -> str:
    """The answer in its fence."""
    found = _JUDGED.search(user)
    return found[2] if found else user


def count_tokens(text: str) -> int:
    """Tokens of a text, at four characters each; 0 only for an empty one."""
    return (len(text) + 3) // 4
