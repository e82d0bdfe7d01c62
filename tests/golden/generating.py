"""`gate generate` with models whose words were written by hand: what a person sees, from the screen to the files.

The words are in `generated/transcript.yaml`; what the command made of them lies beside it.
"""

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.command import gate
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import stage_of

FOLDER = Path(__file__).parent / "generated"
TRANSCRIPT = FOLDER / "transcript.yaml"
SCREEN = "screen.txt"
FILES = ("spec.yaml", "cases.yaml", "summary.md", "evaluation.md")
GENERATOR, JUDGE = "openai:gpt-5", "anthropic:claude-sonnet-4-5"
TESTED = {"OPENAI": "gpt-4o-mini", "ANTHROPIC": "claude-haiku-4-5"}
_FENCED = re.compile(r"<<<([0-9a-f]{24})\n(.*?)\n\1>>>", re.DOTALL)
_NAMED = re.compile(r"^([A-Z]\d+)(?: \((\d+) tests?\))?: (.*)$", re.MULTILINE)


class Script:
    """The replies of the generator and the judge, stage by stage, and the answers of the models under test."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said
        self.outputs = {one["says"]: one for answers in said["answers"].values() for one in answers}
        self.stages: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
            "intent": lambda user: {"intent": said["intent"]},
            "inputs": lambda user: {"components": said["components"]},
            "rules": lambda user: {
                "rules": [{"evidence": one["evidence"], "rule": one["rule"]} for one in said["rules"]]
            },
            "inverse": self._inverse,
            "grounding": self._grounding,
            "review": lambda user: {"conflicts": said["conflicts"], "leaks": []},
            "tests": self._tests,
            "validity": self._validity,
            "compliance": self._compliance,
        }

    def reply(self, system: str, user: str) -> str:
        """To a request of any stage."""
        return json.dumps(self.stages[stage_of(system)](user))

    def answers_of(self, model: str) -> Callable[[str, str], str]:
        """How a model answers a message."""

        def answer(system: str, user: str) -> str:
            return next(
                str(one["says"])
                for one in self.said["answers"][model]
                if not one["words"] or any(words in user for words in one["words"])
            )

        return answer

    def _inverse(self, user: str) -> Mapping[str, Any]:
        inverses = {one["rule"]: one["inverse"] for one in self.said["rules"]}
        named = _NAMED.findall(_fenced(user)[0])
        return {"inverses": [{"id": name, "inverse": inverses[text]} for name, _, text in named]}

    def _grounding(self, user: str) -> Mapping[str, Any]:
        why = self.said["ungrounded"].get(_fenced(user)[1])
        return {"reason": why or "The prompt says so in other words.", "grounded": why is None}

    def _tests(self, user: str) -> Mapping[str, Any]:
        _, _, statements, *taken = _fenced(user)
        found = []
        for name, count, text in _NAMED.findall(statements):
            left = [one for one in self.said["tests"][text] if one[1] not in taken]
            found += [_test(name, *one) for one in left[: int(count)]]
        return {"tests": found}

    def _validity(self, user: str) -> Mapping[str, Any]:
        ids = re.findall(r"^(T\d+)$", user, re.MULTILINE)
        verdicts = []
        for name, text in zip(ids, _fenced(user)[1:], strict=True):
            why = self.said["invalid"].get(text)
            verdicts.append({"id": name, "reason": why or "Nothing is broken.", "valid": why is None})
        return {"verdicts": verdicts}

    def _compliance(self, user: str) -> Mapping[str, Any]:
        found = self.outputs[_fenced(user)[-1]]
        return {"reason": found["why"], "verdict": found["verdict"]}


def _fenced(user: str) -> list[str]:
    return [text for _, text in _FENCED.findall(user)]


def _test(statement: str, scenario: str, text: str, behaviour: str, reasoning: str) -> Mapping[str, Any]:
    return {
        "statement": statement,
        "reasoning": reasoning,
        "scenario": scenario,
        "components": [{"name": "email", "text": text}],
        "behaviour": behaviour,
    }


def generated() -> Mapping[str, str]:
    """The screen at 80 columns, and the files that a person reads, by name."""
    said = YAML(typ="safe").load(TRANSCRIPT.read_text(encoding="utf-8"))
    script = Script(said)
    servers = {
        host: ModelServer(Behaviour(judgement=script.reply, answer=script.answers_of(model)))
        for host, model in TESTED.items()
    }
    with tempfile.TemporaryDirectory() as folder, servers["OPENAI"] as openai, servers["ANTHROPIC"] as anthropic:
        root = Path(folder)
        (root / "prompts").mkdir()
        (root / "prompts" / "support.md").write_text(said["prompt"], encoding="utf-8")
        env = {"OPENAI_BASE_URL": f"{openai.url}/v1", "ANTHROPIC_BASE_URL": anthropic.url, "OPENAI_API_KEY": "k",
               "ANTHROPIC_API_KEY": "k", "COLUMNS": "80"}  # fmt: skip
        models = ",".join(f"{host.lower()}:{model}" for host, model in TESTED.items())
        done = gate(
            "generate", "prompts/support.md", "--model", GENERATOR, "--judge-model", JUDGE, "--effort", "low",
            "--evaluate", models, "--set", "control=false", cwd=root, env=env,
        )  # fmt: skip
        if done.code != 0:
            raise AssertionError(done.err)
        texts = {name: next(root.rglob(name)).read_text(encoding="utf-8") for name in FILES}
    return {SCREEN: done.out, **texts}
